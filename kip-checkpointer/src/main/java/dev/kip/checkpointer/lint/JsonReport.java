package dev.kip.checkpointer.lint;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.kubelet.Circumstances;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.Trouble;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The verdict for programs. */
final class JsonReport {

    private static final JsonMapper JSON = JsonMapper.shared();

    private JsonReport() {}

    static String text(List<Verdict> verdicts, Circumstances circumstances) {
        ObjectNode report = JSON.createObjectNode();
        report.put("apiServer", circumstances.api().name().toLowerCase(Locale.ROOT));
        report.put("allComeBack", verdicts.stream().allMatch(Verdict::comesBack));
        ArrayNode pods = report.putArray("pods");
        for (Verdict verdict : verdicts) {
            pod(verdict, circumstances, pods.addObject());
        }
        return report.toPrettyString();
    }

    private static void pod(Verdict verdict, Circumstances circumstances, ObjectNode pod) {
        PodDocument document = verdict.document();
        pod.put("file", document.file());
        pod.put("namespace", document.namespace());
        pod.put("name", document.pod().path("metadata").path("name").asString(""));
        pod.put("comesBack", verdict.comesBack());
        ArrayNode kubelets = pod.putArray("kubelets");
        verdict.judgements().forEach((version, judgement) -> {
            ObjectNode kubelet = kubelets.addObject();
            kubelet.put("version", version.toString());
            kubelet.put("fate", judgement.fate().name());
            kubelet.put("comesBack", judgement.fate().runs());
            ArrayNode log = kubelet.putArray("log");
            verdict.judged()
                    .ifPresent(manifest -> KubeletModel.of(version)
                            .log(manifest, document.file(), judgement, circumstances)
                            .forEach(log::add));
        });
        ArrayNode findings = pod.putArray("findings");
        for (Verdict.Row row : verdict.rows()) {
            finding(document, row, findings.addObject());
        }
        ArrayNode checkpoint = pod.putArray("checkpoint");
        verdict.obstacles()
                .forEach(obstacle -> checkpoint
                        .addObject()
                        .put("action", obstacle.action().name())
                        .put("path", obstacle.path())
                        .put("line", document.line(obstacle.path()))
                        .put("reason", obstacle.reason()));
    }

    private static void finding(PodDocument document, Verdict.Row row, ObjectNode finding) {
        Trouble trouble = row.trouble();
        finding.put("rule", trouble.rule().id());
        finding.put("path", trouble.path());
        finding.put("line", document.line(trouble.path()));
        finding.put("stage", trouble.rule().stage().name());
        finding.put("fate", trouble.rule().stage().fate().name());
        finding.put("versions", row.versions().toString());
        finding.put("since", row.versions().first().map(KubeletVersion::brief).orElse(""));
        ArrayNode messages = finding.putArray("messages");
        row.troubles()
                .forEach(one -> messages.addObject()
                        .put("versions", one.rule().versions().toString())
                        .put("reason", one.reason())
                        .put("message", one.message()));
        finding.put("remedy", trouble.rule().remedy());
        finding.put("source", trouble.rule().source());
        ArrayNode on = finding.putArray("on");
        ImmutableList<KubeletVersion> versions = row.on();
        versions.forEach(version -> on.add(version.toString()));
    }
}
