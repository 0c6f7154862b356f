package dev.kip.controller.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.launch.Catalogue.Places;
import dev.kip.controller.launch.Catalogue.Pool;
import dev.kip.controller.launch.LaunchPlan.Choice;
import dev.kip.controller.world.Offerings;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** What users reported of choosing, and the rules that came of it. */
class ChoosingRulesTest {

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
    private final ImmutableList<Offering> usual = ImmutableList.of(
            Offerings.of("t3.nano", 2, 512, 0.0052),
            Offerings.of("t3.small", 2, 2048, 0.0208),
            Offerings.of("c5.large", 2, 4096, 0.085),
            Offerings.of("m5.large", 2, 8192, 0.096),
            gpu("p3.2xlarge", 1, "NVIDIA V100", 3.06),
            gpu("p3.8xlarge", 4, "NVIDIA V100", 12.24),
            gpu("g4dn.12xlarge", 4, "NVIDIA T4", 3.912));

    private static Offering gpu(String type, int gpus, String name, double usd) {
        return new Offering(type, "x86_64", 8, 65536, gpus, name, false, false, true, Optional.of(usd));
    }

    private static Catalogue catalogue(Iterable<Offering> offerings, Places places, String... zones) {
        ImmutableList.Builder<SubnetFacts> subnets = ImmutableList.builder();
        for (String zone : zones) {
            subnets.add(new SubnetFacts("subnet-" + zone, "vpc-1", "10.0.0.0/16", zone, 100, true));
        }
        return Catalogue.of(
                offerings,
                ImmutableList.of(new ImageFacts("ami-1", "kip", "x86_64", Instant.EPOCH, Optional.empty(), 2)),
                subnets.build(),
                ImmutableList.of("sg-1"),
                places);
    }

    private Choice choose(Catalogue catalogue, String pod) {
        return plan.choose(NeedsReader.read(JsonMapper.shared().readTree(pod)), catalogue, avoided, 0);
    }

    private String chosen(Catalogue catalogue, String pod) {
        Choice choice = choose(catalogue, pod);
        assertThat(choice).isInstanceOf(Choice.Launch.class);
        LaunchKey key = ((Choice.Launch) choice).key();
        return key.instanceType() + (key.market() == Market.SPOT ? " spot" : "");
    }

    private String refused(String pod) {
        Choice choice = choose(catalogue(usual, Places.UNKNOWN, "us-east-1a"), pod);
        assertThat(choice).isInstanceOf(Choice.NothingFits.class);
        return ((Choice.NothingFits) choice).problem().message();
    }

    private static String asking(String resources, String rest) {
        return "{\"spec\": {\"containers\": [{\"name\": \"a\", \"resources\": " + resources + "}]" + rest + "}}";
    }

    private static String affinity(String expressions) {
        return ", \"affinity\": {\"nodeAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\":"
                + " {\"nodeSelectorTerms\": [{\"matchExpressions\": [" + expressions + "]}]}}}";
    }

    private static final String SMALL = "{\"requests\": {\"cpu\": \"100m\", \"memory\": \"256Mi\"}}";

    @Test
    void burstable_types_are_chosen_only_when_they_are_asked_for() {
        Catalogue catalogue = catalogue(usual, Places.UNKNOWN, "us-east-1a");
        assertThat(chosen(catalogue, asking(SMALL, ""))).isEqualTo("c5.large");
        assertThat(chosen(
                        catalogue,
                        asking(SMALL, ", \"nodeSelector\": {\"karpenter.k8s.aws/instance-family\": \"t3\"}")))
                .isEqualTo("t3.nano");
        assertThat(chosen(catalogue, asking("{}", ""))).as("the default type").isEqualTo("t3.nano");
    }

    /** SEL-01, elotl/kip#214; SEL-02, kubernetes-sigs/karpenter#2275. */
    @Test
    void what_has_no_room_is_passed_over_for_the_next_cheapest_until_the_mark_expires() {
        Catalogue catalogue = catalogue(usual, Places.UNKNOWN, "us-east-1a", "us-east-1b");
        for (int i = 0; i < 2; i++) {
            Choice.Launch launch = (Choice.Launch) choose(catalogue, asking(SMALL, ""));
            assertThat(launch.key().instanceType()).isEqualTo("c5.large");
            avoided.avoid(launch.key(), 0, Duration.ofMinutes(3));
        }
        assertThat(chosen(catalogue, asking(SMALL, ""))).isEqualTo("m5.large");
        assertThat(plan.choose(
                        NeedsReader.read(JsonMapper.shared().readTree(asking(SMALL, ""))),
                        catalogue,
                        avoided,
                        Duration.ofMinutes(4).toNanos()))
                .extracting(choice -> ((Choice.Launch) choice).key().instanceType())
                .isEqualTo("c5.large");
    }

