package dev.kip.sim.cli;

import dev.kip.sim.kernel.Trace;
import dev.kip.sim.wall.WallOutcome;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Runs in wall time, as text and as JSON. */
final class WallReports {

    private static final JsonMapper JSON = JsonMapper.shared();

    private WallReports() {}

    static String line(Trace.Line line) {
        return String.format(Locale.ROOT, "  %s  %-5s  %s", SimCommand.clock(line.at()), line.actor(), line.text());
    }

    /** What came of it; the timeline was printed as it happened. */
    static String text(WallOutcome outcome) {
        StringBuilder text = new StringBuilder(256);
        outcome.lacking()
                .forEach(lack -> text.append("  not carried: ").append(lack).append('\n'));
        outcome.problems()
                .forEach(problem -> text.append("  ")
                        .append(problem.id())
                        .append(": ")
                        .append(problem.text())
                        .append('\n'));
        text.append(String.format(
                Locale.ROOT,
                "%s  %s in the world %s, %s",
                switch (outcome.result()) {
                    case PASSED -> "passed";
                    case FAILED -> "FAILED";
                    case PARTIAL -> "partial";
                },
                outcome.scenario(),
                outcome.world(),
                SimCommand.clock(outcome.took()).strip()));
        return text.toString();
    }

    static String json(WallOutcome outcome) {
        return node(outcome).toString();
    }

    static ObjectNode node(WallOutcome outcome) {
        ObjectNode node = JSON.createObjectNode();
        node.put("scenario", outcome.scenario());
        node.put("world", outcome.world().word());
        node.put("result", outcome.result().name().toLowerCase(Locale.ROOT));
        node.put("millis", outcome.took().toMillis());
        ArrayNode lacking = node.putArray("notCarried");
        outcome.lacking()
                .forEach(lack -> lacking.addObject()
                        .put("where", lack.where())
                        .put("word", lack.word())
                        .put("why", lack.why()));
        ArrayNode problems = node.putArray("problems");
        outcome.problems()
                .forEach(problem -> problems.addObject().put("id", problem.id()).put("text", problem.text()));
        ArrayNode timeline = node.putArray("timeline");
        outcome.timeline()
                .forEach(line -> timeline.addObject()
                        .put("atMillis", line.at().toMillis())
                        .put("actor", line.actor())
                        .put("text", line.text()));
        return node;
    }
}
