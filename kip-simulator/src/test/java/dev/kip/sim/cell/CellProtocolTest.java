package dev.kip.sim.cell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.bundle.PodBundle;
import dev.kip.cell.CellAddress;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.Identity;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cell.wire.Wire;
import dev.kip.http.HttpService;
import dev.kip.outcome.Outcome;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.kernel.SimProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CellProtocolTest {

    private static final String ONE = "{'containers':[{'name':'a','image':'nginx'}]}";
    private static final Duration WAIT = Duration.ofSeconds(20);

    private final CellWorld world = new CellWorld();

    @Test
    void a_booted_cell_is_inert_and_knows_the_epoch_of_its_user_data() {
        CellReport report = world.report(world.api.watch(CellWorld.CELL, 0, WAIT));

        assertThat(report.pod()).isEmpty();
        assertThat(report.highestEpoch()).isEqualTo(CellWorld.MINIMUM_EPOCH);
        assertThat(report.sequence()).isPositive();
    }

    @Test
    void nothing_answers_before_the_cell_has_booted() {
        CellAddress later = new CellAddress("i-2", "10.0.0.2", Wire.PORT);

        assertThat(world.error(world.api.watch(later, 0, WAIT))).isInstanceOf(CellError.Unreachable.class);
    }

    @Test
    void a_long_poll_is_answered_by_the_next_change_or_after_the_wait() {
        CellReport first = world.report(world.api.watch(CellWorld.CELL, 0, WAIT));
        Duration asked = world.kernel.elapsed();

        CellReport same = world.report(world.api.watch(CellWorld.CELL, first.sequence(), WAIT));

        assertThat(same).isEqualTo(first);
        assertThat(world.kernel.elapsed().minus(asked)).isBetween(WAIT, WAIT.plusSeconds(1));
        var pending = world.api.watch(CellWorld.CELL, first.sequence(), WAIT);
        world.grant(ONE);
        assertThat(world.report(pending).sequence()).isGreaterThan(first.sequence());
    }

    @Test
    void a_lower_epoch_is_refused_and_told_the_higher_one() {
        world.report(world.api.grant(CellWorld.CELL, grant(9, "u-1", 0)));

        assertThat(world.error(world.api.end(CellWorld.CELL, new EndOrder(8, "u-1", Duration.ZERO))))
                .isInstanceOfSatisfying(
                        CellError.Fenced.class,
                        fenced -> assertThat(fenced.highestEpoch()).isEqualTo(9));
    }

    @Test
    void the_lowest_epoch_is_that_of_the_user_data() {
        assertThat(world.error(world.api.grant(CellWorld.CELL, grant(2, "u-1", 0))))
                .isInstanceOf(CellError.Fenced.class);
    }

    @Test
    void a_cell_takes_one_grant_in_its_life() {
        world.report(world.api.grant(CellWorld.CELL, grant(3, "u-1", 0)));

        assertThat(world.error(world.api.grant(CellWorld.CELL, grant(3, "u-1", 1))))
                .isInstanceOf(CellError.Refused.class);
        assertThat(world.report(world.api.grant(CellWorld.CELL, grant(3, "u-1", 0)))
                        .pod())
                .isPresent();
        assertThat(world.truth.grants()).hasSize(1);
    }

    @Test
    void a_granted_pod_is_named_as_its_kubelet_knows_it() {
        assertThat(world.report(world.api.watch(CellWorld.CELL, 0, WAIT)).kubelet())
                .isEmpty();

        CellReport granted = world.report(world.api.grant(CellWorld.CELL, grant(3, "u-1", 0)));

        assertThat(granted.kubelet().orElseThrow().port()).isEqualTo(Wire.KUBELET_PORT);
        assertThat(granted.kubelet().orElseThrow().podName()).endsWith("-" + CellWorld.CELL.instanceId());
    }

    @Test
    void an_end_for_another_pod_is_refused() {
        world.grant(ONE);

        assertThat(world.error(world.api.end(CellWorld.CELL, new EndOrder(3, "u-2", Duration.ZERO))))
                .isInstanceOf(CellError.Refused.class);
    }

    @Test
    void a_manifest_that_kubelet_would_refuse_is_refused_and_nothing_is_granted() {
        PodBundle bundle = CellWorld.raw(
                "{'apiVersion':'v1','kind':'Pod','metadata':{'uid':'u-1','name':'web','namespace':'shop'},"
                        + "'spec':{'hostname':'web','serviceAccountName':'x','containers':[{'name':'a','image':'i'}]}}");

        CellError error = world.error(world.api.grant(CellWorld.CELL, new Grant(3, "u-1", 0, bundle)));

        assertThat(error).isInstanceOf(CellError.Refused.class);
        assertThat(error.message()).contains("static pods may not reference serviceaccounts");
        assertThat(world.truth.grants()).isEmpty();
    }

    @Test
    void a_later_controller_of_the_installation_goes_on_with_a_granted_cell() {
        world.grant(ONE);
        InstallationKeys reread = InstallationKeys.fromSecretData(world.keys.toSecretData());

        assertThat(world.report(world.controller(reread).watch(CellWorld.CELL, 0, WAIT))
                        .pod())
                .isPresent();
    }

    @Test
    void another_installation_gets_nowhere_with_the_cell() {
        InstallationKeys other = InstallationKeys.create(world.kernel.entropy("others"), CellWorld.EPOCH);

        assertThat(world.error(world.controller(other).grant(CellWorld.CELL, grant(9, "u-9", 0))))
                .isInstanceOf(CellError.NotThatCell.class);
        assertThat(world.truth.grants()).isEmpty();
    }

    @Test
    void another_cell_at_the_address_is_noticed_and_gets_nothing() {
        world.report(world.api.watch(CellWorld.CELL, 0, WAIT));
        world.cells.ended("i-1");
        world.boot("i-2", "10.0.0.1");

        assertThat(world.error(world.api.grant(CellWorld.CELL, grant(3, "u-1", 0))))
                .isInstanceOf(CellError.NotThatCell.class);
        CellAddress other = new CellAddress("i-2", "10.0.0.1", Wire.PORT);
        assertThat(world.report(world.api.watch(other, 0, WAIT)).instanceId()).isEqualTo("i-2");
        assertThat(world.truth.grants()).isEmpty();
    }

    @Test
    void a_relay_with_its_own_certificate_is_noticed() {
        HttpService cell = world.cells.cell("i-1").orElseThrow();
        impostor(cell);

        assertThat(world.error(world.api.grant(CellWorld.CELL, grant(3, "u-1", 0))))
                .isInstanceOfSatisfying(
                        CellError.NotThatCell.class,
                        error -> assertThat(error.message()).contains("another certificate"));
        assertThat(world.truth.grants()).isEmpty();
    }

    @Test
    void a_proof_recorded_earlier_is_worth_nothing() {
        Identity recorded = Identity.prove(
                world.keys.enrolmentSecret("template-1", 3),
                Identity.By.ENROLMENT,
                "00000000000000000000000000000000",
                "i-1",
                "f0",
                "template-1",
                3);
        impostor(call -> call.respond(200, ImmutableMap.of(), Wire.encode(recorded)));

        assertThat(world.error(world.api.grant(CellWorld.CELL, grant(3, "u-1", 0))))
                .isInstanceOf(CellError.NotThatCell.class);
    }

    @Test
    void once_granted_a_cell_is_not_believed_by_the_secret_of_its_template() {
        world.grant(ONE);
        impostor(call -> call.respond(
                200,
                ImmutableMap.of(),
                Wire.encode(Identity.prove(
                        world.keys.enrolmentSecret("template-1", 3),
                        Identity.By.ENROLMENT,
                        call.parameter(Wire.NONCE).orElse(""),
                        "i-1",
                        "f0",
                        "template-1",
                        3))));

        world.error(world.api.watch(CellWorld.CELL, 0, Duration.ZERO)); // the certificate is another
        assertThat(world.error(world.api.watch(CellWorld.CELL, 0, Duration.ZERO))
                        .message())
                .contains("does not know the secret that came with its grant");
    }

    @Test
    void a_cut_cell_comes_back_with_its_grant_and_a_higher_sequence() {
        world.report(world.api.grant(CellWorld.CELL, grant(9, "u-1", 0)));
        CellReport before = world.report(world.api.watch(CellWorld.CELL, 0, Duration.ZERO));

        world.cells.reboot("i-1");
        world.kernel.runFor(Duration.ofSeconds(5));

        CellReport after = world.report(world.api.watch(CellWorld.CELL, before.sequence(), WAIT));
        assertThat(after.sequence()).isGreaterThan(before.sequence());
        assertThat(after.highestEpoch()).isEqualTo(9);
        assertThat(after.pod().orElseThrow().uid()).isEqualTo("u-1");
        assertThat(world.truth.violations()).isEmpty();
    }

    @Test
    void an_order_whose_answer_was_lost_has_had_its_effect_and_can_be_given_again() {
        world.report(world.api.watch(CellWorld.CELL, 0, Duration.ZERO));
        world.network.faults(call -> call.mutating() ? Fate.REPLY_LOST : Fate.ARRIVES);

        assertThat(world.error(world.api.grant(CellWorld.CELL, grant(3, "u-1", 0))))
                .isInstanceOf(CellError.Unreachable.class);

        world.network.faults(call -> Fate.ARRIVES);
        assertThat(world.report(world.api.grant(CellWorld.CELL, grant(3, "u-1", 0)))
                        .pod())
                .isPresent();
        assertThat(world.truth.grants()).hasSize(1);
    }

    @Test
    void of_many_cells_a_few_are_asked_at_a_time_and_all_are_answered() {
        List<Outcome<CellReport, CellError>> answers = new ArrayList<>();
        for (int i = 2; i <= 200; i++) {
            world.cells.started("i-" + i, "10.0.1." + i, world.userData());
        }
        world.kernel.runFor(Duration.ofSeconds(2));

        for (int i = 2; i <= 200; i++) {
            world.api
                    .watch(new CellAddress("i-" + i, "10.0.1." + i, Wire.PORT), 0, WAIT)
                    .thenAccept(answers::add);
        }
        assertThat(asked()).isEqualTo(32);
        world.kernel.runFor(Duration.ofSeconds(1));

        assertThat(asked()).isEqualTo(199);
        assertThat(answers).hasSize(199).allMatch(answer -> answer.value().isPresent());
    }

    private long asked() {
        return world.network.counts().entrySet().stream()
                .filter(count -> count.getKey().action().endsWith(Wire.IDENTITY))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    @Test
    void silence_ends_at_the_deadline() {
        world.report(world.api.watch(CellWorld.CELL, 0, Duration.ZERO));
        world.network.faults(call -> Fate.SILENCE);
        Duration asked = world.kernel.elapsed();

        assertThat(world.error(world.api.watch(CellWorld.CELL, 1, WAIT))).isInstanceOf(CellError.Unreachable.class);
        assertThat(world.kernel.elapsed().minus(asked)).isEqualTo(WAIT.plusSeconds(10));
    }

    private static Grant grant(long epoch, String podUid, int attempt) {
        return new Grant(epoch, podUid, attempt, CellWorld.bundle(1, ONE));
    }

    private void impostor(HttpService service) {
        SimProcess process = new SimProcess(world.kernel, "impostor");
        world.network.listen("10.0.0.1", Wire.PORT, "impostor", process, service, "f0");
    }
}
