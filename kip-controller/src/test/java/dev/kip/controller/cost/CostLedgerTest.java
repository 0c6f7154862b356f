package dev.kip.controller.cost;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.cells.Policy;
import dev.kip.controller.cost.CostLedger.Offer;
import dev.kip.controller.launch.Catalogue;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.world.Offerings;
import dev.kip.crd.Cell;
import dev.kip.crd.CellStatus;
import dev.kip.crd.ObjectMetadata;
import dev.kip.kube.ObjectRef;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CostLedgerTest {

    private static final Policy POLICY =
            new Policy("kip", "installation", 7, true, 6421, Optional.empty(), Timing.DEFAULTS);
    private static final Offer NANO = new Offer("t3.nano", Market.ON_DEMAND, "us-east-1a");
    private static final Offer LARGE = new Offer("m5.large", Market.ON_DEMAND, "us-east-1a");

    private final Map<String, Long> told = new TreeMap<>();
    private int unpriced;
    private int waiting;

    @Test
    void what_would_go_over_the_budget_is_refused_and_fits_once_something_has_gone() {
        CostLedger ledger = ledger(budget("0.011"));

        assertThat(reserve(ledger, "a", "one", NANO)).isEmpty();
        assertThat(reserve(ledger, "a", "two", NANO)).isEmpty();
        Problem refused = reserve(ledger, "a", "three", NANO).orElseThrow();

        assertThat(refused.reason()).isEqualTo("BudgetReached");
        assertThat(refused.message())
                .isEqualTo(
                        "another t3.nano ($0.0052 an hour) would take the cells over budget.hourlyUSD, which is $0.011"
                                + " an hour. It is launched when there is room: delete pods, or raise budget.hourlyUSD. kip cells"
                                + " lists what costs");
        assertThat(waiting).isOne();
        assertThat(ledger.totalMicros()).isEqualTo(10_400);

        gone(ledger, "one");

        assertThat(reserve(ledger, "a", "three", NANO)).isEmpty();
        assertThat(waiting).isZero();
    }

    @Test
    void a_namespace_has_a_ceiling_of_its_own() {
        CostLedger ledger = ledger(new BudgetSettings(Optional.empty(), ImmutableMap.of("a", new BigDecimal("0.006"))));

        assertThat(reserve(ledger, "a", "one", NANO)).isEmpty();
        assertThat(reserve(ledger, "a", "two", NANO).orElseThrow().message()).contains("budget.namespaces.a");
        assertThat(reserve(ledger, "b", "three", LARGE)).isEmpty();
    }

    @Test
    void what_has_no_price_cannot_be_held_to_a_budget() {
        Offer unknown = new Offer("x9.new", Market.ON_DEMAND, "us-east-1a");

        assertThat(reserve(ledger(budget("100")), "a", "one", unknown)
                        .orElseThrow()
                        .reason())
                .isEqualTo("PriceUnknown");
        assertThat(reserve(ledger(BudgetSettings.NONE), "a", "one", unknown)).isEmpty();
        assertThat(unpriced).isOne();
    }

    @Test
    void an_adopted_cell_counts_from_its_object_on_and_again_when_prices_are_known() {
        CostLedger ledger = new CostLedger(BudgetSettings.NONE, new Hears());

        bound(ledger, "one", "Spot");
        assertThat(told).containsEntry("a/spot", 0L);
        assertThat(unpriced).isOne();

        ledger.priced(catalogue(0.0052));

        assertThat(told).containsEntry("a/spot", 5200L).containsEntry("a:one", 5200L);
        assertThat(unpriced).isZero();
    }

    @Test
    void a_new_price_is_that_of_what_runs_too() {
        CostLedger ledger = ledger(BudgetSettings.NONE);
        reserve(ledger, "a", "one", NANO);
        reserve(ledger, "a", "two", NANO);

        ledger.priced(catalogue(0.01));

        assertThat(told).containsEntry("a/on-demand", 20_000L).containsEntry("a:two", 10_000L);
    }

    @Test
    void after_any_coming_and_going_the_sums_are_those_of_what_is_there() {
        Random random = new Random(11);
        CostLedger ledger = ledger(BudgetSettings.NONE);
        Map<String, Long> there = new TreeMap<>();
        for (int i = 0; i < 20_000; i++) {
            String pod = "p" + random.nextInt(700);
            if (there.remove(pod) != null) {
                gone(ledger, pod);
            } else {
                boolean nano = random.nextBoolean();
                reserve(ledger, "n" + pod.length(), pod, nano ? NANO : LARGE);
                there.put(pod, nano ? 5200L : 96_000L);
            }
            assertThat(ledger.totalMicros())
                    .as("seed 11, step %d", i)
                    .isEqualTo(
                            there.values().stream().mapToLong(Long::longValue).sum());
        }
        assertThat(told.keySet().stream().filter(key -> key.contains(":")).count())
                .as("pods told one by one")
                .isLessThanOrEqualTo(CostLedger.TOLD_PODS);

        there.keySet().forEach(pod -> gone(ledger, pod));

        assertThat(ledger.totalMicros()).isZero();
        assertThat(told).as("nothing is left behind").isEmpty();
    }

    private CostLedger ledger(BudgetSettings budget) {
        CostLedger ledger = new CostLedger(budget, new Hears());
        ledger.priced(catalogue(0.0052));
        return ledger;
    }

    private static BudgetSettings budget(String usd) {
        return new BudgetSettings(Optional.of(new BigDecimal(usd)), ImmutableMap.of());
    }

    private static Catalogue catalogue(double nano) {
        return Catalogue.of(
                ImmutableList.of(Offerings.of("t3.nano", 2, 512, nano), Offerings.of("m5.large", 2, 8192, 0.096)),
                ImmutableList.of(),
                ImmutableList.of(new SubnetFacts("subnet-a", "vpc-1", "10.0.0.0/16", "us-east-1a", 100, true)),
                ImmutableList.of(),
                Catalogue.Places.UNKNOWN);
    }

    private static Optional<Problem> reserve(CostLedger ledger, String namespace, String pod, Offer offer) {
        return ledger.reserve(pod, new ObjectRef(namespace, pod), offer);
    }

    private static void gone(CostLedger ledger, String pod) {
        CellFacts cell = CellFacts.of(pod);
        ledger.changed(cell, cell);
    }

    private static void bound(CostLedger ledger, String pod, String launchType) {
        CellFacts before = CellFacts.of(pod);
        Cell cell = new Cell(
                ObjectMetadata.named(pod + "-0"),
                new CellStatus(
                        pod,
                        "a",
                        "kip",
                        "installation",
                        launchType,
                        "t3.nano",
                        "i-1",
                        "10.0.0.1",
                        pod,
                        0,
                        7,
                        "launch-1",
                        "token"));
        ledger.changed(before, new CellFact.CellSeen(cell).after(before, POLICY, 0));
    }

    private final class Hears implements ControllerListener {

        @Override
        public void cost(String namespace, String market, OptionalLong micros) {
            tell(namespace + "/" + market, micros);
        }

        @Override
        public void podCost(String namespace, String pod, OptionalLong micros) {
            tell(namespace + ":" + pod, micros);
        }

        @Override
        public void unpriced(int cells) {
            unpriced = cells;
        }

        @Override
        public void overBudget(int pods) {
            waiting = pods;
        }

        private void tell(String key, OptionalLong micros) {
            if (micros.isPresent()) {
                told.put(key, micros.getAsLong());
            } else {
                told.remove(key);
            }
        }
    }
}
