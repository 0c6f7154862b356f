package dev.kip.controller.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.launch.Catalogue.Places;
import dev.kip.controller.launch.LaunchPlan.Choice;
import dev.kip.controller.world.Offerings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Topology spread over zones, pod after pod. */
class SpreadTest {

    private static final ImmutableList<String> ZONES = ImmutableList.of("us-east-1a", "us-east-1b", "us-east-1c");

    private final LaunchPlan plan = new LaunchPlan(new LaunchSettings(
            "us-east-1",
            Optional.empty(),
            Optional.empty(),
            ImmutableMap.of(),
            "t3.nano",
            false,
            5,
            false,
            ImmutableList.of(),
            ImmutableList.of(),
            Optional.empty(),
            Optional.empty()));
    private final Avoided avoided = new Avoided();
    private final ZoneLedger ledger = new ZoneLedger();
    private final Map<String, String> zoneOf = new TreeMap<>();
    private Catalogue catalogue = catalogue(ZONES, Offerings.of("c5.large", 2, 4096, 0.085));

    private static Catalogue catalogue(List<String> zones, Offering... offerings) {
        return Catalogue.of(
                ImmutableList.copyOf(offerings),
                ImmutableList.of(new ImageFacts("ami-1", "kip", "x86_64", Instant.EPOCH, Optional.empty(), 2)),
                zones.stream()
                        .map(zone -> new SubnetFacts("subnet-" + zone, "vpc-1", "10.0.0.0/16", zone, 100, true))
                        .toList(),
                ImmutableList.of("sg-1"),
                Places.UNKNOWN);
    }

    private static String pod(String app, String constraint, String rest) {
        return "{\"metadata\": {\"namespace\": \"default\", \"labels\": {\"app\": \"" + app + "\", \"hash\": \"1\"}},"
                + " \"spec\": {\"containers\": [{\"name\": \"a\", \"resources\": {\"requests\": {\"cpu\": \"1\"}}}],"
                + " \"topologySpreadConstraints\": [{\"topologyKey\": \"topology.kubernetes.io/zone\", " + constraint
                + "}]" + rest + "}}";
    }

    private static String like(String app) {
        return "\"labelSelector\": {\"matchLabels\": {\"app\": \"" + app + "\"}}";
    }

    private Choice choose(String namespace, String pod) {
        PodNeeds needs = NeedsReader.read(JsonMapper.shared().readTree(pod));
        return plan.choose(
                needs,
                catalogue,
                avoided,
                0,
                (domains, wishes) -> ledger.allowed(namespace, needs.spread(), domains, wishes));
    }

    private String launch(String uid, String namespace, String pod) {
        ledger.remove(uid);
        Choice choice = choose(namespace, pod);
        if (!(choice instanceof Choice.Launch launch)) {
            return choice.getClass().getSimpleName();
        }
        String zone = launch.key().subnetId().substring("subnet-".length());
        ledger.place(
                uid,
                namespace,
                NeedsReader.read(JsonMapper.shared().readTree(pod)).spread().labels(),
                zone);
        zoneOf.put(uid, zone);
        return zone;
    }