    /** SEL-06, aws/karpenter-provider-aws#7845. */
    @Test
    void what_is_offered_twice_is_a_candidate_once() {
        ImmutableList<Offering> twice =
                ImmutableList.<Offering>builder().addAll(usual).addAll(usual).build();
        assertThat(catalogue(twice, Places.UNKNOWN, "us-east-1a").candidates()).doesNotHaveDuplicates();
    }

    /** SEL-08, aws/karpenter-provider-aws#6611. */
    @Test
    void the_cell_s_own_memory_grows_with_the_type_and_neither_wastes_large_ones_nor_overfills_small_ones() {
        Catalogue catalogue = catalogue(
                ImmutableList.of(
                        Offerings.of("t3.nano", 2, 512, 0.0052),
                        Offerings.of("i4i.32xlarge", 128, 1048576, 10.98),
                        Offerings.of("x2.huge", 128, 2097152, 20)),
                Places.UNKNOWN,
                "us-east-1a");
        assertThat(chosen(catalogue, asking("{\"requests\": {\"memory\": \"963816Mi\"}}", "")))
                .isEqualTo("i4i.32xlarge");
        assertThat(chosen(
                        catalogue,
                        "{\"metadata\": {\"annotations\": {\"pod.elotl.co/instance-type\": \"t3.*\"}}, "
                                + asking("{\"requests\": {\"memory\": \"200Mi\"}}", "")
                                        .substring(1)))
                .isEqualTo("t3.nano");
        assertThat(chosen(catalogue, asking("{\"requests\": {\"memory\": \"480Mi\"}}", "")))
                .isEqualTo("i4i.32xlarge");
    }

    /** SEL-09, aws/karpenter-provider-aws#4923. */
    @Test
    void spot_is_taken_only_where_it_is_cheaper_if_both_markets_are_allowed() {
        String both = asking(
                SMALL,
                affinity("{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"spot\","
                        + " \"on-demand\"]}"));
        assertThat(chosen(catalogue(usual, spot(0.091), "us-east-1a"), both)).isEqualTo("c5.large");
        assertThat(chosen(catalogue(usual, spot(0.03), "us-east-1a"), both)).isEqualTo("c5.large spot");
        assertThat(chosen(catalogue(usual, spot(0.03), "us-east-1a"), asking(SMALL, "")))
                .as("a pod that does not speak of spot gets none")
                .isEqualTo("c5.large");
    }

    private static Places spot(double usd) {
        return new Places(ImmutableSetMultimap.of(), ImmutableMap.of(new Pool("c5.large", "us-east-1a"), usd));
    }

    /** SEL-10, keikoproj/minion-manager#10. */
    @Test
    void a_price_of_nothing_is_none() {
        for (double usd : new double[] {0, -1, Double.NaN}) {
            Catalogue catalogue = catalogue(
                    ImmutableList.of(Offerings.of("c5.large", 2, 4096, usd), Offerings.of("m5.large", 2, 8192, 0.096)),
                    spot(0),
                    "us-east-1a");
            assertThat(chosen(catalogue, asking(SMALL, ""))).isEqualTo("m5.large");
        }
    }

    /** SEL-14, elotl/kip#116. */
    @Test
    void the_kind_of_gpu_is_part_of_what_is_asked_for() {
        Catalogue catalogue = catalogue(usual, Places.UNKNOWN, "us-east-1a");
        String v100 = ", \"nodeSelector\": {\"accelerator\": \"nvidia-tesla-v100\"}";
        assertThat(chosen(catalogue, asking("{\"limits\": {\"nvidia.com/gpu\": 2}}", "")))
                .isEqualTo("g4dn.12xlarge");
        assertThat(chosen(catalogue, asking("{\"limits\": {\"nvidia.com/gpu\": 2}}", v100)))
                .isEqualTo("p3.8xlarge");
        assertThat(chosen(catalogue, asking("{\"limits\": {\"nvidia.com/gpu\": 0}}", v100)))
                .as("a request for none is none")
                .isEqualTo("t3.nano");
        assertThat(refused(asking("{\"limits\": {\"nvidia.com/gpu\": 16}}", v100)))
                .contains("16 GPUs of kind nvidia-tesla-v100");
        assertThat(refused(asking(
                        "{\"limits\": {\"nvidia.com/gpu\": 1}}",
                        ", \"nodeSelector\": {\"node.elotl.co/gpu-h9000\": \"\"}")))
                .contains("of kind h9000");
    }

