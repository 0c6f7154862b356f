package dev.kip.controller.inventory;

import static dev.kip.controller.inventory.Samples.OURS;
import static dev.kip.controller.inventory.Samples.STANDING;
import static dev.kip.controller.inventory.Samples.cell;
import static dev.kip.controller.inventory.Samples.holdings;
import static dev.kip.controller.inventory.Samples.instance;
import static dev.kip.controller.inventory.Samples.ours;
import static dev.kip.controller.inventory.Samples.pod;
import static dev.kip.controller.inventory.Samples.proof;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.controller.inventory.Holdings.Gap;
import dev.kip.controller.inventory.Holdings.Source;
import dev.kip.controller.inventory.Row.Whose;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InventoryTest {

    @Test
    void a_cell_its_instance_and_its_pod_are_one_row() {
        ImmutableList<Row> rows = Inventory.of(holdings(
                ImmutableList.of(ours("i-1")),
                ImmutableList.of(cell("c-0", OURS, "i-1", "u")),
                ImmutableList.of(pod("u", "{'phase':'Running'}"))));

        assertThat(rows).hasSize(1);
        Row row = rows.get(0);
        assertThat(row.whose()).isEqualTo(Whose.OURS);
        assertThat(row.pod()).isEqualTo("default/web");
        assertThat(row.age()).contains(Duration.ofHours(3));
        assertThat(row.hourlyUsd()).contains(0.0052);
        assertThat(row.note()).isEmpty();
    }

    @Test
    void what_is_out_of_the_ordinary_is_noted() {
        assertThat(note(holdings(
                        ImmutableList.of(ours("i-1")),
                        ImmutableList.of(cell("c-0", OURS, "i-1", "u")),
                        ImmutableList.of())))
                .isEqualTo("its pod is gone: it is being ended");
        assertThat(note(holdings(
                        ImmutableList.of(), ImmutableList.of(cell("c-0", OURS, "i-1", "u")), ImmutableList.of())))
                .isEqualTo("EC2 does not know the instance");
        assertThat(note(holdings(ImmutableList.of(ours("i-1")), ImmutableList.of(), ImmutableList.of())))
                .isEqualTo("no Cell binds it: garbage collection looks at it");
        assertThat(note(holdings(
                        ImmutableList.of(instance("i-1", "another", InstanceState.RUNNING, proof("i-1"))),
                        ImmutableList.of(),
                        ImmutableList.of())))
                .contains("its MAC is not ours over its node and client token another");
    }

    @Test
    void without_keys_what_carries_our_id_is_unchecked_not_suspect() {
        Holdings holdings = holdings(
                ImmutableList.of(ours("i-1")),
                ImmutableList.of(),
                ImmutableList.of(),
                Optional.empty(),
                ImmutableList.of(new Gap(Source.KEYS, "no keys")));

        assertThat(Inventory.of(holdings)).extracting(Row::whose).containsExactly(Whose.UNCHECKED);
    }

    @Test
    void an_ended_instance_costs_nothing_and_is_shown_only_if_a_cell_names_it() {
        InstanceFacts ended = instance("i-1", "token-i-1", InstanceState.TERMINATED, ImmutableMap.of());

        assertThat(Inventory.of(holdings(ImmutableList.of(ended), ImmutableList.of(), ImmutableList.of())))
                .isEmpty();
        assertThat(Inventory.of(holdings(
                        ImmutableList.of(ended), ImmutableList.of(cell("c-0", OURS, "i-1", "u")), ImmutableList.of())))
                .extracting(Row::whose, Row::state, Row::costs)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(Whose.UNCHECKED, "terminated", false));
    }

    @Test
    void a_cloud_that_did_not_answer_makes_nothing_gone() {
        Holdings holdings = holdings(
                ImmutableList.of(),
                ImmutableList.of(cell("c-0", OURS, "i-1", "u")),
                ImmutableList.of(pod("u", "{'phase':'Running'}")),
                Optional.of(STANDING),
                ImmutableList.of(new Gap(Source.CLOUD, "EC2 is away")));

        assertThat(Inventory.of(holdings)).extracting(Row::state).containsExactly("unknown");
        assertThat(note(holdings)).isEmpty();
    }

    @Test
    void ages_and_prices_read_like_those_of_kubectl_and_of_a_bill() {
        assertThat(Texts.age(Duration.ofSeconds(119))).isEqualTo("119s");
        assertThat(Texts.age(Duration.ofMinutes(200))).isEqualTo("3h20m");
        assertThat(Texts.age(Duration.ofHours(75))).isEqualTo("3d3h");
        assertThat(Texts.age(Duration.ofDays(300))).isEqualTo("300d");
        assertThat(Texts.usd(0.0052)).isEqualTo("$0.0052");
        assertThat(Texts.usd(12)).isEqualTo("$12.00");
        assertThat(Texts.usd(0.1 + 0.2)).isEqualTo("$0.30");
        assertThat(Texts.hourlyAndMonthly(0.0104)).isEqualTo("$0.0104 an hour, $7.59 a month");
    }

    private static String note(Holdings holdings) {
        return Inventory.of(holdings).get(0).note();
    }
}
