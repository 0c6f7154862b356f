package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudError;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Where cells are launched, by a whole controller. */
class PlacesTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static ObjectNode spread(ObjectNode pod) {
        pod.withObject("/metadata").withObject("/labels").put("app", "web");
        ObjectNode constraint = ((ObjectNode) pod.path("spec"))
                .putArray("topologySpreadConstraints")
                .addObject();
        constraint
                .put("topologyKey", "topology.kubernetes.io/zone")
                .put("maxSkew", 1)
                .put("whenUnsatisfiable", "DoNotSchedule");
        constraint.withObject("/labelSelector").withObject("/matchLabels").put("app", "web");
        return pod;
    }

    private static Map<String, Long> zones(World world) {
        return world.cloud.live().stream()
                .collect(Collectors.groupingBy(InstanceFacts::zone, TreeMap::new, Collectors.counting()));
    }

    @Test
    void a_burst_is_spread_over_the_zones_and_a_later_controller_goes_on_from_there() {
        World world = new World();
        world.cloud.zones("a", "b", "c");
        world.start();
        for (int i = 0; i < 7; i++) {
            world.createPod("web-" + i, PlacesTest::spread);
        }
        world.until("all are ready", MINUTE, () -> world.allReady(7));
        assertThat(zones(world))
                .containsExactlyInAnyOrderEntriesOf(Map.of("us-east-1a", 3L, "us-east-1b", 2L, "us-east-1c", 2L));
        assertThat(world.cloud.launches()).as("one call for each zone").hasSize(3);

        world.process().kill();
        world.startAnother();
        world.pass(Duration.ofSeconds(45));
        world.createPod("web-7", PlacesTest::spread);
        world.createPod("web-8", PlacesTest::spread);
        world.until("all are ready", MINUTE, () -> world.allReady(9));

        assertThat(zones(world).values()).containsOnly(3L);
    }

    /** SEL-05, aws/karpenter-provider-aws#5937. */
    @Test
    void a_cloud_that_does_not_tell_what_it_offers_is_named_to_the_pods_that_wait_and_recovers_by_itself() {
        World world = new World();
        world.faults.cutOff("cloud offerings");
        world.start();
        world.createPod("web-0");
        world.pass(MINUTE);

        ObjectNode pod = world.kube.pod("web-0").orElseThrow();
        assertThat(pod.path("status").path("reason").asString("")).isEqualTo("CloudNotReady");
        assertThat(pod.path("status").path("message").asString(""))
                .contains("cannot list the instance types offered")
                .contains("no answer");
        assertThat(world.cloud.launches()).isEmpty();

        world.faults.cutOff("nothing");
        world.until("it is ready", Duration.ofMinutes(3), () -> world.allReady(1));
        world.faults.cutOff("cloud offerings");
        world.pass(Duration.ofHours(2));
        world.createPod("web-1");
        world.until("what was known is used", MINUTE, () -> world.allReady(2));
    }

    @Test
    void without_the_right_to_ask_for_zones_and_spot_prices_pods_are_launched_all_the_same() {
        World world = new World();
        world.faults.cutOff("cloud zones");
        world.start();
        world.createPod("web-0");

        world.until("it is ready", Duration.ofMinutes(2), () -> world.allReady(1));
    }

    @Test
    void a_subnet_without_addresses_is_left_for_another_at_once() {
        World world = new World();
        world.cloud.zones("a", "b");
        world.cloud.refuseLaunches(request -> request.subnetId().equals(Optional.of("subnet-a"))
                ? Optional.of(new CloudError.SubnetFull("not enough free addresses in subnet-a"))
                : Optional.empty());
        world.start();
        for (int i = 0; i < 5; i++) {
            world.createPod("web-" + i);
        }

        world.until("all are ready", MINUTE, () -> world.allReady(5));

        assertThat(zones(world)).containsExactly(Map.entry("us-east-1b", 5L));
        assertThat(world.cloud.launches()).as("one was refused").hasSize(2);
    }
}
