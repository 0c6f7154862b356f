package dev.kip.controller.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.controller.kubelet.Gatekeeper.Refused;
import dev.kip.controller.world.FakeProcess;
import dev.kip.controller.world.VirtualTime;
import dev.kip.kube.KubeError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GatekeeperTest {

    private static final String KNOWN = """
            {"authenticated": true,
             "user": {"username": "metrics-server", "uid": "u", "groups": ["scrapers"], "extra": {"k": ["v"]}}}""";

    private final VirtualTime time = new VirtualTime();
    private final ScriptedKube kube = new ScriptedKube();
    private final Gatekeeper gatekeeper = new Gatekeeper(new FakeProcess(time), kube, "kip");

    private Optional<Refused> examine(Asked call) {
        List<Optional<Refused>> verdicts = new ArrayList<>();
        gatekeeper.examine(call, verdicts::add);
        assertThat(verdicts).hasSize(1);
        return verdicts.get(0);
    }

    @Test
    void nobody_is_anonymous() {
        assertThat(examine(Asked.anonymously("/healthz"))).contains(new Refused(401, "Unauthorized"));
        assertThat(examine(Asked.withHeader("Basic eDp5", "/healthz"))).contains(new Refused(401, "Unauthorized"));
        assertThat(examine(Asked.withHeader("Bearer  ", "/healthz"))).contains(new Refused(401, "Unauthorized"));
        assertThat(kube.reviews).isEmpty();
    }

    @Test
    void a_certificate_says_who_asks_and_the_API_server_whether_he_may() {
        assertThat(examine(Asked.by("kube-apiserver", "POST", "/exec/ns/web/c", "system:masters")))
                .isEmpty();

        assertThat(kube.reviews)
                .containsExactly("SubjectAccessReview {\"resourceAttributes\":{\"verb\":\"create\",\"version\":\"v1\","
                        + "\"resource\":\"nodes\",\"subresource\":\"proxy\",\"name\":\"kip\"},\"user\":\"kube-apiserver\","
                        + "\"groups\":[\"system:masters\",\"system:authenticated\"]}");
    }

    @Test
    void a_token_is_whose_the_API_server_says() {
        kube.token = spec -> spec.path("token").asString("").equals("good") ? KNOWN : "{\"error\": \"invalid\"}";

        assertThat(examine(Asked.withHeader("Bearer good", "/stats/summary"))).isEmpty();
        assertThat(kube.reviews.get(1))
                .contains("\"subresource\":\"stats\"")
                .contains("\"user\":\"metrics-server\"")
                .contains("\"groups\":[\"scrapers\"]")
                .contains("\"extra\":{\"k\":[\"v\"]}");
        assertThat(examine(Asked.withHeader("Bearer bad", "/stats/summary")))
                .contains(new Refused(401, "Unauthorized"));
    }

    @Test
    void what_is_not_allowed_is_refused_in_the_words_of_a_kubelet() {
        kube.access = spec -> false;

        assertThat(examine(Asked.by("eve", "GET", "/pods")))
                .contains(new Refused(
                        403, "Forbidden (user=eve, verb=get, resource=nodes, subresource(s)=[pods proxy])\n"));
        assertThat(kube.reviews).hasSize(2);
    }

    @Test
    void one_of_the_rights_that_suffice_suffices() {
        kube.access =
                spec -> spec.at("/resourceAttributes/subresource").asString("").equals("proxy");

        assertThat(examine(Asked.by("old", "GET", "/pods"))).isEmpty();
    }

    @Test
    void an_answer_is_remembered_and_forgotten_again() {
        kube.token = spec -> KNOWN;
        Asked call = Asked.withHeader("Bearer good", "/metrics/resource");
        examine(call);
        time.advance(Duration.ofSeconds(119));
        examine(call);
        assertThat(kube.reviews).hasSize(2);

        time.advance(Duration.ofSeconds(2)); // the token after two minutes, the right after five
        examine(call);
        assertThat(kube.reviews).hasSize(3);
        time.advance(Duration.ofMinutes(3));
        examine(call);
        assertThat(kube.reviews).hasSize(5);
    }

    @Test
    void a_right_that_was_given_meanwhile_is_seen_after_half_a_minute() {
        kube.access = spec -> false;
        Asked call = Asked.by("eve", "GET", "/stats/summary");
        examine(call);
        kube.access = spec -> true;
        time.advance(Duration.ofSeconds(29));
        assertThat(examine(call)).isPresent();

        time.advance(Duration.ofSeconds(2));
        assertThat(examine(call)).isEmpty();
    }

    @Test
    void without_an_API_server_nobody_comes_in() {
        kube.refusal = Optional.of(new KubeError.NoAnswer("connection refused"));

        assertThat(examine(Asked.by("kube-apiserver", "GET", "/pods")))
                .contains(new Refused(
                        500,
                        "Authorization error (user=kube-apiserver, verb=get, resource=nodes, subresource=pods):"
                                + " connection refused\n"));
        assertThat(examine(Asked.withHeader("Bearer good", "/pods"))).contains(new Refused(401, "Unauthorized"));
    }
}
