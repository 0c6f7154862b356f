package dev.kip.sim.report;

import com.google.common.io.Resources;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.scenario.Outcomes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A run as one page that needs nothing but itself: scripts, styles and data are in it. */
public final class HtmlReport {

    private HtmlReport() {}

    /** The page. */
    public static String page(Replay replay, Outcomes outcomes, Recording recording) {
        ObjectNode report = JsonNodeFactory.instance.objectNode();
        report.put("name", outcomes.scenario().name());
        report.put("title", outcomes.scenario().title());
        report.put("because", outcomes.scenario().because());
        report.put("seed", outcomes.seed());
        replay.plant().ifPresent(bug -> report.put("plant", bug));
        report.put("passed", outcomes.passed());
        report.put("took", Recording.micros(outcomes.took()));
        report.put("events", outcomes.events());
        report.put("hash", outcomes.hash());
        ArrayNode problems = report.putArray("problems");
        for (Outcomes.Problem problem : outcomes.problems()) {
            problems.addObject().put("id", problem.id()).put("text", problem.text());
        }
        report.put("story", replay.text());
        recording.writeTo(report);
        return page(outcomes.scenario().name() + " seed " + outcomes.seed(), report);
    }

    /** A page about something that is no scenario: what a test of somebody's own controller did. */
    public static String page(
            String name, String title, long seed, String problem, long tookMicros, String hash, Recording recording) {
        ObjectNode report = JsonNodeFactory.instance.objectNode();
        report.put("name", name).put("title", title).put("because", "");
        report.put("seed", seed);
        report.put("passed", problem.isEmpty());
        report.put("took", tookMicros).put("events", recording.size()).put("hash", hash);
        ArrayNode problems = report.putArray("problems");
        if (!problem.isEmpty()) {
            problems.addObject().put("id", "invariant").put("text", problem);
        }
        report.put("story", "");
        recording.writeTo(report);
        return page(name + " seed " + seed, report);
    }

    private static String page(String title, ObjectNode report) {
        String data = JsonMapper.shared().writeValueAsString(report).replace("<", "\\u003c");
        StringBuilder page = new StringBuilder(data.length() + 600_000);
        for (String line : resource("report.html").split("\n", -1)) {
            String text = line.strip();
            if (text.startsWith("@include ")) {
                page.append(resource(text.substring("@include ".length())));
            } else if (text.equals("@data")) {
                page.append(data);
            } else {
                page.append(line.replace("@title", escaped(title)));
            }
            page.append('\n');
        }
        return page.toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }

    private static String resource(String name) {
        try {
            return Resources.toString(Resources.getResource("report/" + name), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the jar is damaged: report/" + name, e);
        }
    }
}
