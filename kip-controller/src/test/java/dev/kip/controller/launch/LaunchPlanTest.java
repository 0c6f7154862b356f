package dev.kip.controller.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.launch.LaunchPlan.Choice;
import dev.kip.controller.world.Offerings;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class LaunchPlanTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final LaunchPlan plan = new LaunchPlan(new LaunchSettings(
            "us-east-1",
            Optional.empty(),
            Optional.empty(),
            ImmutableMap.of(),
            "t3.nano",
            true,
            5,
            false,
            ImmutableList.of(),
            ImmutableList.of(),
            Optional.empty(),
            Optional.empty()));

    private final Catalogue catalogue = Catalogue.of(
            ImmutableList.of(
                    Offerings.of("m5.large", 2, 8192, 0.096),
                    Offerings.of("t3.nano", 2, 512, 0.0052),
                    Offerings.of("t3.small", 2, 2048, 0.0208),
                    Offerings.of("m5.24xlarge", 96, 393216, 4.6),
                    new Offering("m1.small", "x86_64", 1, 1740, 0, "", false, false, false, Optional.of(0.001)),
                    new Offering("m5.metal", "x86_64", 96, 393216, 0, "", false, true, true, Optional.of(0.002)),
                    new Offering("x9.free", "x86_64", 96, 393216, 0, "", false, false, true, Optional.empty()),
                    new Offering("g4dn.xlarge", "x86_64", 4, 16384, 1, "t4", false, false, true, Optional.of(0.526)),
                    new Offering("t4g.small", "arm64", 2, 2048, 0, "", true, false, true, Optional.of(0.0168))),
            ImmutableList.of(image("x86_64"), image("arm64")),
            ImmutableList.of(subnet("subnet-a", "us-east-1a", 10), subnet("subnet-b", "us-east-1b", 200)),
            ImmutableList.of("sg-1"),
            Catalogue.Places.UNKNOWN);

    private final Avoided avoided = new Avoided();

    private static ImageFacts image(String architecture) {
        return new ImageFacts("ami-" + architecture, "kip", architecture, Instant.EPOCH, Optional.empty(), 2);
    }

    private static SubnetFacts subnet(String id, String zone, int free) {
        return new SubnetFacts(id, "vpc-1", "10.0.0.0/16", zone, free, true);
    }

    private Choice choose(String spec, String annotations) {
        PodNeeds needs = NeedsReader.read(
                JSON.readTree("{\"metadata\": {\"annotations\": {" + annotations + "}}, \"spec\": " + spec + "}"));
        return plan.choose(needs, catalogue, avoided, 0);
    }

    private String typeFor(String spec, String annotations) {
        Choice choice = choose(spec, annotations);
        assertThat(choice).isInstanceOf(Choice.Launch.class);
        return ((Choice.Launch) choice).key().instanceType();
    }

    private static String requests(String requests) {
        return "{\"containers\": [{\"name\": \"a\", \"resources\": {\"requests\": {" + requests + "}}}]}";
    }

    private String problemOf(Choice choice) {
        assertThat(choice).isInstanceOf(Choice.NothingFits.class);
        return ((Choice.NothingFits) choice).problem().message();
    }

    @Test
    void a_pod_that_asks_for_nothing_gets_the_default_type() {
        assertThat(typeFor("{\"containers\": [{\"name\": \"a\"}]}", "")).isEqualTo("t3.nano");
    }

    @Test
    void the_cheapest_that_fits_wins_burstable_or_not() {
        assertThat(typeFor(requests("\"memory\": \"1Gi\""), "")).isEqualTo("t3.small");
        assertThat(typeFor(requests("\"memory\": \"1Gi\""), "\"pod.elotl.co/instance-type\": \"m5*\""))
                .as("bare metal only when asked")
                .isEqualTo("m5.large");
        assertThat(typeFor(requests("\"memory\": \"1Gi\""), "\"pod.elotl.co/instance-type\": \"m5.metal*\""))
                .isEqualTo("m5.metal");
        assertThat(typeFor(requests("\"cpu\": \"1.5\", \"memory\": \"4Gi\""), ""))
                .isEqualTo("m5.large");
    }

    @Test
    void a_pod_that_names_no_architecture_gets_the_virtual_node_s_however_cheap_another_is() {
        assertThat(typeFor(requests("\"memory\": \"1Gi\""), "")).isEqualTo("t3.small");
        assertThat(typeFor(requests("\"memory\": \"1Gi\""), "\"pod.elotl.co/instance-type\": \"t4g*\""))
                .as("whoever names a type knows what it is")
                .isEqualTo("t4g.small");
    }

    @Test
    void old_generations_bare_metal_and_types_without_a_price_are_not_chosen_by_resources() {
        assertThat(typeFor(requests("\"cpu\": \"90\""), "")).isEqualTo("m5.24xlarge");
        assertThat(typeFor(requests("\"cpu\": \"0.5\""), "")).isEqualTo("t3.nano");
    }

    @Test
    void a_named_type_is_taken_as_it_is() {
        assertThat(typeFor(requests("\"cpu\": \"90\""), "\"pod.elotl.co/instance-type\": \"m1.small\""))
                .isEqualTo("m1.small");
    }

    @Test
    void a_glob_must_match_and_fit() {
        assertThat(typeFor(requests("\"memory\": \"1Gi\""), "\"pod.elotl.co/instance-type\": \"t3.*\""))
                .isEqualTo("t3.small");
        assertThat(choose(requests("\"memory\": \"100Gi\""), "\"pod.elotl.co/instance-type\": \"t3.*\""))
                .isInstanceOf(Choice.NothingFits.class);
    }

    @Test
    void gpus_are_counted() {
        String spec = "{\"containers\": [{\"name\": \"a\", \"resources\": {\"limits\": {\"nvidia.com/gpu\": 1}}}]}";
        assertThat(typeFor(spec, "")).isEqualTo("g4dn.xlarge");
    }

    @Test
    void architecture_and_zone_are_taken_from_the_node_selector() {
        Choice choice = choose(
                "{\"nodeSelector\": {\"kubernetes.io/arch\": \"amd64\", \"topology.kubernetes.io/zone\": \"us-east-1a\"},"
                        + " \"containers\": [{\"name\": \"a\", \"resources\": {\"requests\": {\"memory\": \"1Gi\"}}}]}",
                "");
        assertThat(choice).isInstanceOf(Choice.Launch.class);
        LaunchKey key = ((Choice.Launch) choice).key();
        assertThat(key.instanceType()).isEqualTo("t3.small");
        assertThat(key.subnetId()).isEqualTo("subnet-a");
    }

    @Test
    void init_containers_count_at_their_peak_sidecars_all_along_and_the_overhead_on_top() {
        PodNeeds needs = NeedsReader.read(JSON.readTree("""
                {"spec": {
                  "overhead": {"cpu": "100m"},
                  "initContainers": [
                    {"name": "side", "restartPolicy": "Always", "resources": {"requests": {"cpu": "200m"}}},
                    {"name": "init", "resources": {"requests": {"cpu": "2"}}}],
                  "containers": [
                    {"name": "a", "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1500m"}}}]}}
                """));
        assertThat(needs.milliCpus()).isEqualTo(200 + 2000 + 100);
    }

    @Test
    void what_cannot_be_had_is_named_with_the_largest_there_is() {
        assertThat(problemOf(choose(requests("\"cpu\": \"1000\""), "")))
                .contains("1000 vCPUs")
                .contains("96 vCPUs");
        assertThat(problemOf(choose(requests("\"cpu\": \"1\""), "\"pod.elotl.co/instance-type\": \"t3.nanoo\"")))
                .contains("t3.nanoo");
        assertThat(problemOf(choose("{\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"us-east-1z\"}}", "")))
                .contains("us-east-1z");
    }

    @Test
    void annotations_that_make_no_sense_are_told() {
        assertThat(problemOf(choose("{}", "\"pod.elotl.co/launch-type\": \"cheap\"")))
                .contains("\"cheap\"");
        assertThat(problemOf(choose("{}", "\"pod.elotl.co/volume-size\": \"-1Gi\"")))
                .contains("\"-1Gi\"");
        assertThat(problemOf(choose("{}", "\"pod.elotl.co/volume-size\": \"lots\"")))
                .contains("\"lots\"");
        assertThat(problemOf(choose("{}", "\"pod.elotl.co/private-ip-only\": \"maybe\"")))
                .contains("\"maybe\"");
        assertThat(problemOf(choose(requests("\"cpu\": \"1x\""), ""))).contains("\"1x\"");
    }

    @Test
    void annotations_shape_the_launch() {
        Choice choice = choose(
                "{}",
                "\"pod.elotl.co/launch-type\": \" SPOT \", \"pod.elotl.co/volume-size\": \"10.5Gi\","
                        + " \"pod.elotl.co/private-ip-only\": \"true\"");
        assertThat(((Choice.Launch) choice).key())
                .isEqualTo(new LaunchKey("t3.nano", "x86_64", Market.SPOT, "subnet-b", 11, false));
    }

    @Test
    void what_lacks_capacity_is_avoided_by_type_subnet_and_market_for_a_while() {
        LaunchKey first = ((Choice.Launch) choose("{}", "")).key();
        assertThat(first.subnetId()).isEqualTo("subnet-b");
        avoided.avoid(first, 0, Duration.ofMinutes(3));
        LaunchKey second = ((Choice.Launch) choose("{}", "")).key();
        assertThat(second.subnetId()).isEqualTo("subnet-a");
        avoided.avoid(second, 0, Duration.ofMinutes(3));
        assertThat(choose("{}", "")).isInstanceOf(Choice.NoRoom.class);
        assertThat(choose("{}", "\"pod.elotl.co/launch-type\": \"spot\"")).isInstanceOf(Choice.Launch.class);
        assertThat(plan.choose(
                        NeedsReader.read(JSON.readTree("{}")),
                        catalogue,
                        avoided,
                        Duration.ofMinutes(3).toNanos()))
                .isInstanceOf(Choice.Launch.class);
    }
}
