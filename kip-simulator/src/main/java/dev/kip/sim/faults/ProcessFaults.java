package dev.kip.sim.faults;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;

/** Processes of the controller that end, stand still, come twice or come back different. */
final class ProcessFaults {

    private static final Duration BACK = Duration.ofSeconds(5);

    private ProcessFaults() {}

    static ImmutableList<FaultKind> all() {
        return ImmutableList.of(
                new Killed(),
                new Terminated(),
                new SecondController(),
                new Paused(),
                new CrashLoop(),
                new CrashAfterEachWrite(),
                new CrashBeforeEachWrite(),
                new ConfigurationChanged(),
                new StartDelayed(),
                new WatchedGarbage());
    }

    static final class Killed extends FaultKind {
        Killed() {
            super("F1", "controller-killed", Area.PROCESS, "A node dies or kubelet kills: nothing is said goodbye to.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            strike.hit("SIGKILL");
            strike.world().killController("kip-0");
            strike.later(BACK, () -> strike.world().startController("kip-0", ImmutableMap.of()));
        }
    }

    static final class Terminated extends FaultKind {
        Terminated() {
            super("F2", "controller-terminated", Area.PROCESS, "Every roll-out begins so, in the middle of work.");
        }

        @Override
        Moment moment() {
            return Moment.ENDING;
        }

        @Override
        void strike(Strike strike) {
            strike.hit("SIGTERM");
            strike.later(Duration.ofSeconds(1), () -> strike.world().stopController("kip-0"));
            strike.later(BACK, () -> strike.world().startController("kip-0", ImmutableMap.of()));
        }
    }

    static final class SecondController extends FaultKind {
        SecondController() {
            super(
                    "F3",
                    "two-controllers",
                    Area.PROCESS,
                    "A partitioned kubelet or a rolling update lets the old process live on beside the new one.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            strike.hit("another process starts");
            strike.world().startController("kip-9", ImmutableMap.of());
            strike.later(Duration.ofSeconds(1), () -> strike.world().pauseController("kip-0", strike.length()));
            strike.later(strike.length().multipliedBy(2), () -> strike.world().killController("kip-9"));
        }
    }

    static final class Paused extends FaultKind {
        Paused() {
            super(
                    "F4",
                    "controller-paused",
                    Area.PROCESS,
                    "A long collection or SIGSTOP: it goes on as if nothing had happened, with a lease that is over.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            strike.later(Duration.ofMillis(1500), () -> {
                strike.hit("SIGSTOP");
                strike.world().pauseController(strike.controllers(), strike.length());
            });
        }
    }

    static final class CrashLoop extends FaultKind {
        CrashLoop() {
            super(
                    "F5",
                    "crash-loop",
                    Area.PROCESS,
                    "Out of memory at start-up: each process lives a few seconds longer than the one before.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            round(strike, 1);
        }

        private static void round(Strike strike, int round) {
            strike.hit("it dies for the " + round + ". time");
            strike.world().killController("kip-0");
            strike.later(BACK, () -> {
                strike.world().startController("kip-0", ImmutableMap.of());
                if (round < 6) {
                    strike.later(Duration.ofSeconds(2L * round), () -> round(strike, round + 1));
                }
            });
        }
    }

    /** Killed by several of its own requests, one after the other. */
    private static void crashAt(Strike strike, Fate fate) {
        strike.fate(call -> changes(strike, call), fate);
        strike.every(Duration.ofSeconds(3), () -> strike.world().startController("kip-0", ImmutableMap.of()));
        strike.later(strike.length(), () -> strike.world().startController("kip-0", ImmutableMap.of()));
    }

    private static boolean changes(Strike strike, Call call) {
        return call.mutating()
                && strike.controllers().equals("kip*")
                && call.from().startsWith("kip");
    }

    static final class CrashAfterEachWrite extends FaultKind {
        CrashAfterEachWrite() {
            super(
                    "F6",
                    "crash-after-writes",
                    Area.PROCESS,
                    "What was asked is done, and who asked never learns it: the gap between a cloud call and its record.");
        }

        @Override
        int times() {
            return 4;
        }

        @Override
        void strike(Strike strike) {
            crashAt(strike, Fate.SENDER_DIES_AFTER);
        }
    }

    static final class CrashBeforeEachWrite extends FaultKind {
        CrashBeforeEachWrite() {
            super("F6", "crash-before-writes", Area.PROCESS, "What was decided is lost between deciding and asking.");
        }

        @Override
        int times() {
            return 4;
        }

        @Override
        void strike(Strike strike) {
            crashAt(strike, Fate.SENDER_DIES_BEFORE);
        }
    }

    static final class ConfigurationChanged extends FaultKind {
        ConfigurationChanged() {
            super(
                    "F8",
                    "configuration-changed",
                    Area.PROCESS,
                    "The ConfigMap was edited since the last start: what runs was launched by other rules.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            strike.hit("it starts again with another configuration");
            strike.world().killController("kip-0");
            strike.later(
                    BACK,
                    () -> strike.world()
                            .startController("kip-0", ImmutableMap.of("gc.maxCount", "2", "cells.nametag", "another")));
        }
    }

    static final class StartDelayed extends FaultKind {
        StartDelayed() {
            super(
                    "F14",
                    "start-delayed",
                    Area.PROCESS,
                    "A volume that is stuck or a node that is full keeps the next process away for many minutes.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(20);
        }

        @Override
        void strike(Strike strike) {
            strike.hit("nobody runs for " + strike.length());
            strike.world().killController("kip-*");
            strike.later(strike.length(), () -> strike.world().startController("kip-0", ImmutableMap.of()));
        }
    }

    static final class WatchedGarbage extends FaultKind {
        WatchedGarbage() {
            super(
                    "F10",
                    "garbage-in-a-watch",
                    Area.PROCESS,
                    "An unexpected event must cost one watch, and not the thread that reads it.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            for (Watches.Open watch : strike.site().watches().open(strike.toKubernetes())) {
                strike.hit("an event that is none");
                watch.tell("{\"type\":\"ADDED\",\"object\":[7]}\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            }
        }
    }
}
