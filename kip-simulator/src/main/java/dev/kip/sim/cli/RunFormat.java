package dev.kip.sim.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.report.HtmlReport;
import dev.kip.sim.report.JUnitXml;
import dev.kip.sim.report.Recording;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Runner.SimulatedWorld;
import dev.kip.sim.world.Worlds;

/** How a run is printed. */
enum RunFormat {
    TEXT,
    JSON,
    HTML,
    JUNIT;

    /** The run, and how it is printed in this format; for {@link #JUNIT}, where several make one suite, see {@link #suite}. */
    record Printed(Outcomes outcomes, String text) {}

    Printed tell(Replay replay, boolean keepTimeline) {
        Recording recording = new Recording();
        Outcomes outcomes = this == HTML
                ? replay.tell(
                        (scenario, seed, keep, parts) -> {
                            SimulatedWorld world = Worlds.with(() -> parts).make(scenario, seed, true);
                            recording.attach(world, scenario);
                            return world;
                        },
                        true)
                : replay.tell(keepTimeline);
        return new Printed(
                outcomes,
                switch (this) {
                    case TEXT -> Reports.text(outcomes);
                    case JSON -> replay.fails().isPresent() ? Reports.json(replay, outcomes) : Reports.json(outcomes);
                    case HTML -> HtmlReport.page(replay, outcomes, recording);
                    case JUNIT -> "";
                });
    }

    static String suite(ImmutableList<Outcomes> runs) {
        return JUnitXml.of(runs);
    }
}
