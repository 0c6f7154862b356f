package dev.kip.sim.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.cloud.CloudError;
import dev.kip.http.HttpService;
import dev.kip.sim.s3.S3Failure;
import dev.kip.sim.s3.SimS3;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SimS3AnchorsTest extends SimulatedSuite {

    private SimS3 s3 = made();

    private SimS3 made() {
        SimS3 made = new SimS3(server, kernel.entropy("s3"));
        made.createBucket("kip-anchors");
        return made;
    }

    @Override
    HttpService service() {
        return s3;
    }

    @Override
    String location() {
        return "s3://kip-anchors/team";
    }

    @Override
    String nowhereLocation() {
        return "s3://kip-lost";
    }

    @Override
    void denyAccess(boolean all) {
        s3.denyAccess(all);
    }

    @Override
    void restart() {
        var snapshot = s3.snapshot();
        s3 = made();
        s3.restore(snapshot);
    }

    @Override
    int calls() {
        return (int) s3.log().total();
    }

    @Test
    void objects_are_where_the_location_says_and_leave_other_prefixes_alone() {
        ok(store().write("names/a", "abc", Optional.empty()));
        ok(open("other", "s3://kip-anchors").write("names/a", "def", Optional.empty()));

        assertThat(s3.contents("kip-anchors"))
                .containsOnly(java.util.Map.entry("team/names/a", "abc"), java.util.Map.entry("names/a", "def"));
        assertThat(listed("")).containsExactly("names/a");
        s3.removeFromOutside("kip-anchors", "team/");
        assertThat(ok(store().read("names/a")).object()).isEmpty();
    }

    @Test
    void a_conflicting_write_under_way_is_a_change() {
        s3.intercept(
                (action, key) -> action.equals("PutObject") ? Optional.of(S3Failure.conflict()) : Optional.empty());

        assertThat(failed(store().write("a", "one", Optional.empty()))).isInstanceOf(CloudError.Changed.class);
    }

    @Test
    void an_object_may_be_encrypted_by_a_key_of_the_kms() {
        var store = open("kms", "s3://kip-anchors/team?kmsKey=alias/kip");

        ok(store.write("a", "one", Optional.empty()));

        assertThat(s3.snapshot().toString()).contains("\"encryption\":\"aws:kms\",\"kmsKey\":\"alias/kip\"");
        assertThat(ok(store.read("a")).object()).isPresent();
    }
}