    /** SEL-15, kubernetes-sigs/provider-aws-test-infra#354. */
    @Test
    void a_zone_that_lacks_the_type_is_no_candidate_nor_is_an_opt_in_zone_unless_it_is_named() {
        Places places = new Places(
                ImmutableSetMultimap.of("c5.large", "us-east-1-bos-1a", "m5.large", "us-east-1b"), ImmutableMap.of());
        Catalogue catalogue = catalogue(usual, places, "us-east-1a", "us-east-1b", "us-east-1-bos-1a");
        assertThat(chosen(catalogue, asking(SMALL, ""))).isEqualTo("m5.large");
        assertThat(chosen(
                        catalogue,
                        asking(SMALL, ", \"nodeSelector\": {\"topology.kubernetes.io/zone\": \"us-east-1-bos-1a\"}")))
                .isEqualTo("c5.large");
    }

    /** SEL-16, virtual-kubelet/azure-aci#17; SEL-17, virtual-kubelet/virtual-kubelet#143. */
    @Test
    void limits_and_requests_stand_for_one_another_and_refuse_no_valid_pod() {
        Catalogue catalogue = catalogue(usual, Places.UNKNOWN, "us-east-1a");
        assertThat(chosen(
                        catalogue,
                        asking(
                                "{\"requests\": {\"cpu\": \"1.2\", \"memory\": \"0.9G\"}, \"limits\": {\"cpu\": \"1.5\"}}",
                                "")))
                .isEqualTo("c5.large");
        assertThat(chosen(catalogue, asking("{\"requests\": {\"cpu\": \"2\", \"memory\": \"4G\"}}", "")))
                .isEqualTo("m5.large");
        assertThat(chosen(catalogue, asking("{\"limits\": {\"memory\": \"5G\"}}", "")))
                .isEqualTo("m5.large");
    }

    @Test
    void every_operator_of_a_node_affinity_counts() {
        Catalogue catalogue = catalogue(usual, Places.UNKNOWN, "us-east-1a");
        String memory = "{\"key\": \"karpenter.k8s.aws/instance-memory\", \"operator\": ";
        assertThat(chosen(catalogue, asking(SMALL, affinity(memory + "\"Gt\", \"values\": [\"4096\"]}"))))
                .isEqualTo("m5.large");
        assertThat(chosen(
                        catalogue,
                        asking(
                                SMALL,
                                affinity("{\"key\": \"node.kubernetes.io/instance-type\", \"operator\": \"NotIn\","
                                        + " \"values\": [\"c5.large\"]}"))))
                .isEqualTo("m5.large");
        assertThat(chosen(
                        catalogue,
                        asking(SMALL, affinity("{\"key\": \"team.example.com/name\", \"operator\": \"Exists\"}"))))
                .as("the virtual node's own labels were judged by the scheduler")
                .isEqualTo("c5.large");
        assertThat(refused(asking(SMALL, affinity(memory + "\"Lt\", \"values\": [\"3000\"]}"))))
                .as("t3.small is burstable and not named")
                .contains("karpenter.k8s.aws/instance-memory Lt 3000");
        assertThat(refused(asking(SMALL, affinity(memory + "\"Near\", \"values\": [\"3000\"]}"))))
                .contains("\"Near\" is no operator");
    }

    @Test
    void resources_of_the_pod_as_a_whole_stand_for_those_of_its_containers() {
        Catalogue catalogue = catalogue(usual, Places.UNKNOWN, "us-east-1a");
        assertThat(chosen(catalogue, asking(SMALL, ", \"resources\": {\"limits\": {\"memory\": \"5Gi\"}}")))
                .isEqualTo("m5.large");
    }

