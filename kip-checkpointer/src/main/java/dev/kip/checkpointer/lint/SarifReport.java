package dev.kip.checkpointer.lint;

import dev.kip.checkpointer.kubelet.KubeletRule;
import dev.kip.checkpointer.kubelet.Stage;
import dev.kip.checkpointer.kubelet.Trouble;
import dev.kip.checkpointer.sanitise.Finding;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The verdict as SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0), for the annotations of a CI. */
final class SarifReport {

    private static final String SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
    private static final String NO_CHECKPOINT = "cannot-be-checkpointed";

    private SarifReport() {}

    static String text(List<Verdict> verdicts, String version) {
        ObjectNode report = JsonMapper.shared().createObjectNode();
        report.put("$schema", SCHEMA);
        report.put("version", "2.1.0");
        ObjectNode run = report.putArray("runs").addObject();
        ObjectNode driver = run.putObject("tool").putObject("driver");
        driver.put("name", "kip-checkpointer lint");
        driver.put("version", version);
        rules(verdicts, driver.putArray("rules"));
        ArrayNode results = run.putArray("results");
        for (Verdict verdict : verdicts) {
            verdict.rows().forEach(row -> result(verdict.document(), row, results.addObject()));
            verdict.obstacles().forEach(obstacle -> obstacle(verdict.document(), obstacle, results.addObject()));
        }
        return report.toPrettyString();
    }

    private static void rules(List<Verdict> verdicts, ArrayNode rules) {
        Map<String, KubeletRule> used = new TreeMap<>();
        for (Verdict verdict : verdicts) {
            verdict.rows()
                    .forEach(row -> used.putIfAbsent(
                            row.trouble().rule().id(), row.trouble().rule()));
        }
        used.forEach((id, rule) -> {
            ObjectNode node = rules.addObject();
            node.put("id", id);
            node.putObject("shortDescription").put("text", rule.stage().fate().text() + ": " + rule.field());
            node.putObject("help").put("text", rule.remedy());
            node.putObject("defaultConfiguration").put("level", level(rule.stage()));
        });
        if (verdicts.stream().anyMatch(verdict -> !verdict.obstacles().isEmpty())) {
            ObjectNode node = rules.addObject();
            node.put("id", NO_CHECKPOINT);
            node.putObject("shortDescription").put("text", "what stands in the way of a checkpoint");
        }
    }

    private static void result(PodDocument document, Verdict.Row row, ObjectNode result) {
        Trouble trouble = row.trouble();
        result.put("ruleId", trouble.rule().id());
        result.put("level", level(trouble.rule().stage()));
        String on = row.on().get(0) + (row.on().size() > 1 ? " and others" : "");
        result.putObject("message")
                .put(
                        "text",
                        document.name() + ": " + trouble.path() + ": kubelet " + on + ": " + trouble.message() + ". "
                                + trouble.rule().remedy());
        location(document, trouble.path(), result);
    }

    private static void obstacle(PodDocument document, Finding obstacle, ObjectNode result) {
        result.put("ruleId", NO_CHECKPOINT);
        result.put("level", obstacle.action().stopsThePod() ? "error" : "note");
        result.putObject("message").put("text", document.name() + ": " + obstacle.path() + ": " + obstacle.reason());
        location(document, obstacle.path(), result);
    }

    private static void location(PodDocument document, String path, ObjectNode result) {
        ObjectNode physical = result.putArray("locations").addObject().putObject("physicalLocation");
        physical.putObject("artifactLocation").put("uri", document.file());
        physical.putObject("region").put("startLine", Math.max(1, document.line(path)));
    }

    private static String level(Stage stage) {
        if (!stage.fate().runs()) {
            return "error";
        }
        return stage == Stage.MIRROR ? "warning" : "note";
    }
}
