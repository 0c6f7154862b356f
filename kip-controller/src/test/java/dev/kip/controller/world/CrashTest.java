package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One pod is made and deleted; one call, each in its turn, goes wrong. */
class CrashTest {

    private static final Duration RECOVERY = Duration.ofMinutes(5);

    private record Story(World world, boolean hit) {}

    /** Makes a pod, lets everything settle, deletes it, lets everything settle; checks after each. */
    private static Story play(int call, Faults.Kind kind, boolean anchored) {
        World world = anchored ? new World().anchored() : new World();
        world.faults.plan(call, kind);
        List<String> problems = new ArrayList<>();
        world.start();
        world.createPod("web");
        String uid = world.uid("web");
        restartOnceDead(world);
        if (!world.ready("web")) {
            problems.add("web is " + world.phase("web"));
        }
        if (world.cells.runningOn(uid).size() != 1 || world.cloud.live().size() != 1) {
            problems.add("granted: " + world.cells.runningOn(uid) + ", live: "
                    + world.cloud.live().size());
        }
        if (world.cells.starts(uid) != 1) {
            problems.add("started " + world.cells.starts(uid) + " times");
        }
        world.kube.deletePod("web", 30);
        restartOnceDead(world);
        if (world.kube.pod("web").isPresent()
                || !world.cloud.live().isEmpty()
                || !world.kube.all("cells").isEmpty()
                || !world.kube.all("launchbatches").isEmpty()) {
            problems.add("left: " + world.phase("web") + ", " + world.cloud.live() + world.kube.all("cells")
                    + world.kube.all("launchbatches"));
        }
        problems.addAll(world.anomalies.stream()
                .filter(a -> !a.startsWith("orphan") && !a.startsWith("Anchor"))
                .toList());
        String name = call >= 0 && call < world.faults.log().size()
                ? world.faults.log().get(call)
                : "none";
        assertThat(problems).as("%s at call %d (%s)", kind, call, name).isEmpty();
        return new Story(world, world.faults.hit());
    }

    private static void restartOnceDead(World world) {
        long end = world.time.nanos() + RECOVERY.toNanos();
        while (world.time.nanos() < end) {
            world.pass(Duration.ofSeconds(5));
            if (world.process().dead()) {
                world.start();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Faults.Kind.class)
    void whichever_call_goes_wrong_the_pod_runs_once_and_nothing_is_left(Faults.Kind kind) {
        int call = 0;
        while (play(call, kind, false).hit()) {
            call++;
        }
        assertThat(call).isGreaterThan(40);
    }

    @ParameterizedTest
    @EnumSource(Faults.Kind.class)
    void with_an_anchor_too(Faults.Kind kind) {
        int call = 0;
        while (play(call, kind, true).hit()) {
            call++;
        }
        assertThat(call).isGreaterThan(60);
    }

    /** What becomes of the cluster while nobody leads. */
    private enum Loss {
        NOTHING {
            @Override
            void befalls(World world, FakeKube.Backup backup) {}
        },
        CELL {
            @Override
            void befalls(World world, FakeKube.Backup backup) {
                world.kube.remove("cells", world.uid("web") + "-0");
            }
        },
        RECORD_AND_SECRET {
            @Override
            void befalls(World world, FakeKube.Backup backup) {
                world.kube.remove("installations", "kip");
                world.kube.remove("secrets", "kube-system/kip-installation");
            }
        },
        HISTORY {
            @Override
            void befalls(World world, FakeKube.Backup backup) {
                world.kube.restore(backup);
            }
        };

        abstract void befalls(World world, FakeKube.Backup backup);
    }

    /** A pod runs; something is lost while nobody leads; one call of the next start goes wrong. */
    private static boolean recover(Loss loss, int call, Faults.Kind kind) {
        World world = new World().anchored().start();
        world.pass(Duration.ofSeconds(5));
        world.createPod("web");
        FakeKube.Backup backup = world.kube.backup();
        world.until("web is ready", RECOVERY, () -> world.ready("web"));
        world.pass(Duration.ofMinutes(1));
        world.process().kill();
        loss.befalls(world, backup);
        int first = world.faults.log().size();
        world.faults.plan(first + call, kind);
        world.start();
        restartOnceDead(world);
        restartOnceDead(world);
        String name =
                first + call < world.faults.log().size() ? world.faults.log().get(first + call) : "none";
        assertThat(world.cells.starts(world.uid("web")))
                .as("%s, %s at call %d (%s): starts", loss, kind, call, name)
                .isEqualTo(1);
        assertThat(world.cloud.live())
                .as("%s, %s at call %d (%s)", loss, kind, call, name)
                .hasSize(1);
        assertThat(world.cloud.launches())
                .as("%s, %s at call %d (%s)", loss, kind, call, name)
                .hasSize(1);
        assertThat(world.kube.all("cells"))
                .as("%s, %s at call %d (%s)", loss, kind, call, name)
                .hasSize(1);
        assertThat(world.phase("web"))
                .as("%s, %s at call %d (%s)", loss, kind, call, name)
                .isEqualTo("Running");
        return world.faults.hit() && call < 60;
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    void whichever_call_of_a_recovery_goes_wrong_nothing_runs_twice_and_nothing_is_left(Loss loss) {
        for (Faults.Kind kind : Faults.Kind.values()) {
            int call = 0;
            while (recover(loss, call, kind)) {
                call++;
            }
            assertThat(call).isGreaterThan(20);
        }
    }

    @Test
    void the_story_is_the_same_every_time() {
        assertThat(play(-1, Faults.Kind.REPLY_LOST, true).world().faults.log())
                .isEqualTo(play(-1, Faults.Kind.REPLY_LOST, true).world().faults.log());
    }
}
