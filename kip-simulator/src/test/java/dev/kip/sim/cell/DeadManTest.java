package dev.kip.sim.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.cell.CellAddress;
import dev.kip.cell.CellError;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What no living controller claims ends by itself. */
class DeadManTest {

    private static final CellAddress SECOND = new CellAddress("i-2", "10.0.0.2", Wire.PORT);
    private static final Grant GRANT = new Grant(
            CellWorld.MINIMUM_EPOCH, "u-1", 0, CellWorld.bundle(1, "{'containers':[{'name':'main','image':'nginx'}]}"));
    private static final Optional<Duration> HOUR = Optional.of(Duration.ofHours(1));

    private final CellWorld world = new CellWorld();
    private final List<String> shutDown = new ArrayList<>();

    DeadManTest() {
        world.cells.onShutdown(shutDown::add);
    }

    private void pass(Duration span) {
        world.kernel.runFor(span);
    }

    @Test
    void an_inert_cell_that_nobody_speaks_to_shuts_itself_down() {
        world.bootDeadMan("i-2", "10.0.0.2", Optional.empty(), HOUR);
        pass(Duration.ofMinutes(59));
        assertThat(shutDown).isEmpty();

        pass(Duration.ofMinutes(2));
        assertThat(shutDown).containsExactly("i-2");
        assertThat(world.error(world.api.watch(SECOND, 0, Duration.ZERO))).isInstanceOf(CellError.Unreachable.class);
    }

    @Test
    void every_question_of_the_controller_puts_it_off() {
        world.bootDeadMan("i-2", "10.0.0.2", Optional.empty(), HOUR);
        for (int i = 0; i < 4; i++) {
            pass(Duration.ofMinutes(40));
            world.report(world.api.watch(SECOND, 0, Duration.ZERO));
        }

        assertThat(shutDown).isEmpty();
    }

    @Test
    void an_order_of_a_controller_whose_epoch_is_over_does_not() {
        world.bootDeadMan("i-2", "10.0.0.2", Optional.empty(), HOUR);
        pass(Duration.ofMinutes(40));
        assertThat(world.error(world.api.end(SECOND, new EndOrder(CellWorld.MINIMUM_EPOCH - 1, "uid", Duration.ZERO))))
                .isInstanceOf(CellError.Fenced.class);
        pass(Duration.ofMinutes(25));

        assertThat(shutDown).containsExactly("i-2");
    }

    @Test
    void a_cell_with_a_pod_outlives_any_absence_unless_it_is_told_otherwise() {
        world.bootDeadMan("i-2", "10.0.0.2", Optional.empty(), HOUR);
        world.report(world.api.grant(SECOND, GRANT));
        pass(Duration.ofDays(3));

        assertThat(shutDown).isEmpty();
    }

    @Test
    void a_cell_with_a_pod_ends_too_if_that_is_configured() {
        world.bootDeadMan("i-2", "10.0.0.2", Optional.of(Duration.ofHours(6)), HOUR);
        world.report(world.api.grant(SECOND, GRANT));
        pass(Duration.ofHours(5));
        assertThat(shutDown).isEmpty();

        pass(Duration.ofHours(2));
        assertThat(shutDown).containsExactly("i-2");
    }

    @Test
    void a_cell_whose_pod_has_ended_is_inert_again() {
        world.bootDeadMan("i-2", "10.0.0.2", Optional.empty(), HOUR);
        world.report(world.api.grant(SECOND, GRANT));
        pass(Duration.ofMinutes(1));
        world.report(world.api.end(SECOND, new EndOrder(CellWorld.MINIMUM_EPOCH, "u-1", Duration.ofSeconds(5))));
        pass(Duration.ofMinutes(70));

        assertThat(shutDown).containsExactly("i-2");
    }

    @Test
    void without_a_timer_it_waits_for_ever() {
        pass(Duration.ofDays(3));

        assertThat(shutDown).isEmpty();
    }
}