    private List<String> launchAll(int count, String prefix, String pod) {
        List<String> zones = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            zones.add(launch(prefix + i, "default", pod));
        }
        return zones;
    }

    private static String hard(String app) {
        return "\"maxSkew\": 1, \"whenUnsatisfiable\": \"DoNotSchedule\", " + like(app);
    }

    private static String soft(String app) {
        return "\"maxSkew\": 1, \"whenUnsatisfiable\": \"ScheduleAnyway\", " + like(app);
    }

    @Test
    void a_burst_is_spread_though_none_of_it_is_launched_yet() {
        assertThat(launchAll(9, "web-", pod("web", hard("web"), "")))
                .containsExactly(
                        "us-east-1a",
                        "us-east-1b",
                        "us-east-1c",
                        "us-east-1a",
                        "us-east-1b",
                        "us-east-1c",
                        "us-east-1a",
                        "us-east-1b",
                        "us-east-1c");
    }

    @Test
    void a_zone_that_has_no_room_stops_what_must_be_spread_and_not_what_should_be() {
        Choice.Launch first = (Choice.Launch) choose("default", pod("web", hard("web"), ""));
        avoided.avoid(first.key(), 0, Duration.ofMinutes(3));

        assertThat(launchAll(3, "web-", pod("web", hard("web"), "")))
                .containsExactly("us-east-1b", "us-east-1c", "NoRoom");
        assertThat(launchAll(4, "soft-", pod("soft", soft("soft"), "")))
                .containsExactly("us-east-1b", "us-east-1c", "us-east-1b", "us-east-1b");
        assertThat(choose("default", pod("web", hard("web"), "")))
                .isInstanceOfSatisfying(
                        Choice.NoRoom.class,
                        noRoom -> assertThat(noRoom.problem().message())
                                .contains("in us-east-1a, where the pod's like are to be spread to")
                                .contains("app In web"));
    }

    @Test
    void only_the_pods_of_the_namespace_that_the_selector_names_count() {
        launchAll(1, "web-", pod("web", hard("web"), ""));

        assertThat(launch("other", "default", pod("other", hard("other"), ""))).isEqualTo("us-east-1a");
        assertThat(launch("elsewhere", "elsewhere", pod("web", hard("web"), "")))
                .isEqualTo("us-east-1a");
        assertThat(launch("web-again", "default", pod("web", hard("web"), ""))).isEqualTo("us-east-1b");
    }

    @Test
    void a_pod_that_is_over_counts_no_more_and_one_whose_instance_came_elsewhere_counts_there() {
        launchAll(3, "web-", pod("web", hard("web"), ""));
        ledger.remove("web-1");
        assertThat(launch("web-3", "default", pod("web", hard("web"), ""))).isEqualTo("us-east-1b");
        ledger.place("web-3", "default", ImmutableMap.of("app", "web"), "us-east-1c");

        assertThat(launch("web-4", "default", pod("web", hard("web"), ""))).isEqualTo("us-east-1b");
    }

    @Test
    void zones_that_the_pod_may_not_be_in_are_no_domains() {
        String not = ", \"affinity\": {\"nodeAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\":"
                + " {\"nodeSelectorTerms\": [{\"matchExpressions\": [{\"key\": \"topology.kubernetes.io/zone\","
                + " \"operator\": \"NotIn\", \"values\": [\"us-east-1a\"]}]}]}}}";

        assertThat(launchAll(4, "web-", pod("web", hard("web"), not)))
                .containsExactly("us-east-1b", "us-east-1c", "us-east-1b", "us-east-1c");
    }

    @Test
    void with_fewer_zones_than_minDomains_the_skew_is_counted_from_nothing() {
        catalogue = catalogue(ZONES.subList(0, 2), Offerings.of("c5.large", 2, 4096, 0.085));
        String three = "\"minDomains\": 3, " + hard("web");

        assertThat(launchAll(3, "web-", pod("web", three, ""))).containsExactly("us-east-1a", "us-east-1b", "NoRoom");
    }

    @Test
    void matchLabelKeys_count_the_pods_of_one_rollout_only() {
        String rollout = "\"matchLabelKeys\": [\"hash\"], " + hard("web");
        launchAll(1, "web-", pod("web", rollout, ""));

        assertThat(launch("new", "default", pod("web", rollout, "").replace("\"hash\": \"1\"", "\"hash\": \"2\"")))
                .isEqualTo("us-east-1a");
        assertThat(launch("same", "default", pod("web", rollout, ""))).isEqualTo("us-east-1b");
    }

    @Test
    void a_dearer_zone_is_taken_for_the_sake_of_the_spread_and_the_cheapest_type_in_it() {
        catalogue = Catalogue.of(
                ImmutableList.of(Offerings.of("c5.large", 2, 4096, 0.085), Offerings.of("m5.large", 2, 8192, 0.096)),
                catalogue.images().values(),
                catalogue.subnets(),
                ImmutableList.of(),
                new Places(
                        com.google.common.collect.ImmutableSetMultimap.of(
                                "c5.large", "us-east-1a", "m5.large", "us-east-1a", "m5.large", "us-east-1b"),
                        ImmutableMap.of()));

        assertThat(launchAll(3, "web-", pod("web", hard("web"), "")))
                .containsExactly("us-east-1a", "us-east-1b", "us-east-1a");
    }

    @Test
    void an_operator_that_is_none_is_refused() {
        PodNeeds needs = NeedsReader.read(JsonMapper.shared()
                .readTree(pod(
                        "web",
                        "\"labelSelector\": {\"matchExpressions\": [{\"key\": \"app\", \"operator\": \"Gt\"}]}",
                        "")));

        assertThat(needs.problem().orElseThrow().reason()).isEqualTo("InvalidTopologySpread");
    }

    /** Whatever comes and goes, no launch makes the skew larger than what is allowed, by a count that keeps nothing. */
    @Test
    void no_launch_ever_exceeds_the_skew_whatever_came_and_went() {
        Random random = new Random(5);
        String pod = pod("web", hard("web").replace("\"maxSkew\": 1", "\"maxSkew\": 2"), "");
        for (int step = 0; step < 2_000; step++) {
            String uid = "web-" + random.nextInt(60);
            if (random.nextInt(3) == 0) {
                ledger.remove(uid);
                zoneOf.remove(uid);
            } else if (!zoneOf.containsKey(uid)) {
                String zone = launch(uid, "default", pod);
                long here = zoneOf.values().stream().filter(zone::equals).count();
                long least = ZONES.stream()
                        .mapToLong(other ->
                                zoneOf.values().stream().filter(other::equals).count())
                        .min()
                        .orElseThrow();
                long leastBefore = ZONES.stream()
                        .mapToLong(other ->
                                zoneOf.values().stream().filter(other::equals).count() - (other.equals(zone) ? 1 : 0))
                        .min()
                        .orElseThrow();
                assertThat(here - leastBefore).as("step %d", step).isLessThanOrEqualTo(2);
                assertThat(least).isGreaterThanOrEqualTo(leastBefore);
            }
        }
    }
}
