package dev.kip.sim.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.fuzz.Campaign;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.scenario.Library;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Scenario;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** How a run is told: for people and for machines. */
final class Reports {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Reports() {}

    static String text(Outcomes outcomes) {
        StringBuilder text = new StringBuilder(256);
        text.append(outcomes.scenario().name())
                .append(": ")
                .append(outcomes.scenario().title())
                .append('\n');
        int width = outcomes.timeline().stream()
                .mapToInt(l -> l.actor().length())
                .max()
                .orElse(0);
        for (Trace.Line line : outcomes.timeline()) {
            text.append(String.format(
                    Locale.ROOT,
                    "  %s  %-" + width + "s  %s%n",
                    SimCommand.clock(line.at()),
                    line.actor(),
                    line.text()));
        }
        for (Outcomes.Problem problem : outcomes.problems()) {
            text.append("  ")
                    .append(problem.id())
                    .append(": ")
                    .append(problem.text())
                    .append('\n');
        }
        text.append(String.format(
                Locale.ROOT,
                "%s  seed %d  %s of virtual time, %,d events  hash %s",
                outcomes.passed() ? "passed" : "FAILED",
                outcomes.seed(),
                SimCommand.clock(outcomes.took()).strip(),
                outcomes.events(),
                outcomes.hash()));
        return text.toString();
    }

    static String json(Outcomes outcomes) {
        return node(outcomes).toString();
    }

    static String json(Replay replay, Outcomes outcomes) {
        ObjectNode node = node(outcomes);
        replay.plant().ifPresent(bug -> node.put("plant", bug));
        replay.fails()
                .ifPresent(problem ->
                        node.putObject("kept").put("id", problem.id()).put("text", problem.text()));
        node.put("reproduced", replay.reproducedBy(outcomes));
        return node.toString();
    }

    static String progress(Campaign.Progress progress, double seconds) {
        return progress.plan().group() + ": " + found(progress)
                + String.format(
                        Locale.ROOT,
                        ", %.1f seeds/s, %,.0f events/s; go on with --from %d",
                        progress.told() / seconds,
                        progress.events() / seconds,
                        progress.next());
    }

    static String found(Campaign.Progress progress) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%,d seeds told, %.1f virtual hours, %,d failed",
                progress.told(),
                progress.virtual().toSeconds() / 3600.0,
                progress.failed()));
        progress.failures()
                .forEach((slug, count) ->
                        text.append(' ').append(slug).append('=').append(count));
        if (progress.states() > 0) {
            text.append(String.format(
                    Locale.ROOT,
                    ", %,d states and %,d pairs seen, corpus of %,d",
                    progress.states(),
                    progress.pairs(),
                    progress.corpus()));
        }
        return text.toString();
    }

    private static ObjectNode node(Outcomes outcomes) {
        ObjectNode node = JSON.createObjectNode();
        node.put("scenario", outcomes.scenario().name());
        node.put("seed", outcomes.seed());
        node.put("passed", outcomes.passed());
        node.put("virtualMillis", outcomes.took().toMillis());
        node.put("events", outcomes.events());
        node.put("hash", outcomes.hash());
        ArrayNode problems = node.putArray("problems");
        outcomes.problems().forEach(p -> problems.addObject().put("id", p.id()).put("text", p.text()));
        ArrayNode timeline = node.putArray("timeline");
        outcomes.timeline()
                .forEach(l -> timeline.addObject()
                        .put("atMicros", l.at().toNanos() / 1_000)
                        .put("actor", l.actor())
                        .put("text", l.text()));
        return node;
    }

    static String list(ImmutableList<Scenario> scenarios) {
        ArrayNode list = JSON.createArrayNode();
        scenarios.forEach(s -> list.addObject()
                .put("name", s.name())
                .put("group", Library.group(s.name()))
                .put("title", s.title())
                .put("because", s.because()));
        return list.toString();
    }
}