    @Test
    void annotations_of_the_original_that_are_not_carried_out_are_refused_by_name() {
        for (String key : new String[] {"cloud-route", "security-groups", "instance-profile"}) {
            assertThat(refused(
                            "{\"metadata\": {\"annotations\": {\"pod.elotl.co/" + key + "\": \"x\"}}, \"spec\": {}}"))
                    .contains("pod.elotl.co/" + key);
        }
    }

    /** SEL-04, kubernetes-sigs/karpenter#3198. */
    @Test
    void a_market_that_is_full_everywhere_is_tried_thirty_times_a_minute_and_no_more() {
        ImmutableList.Builder<Offering> many = ImmutableList.builder();
        for (int i = 0; i < 100; i++) {
            many.add(Offerings.of("m" + i + ".large", 2, 8192, 0.1 + i / 1000.0));
        }
        Catalogue catalogue = catalogue(many.build(), Places.UNKNOWN, "us-east-1a", "us-east-1b", "us-east-1c");
        PodNeeds needs = NeedsReader.read(JsonMapper.shared().readTree(asking(SMALL, "")));
        PodNeeds spot = NeedsReader.read(JsonMapper.shared()
                .readTree(asking(SMALL, ", \"nodeSelector\": {\"karpenter.sh/capacity-type\": \"spot\"}")));
        int calls = 0;
        for (int second = 0; second < 600; second++) {
            long now = Duration.ofSeconds(second).toNanos();
            while (plan.choose(needs, catalogue, avoided, now) instanceof Choice.Launch launch) {
                avoided.avoid(launch.key(), now, Duration.ofMinutes(3));
                calls++;
            }
            assertThat(plan.choose(spot, catalogue, avoided, now))
                    .as("the other market, second %d", second)
                    .isInstanceOf(Choice.Launch.class);
        }
        assertThat(calls).isBetween(100, 10 * Avoided.SHORTAGE);
    }

    @Test
    void the_ranking_says_what_is_tried_in_which_order_and_why_not_the_rest() {
        Ranking ranking = plan.rank(
                NeedsReader.read(JsonMapper.shared().readTree(asking("{\"requests\": {\"memory\": \"5Gi\"}}", ""))),
                catalogue(usual, Places.UNKNOWN, "us-east-1a"));
        assertThat(ranking.fitting())
                .extracting(candidate -> candidate.offering().type())
                .containsExactly("m5.large", "p3.2xlarge", "g4dn.12xlarge", "p3.8xlarge");
        assertThat(ranking.leftOut().asMap())
                .containsExactly(
                        java.util.Map.entry(Exclusion.MEMORY, ImmutableList.of("c5.large", "t3.nano", "t3.small")));
        assertThat(ranking.places())
                .extracting(
                        place -> place.type() + " " + place.market() + " " + place.zone() + ": " + place.exclusion())
                .containsExactly(
                        "m5.large SPOT us-east-1a: MARKET",
                        "p3.2xlarge SPOT us-east-1a: MARKET",
                        "g4dn.12xlarge SPOT us-east-1a: MARKET",
                        "p3.8xlarge SPOT us-east-1a: MARKET");
    }

    @Test
    void the_ranking_says_which_zones_and_markets_of_a_type_are_left_out_and_why() {
        Places places = new Places(
                ImmutableSetMultimap.of("m5.large", "us-east-1a", "m5.large", "us-east-1b"),
                ImmutableMap.of(new Pool("m5.large", "us-east-1b"), 0.2));
        Ranking ranking = plan.rank(
                NeedsReader.read(JsonMapper.shared()
                        .readTree(asking(
                                SMALL,
                                affinity("{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"Exists\"},"
                                        + "{\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"NotIn\", \"values\":"
                                        + " [\"us-east-1a\"]}")))),
                catalogue(usual, places, "us-east-1a", "us-east-1b", "us-east-1c"));

        assertThat(ranking.fitting())
                .extracting(candidate ->
                        candidate.market() + " " + candidate.subnet().zone())
                .containsExactly("ON_DEMAND us-east-1b");
        assertThat(ranking.places())
                .extracting(place -> place.market() + " " + place.zone() + ": " + place.exclusion())
                .containsExactly(
                        "ON_DEMAND us-east-1a: SELECTION",
                        "SPOT us-east-1a: SELECTION",
                        "SPOT us-east-1b: DEARER_SPOT",
                        "ON_DEMAND us-east-1c: NOT_IN_ZONE",
                        "SPOT us-east-1c: NOT_IN_ZONE");
    }
}
