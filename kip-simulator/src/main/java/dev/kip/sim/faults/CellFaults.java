package dev.kip.sim.faults;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Cells that do not come, go by themselves, or say what is not so. */
final class CellFaults {

    private CellFaults() {}

    static ImmutableList<FaultKind> all() {
        return ImmutableList.of(
                new NeverBoots(),
                new BootsLate(),
                new Reboots(),
                new AgentRestarts(),
                new AgentErrs(),
                new AgentSpeaksHtml(),
                new AgentForgets(),
                new GrantLost());
    }

    private abstract static class OfCells extends FaultKind {
        OfCells(String id, String word, String why) {
            super(id, word, Area.CELL, why);
        }
    }

    static final class NeverBoots extends OfCells {
        NeverBoots() {
            super(
                    "F67",
                    "cell-never-boots",
                    "The instance runs, its status checks are fine, and no agent ever answers.");
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(2);
        }

        @Override
        void strike(Strike strike) {
            strike.every(
                    Duration.ofSeconds(1),
                    () -> strike.launched().forEach(one -> {
                        if (one.state().equals("running")) {
                            strike.hit(one.id() + " hangs as it boots");
                            strike.site().cells().ended(one.id());
                        }
                    }));
        }
    }

    static final class BootsLate extends OfCells {
        BootsLate() {
            super("F67", "cell-boots-late", "The agent answers long after it was given up for dead, or just before.");
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(6);
        }

        @Override
        void strike(Strike strike) {
            strike.fate(strike.toCells(), dev.kip.sim.kernel.CallFaults.Fate.REQUEST_LOST);
        }
    }

    static final class Reboots extends OfCells {
        Reboots() {
            super("F69", "cell-reboots", "The kernel panics, and the machine comes back with its disk and its pod.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            strike.onFirstRunning(one -> strike.site().cells().reboot(one.id()));
        }
    }

    static final class AgentRestarts extends OfCells {
        AgentRestarts() {
            super(
                    "F78",
                    "agent-restarts",
                    "Each request meets a connection that is reset, again and again, while the pod runs.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        int times() {
            return 10;
        }

        @Override
        void strike(Strike strike) {
            strike.every(
                    Duration.ofSeconds(5),
                    () -> strike.site().watches().open(strike.toCells()).forEach(Watches.Open::abort));
            strike.fate(strike.toCells(), dev.kip.sim.kernel.CallFaults.Fate.REPLY_LOST);
        }
    }

    static final class AgentErrs extends OfCells {
        AgentErrs() {
            super("F78", "agent-errs", "A full disk of the cell: the agent answers, and every answer is an error.");
        }

        @Override
        void strike(Strike strike) {
            strike.answer(strike.toCells(), 500, "application/json", "{\"message\":\"No space left on device\"}");
        }
    }

    static final class AgentSpeaksHtml extends OfCells {
        AgentSpeaksHtml() {
            super(
                    "F78",
                    "agent-is-something-else",
                    "The address was given to another machine: what answers there is a web server.");
        }

        @Override
        void strike(Strike strike) {
            strike.answer(strike.toCells(), 200, "text/html", "<html><body>It works!</body></html>");
        }
    }

    static final class AgentForgets extends OfCells {
        AgentForgets() {
            super(
                    "F78",
                    "agent-of-another",
                    "What answers at a reused address is a cell, and not the one that is meant.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            strike.serve(
                    strike.toCells(),
                    (call, http, service) -> service.handle(new Passing(http) {
                        @Override
                        public void respond(int status, ImmutableMap<String, String> headers, byte[] body) {
                            super.respond(
                                    status,
                                    headers,
                                    new String(body, StandardCharsets.UTF_8)
                                            .replaceAll("\"i-[0-9a-f]{8,}\"", "\"i-0fffffffffffffff0\"")
                                            .getBytes(StandardCharsets.UTF_8));
                        }
                    }));
        }
    }

    static final class GrantLost extends OfCells {
        GrantLost() {
            super("F78", "grant-lost", "A grant is sent and nothing comes back: it may have arrived or not.");
        }

        @Override
        int times() {
            return 3;
        }

        @Override
        void strike(Strike strike) {
            strike.fate(
                    strike.toCells().and(call -> !call.action().startsWith("GET")),
                    dev.kip.sim.kernel.CallFaults.Fate.SILENCE);
        }
    }
}
