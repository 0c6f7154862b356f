package dev.kip.checkpointer;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.gather.Gatherer.Gathered;
import dev.kip.checkpointer.generation.CheckpointWriter;
import dev.kip.checkpointer.generation.Flaw;
import dev.kip.checkpointer.generation.Layout;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.generation.Trees;
import dev.kip.checkpointer.standing.Judge.Judgement;
import dev.kip.checkpointer.standing.RuntimeSight;
import dev.kip.checkpointer.standing.Verdict;
import dev.kip.loop.Loop;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** What a person should know: said once in the log, and kept in a document that {@code status} reads. Confined to the loop. */
final class Report {

    private static final Logger LOG = LoggerFactory.getLogger(Report.class);
    private static final Duration AT_LEAST = Duration.ofMinutes(1);

    private final CheckpointWriter writer;
    private final Layout layout;
    private final NodeKubelet kubelet;
    private final Loop loop;
    private final Map<String, String> problems = new TreeMap<>();
    private final Map<PodKey, ImmutableList<String>> remarks = new TreeMap<>();
    private final Map<PodKey, Instant> compared = new TreeMap<>();
    private final Map<PodKey, Verdict> verdicts = new TreeMap<>();
    private Optional<ObjectNode> written = Optional.empty();
    private OptionalLong writtenAt = OptionalLong.empty();

    Report(CheckpointWriter writer, Layout layout, NodeKubelet kubelet, Loop loop) {
        this.writer = writer;
        this.layout = layout;
        this.kubelet = kubelet;
        this.loop = loop;
    }

    void problem(String about, String text) {
        if (!text.equals(problems.put(about, text))) {
            LOG.warn("{}", text);
        }
    }

    void solved(String about) {
        problems.remove(about);
    }

    void flaws(ImmutableList<Flaw> flaws) {
        problems.keySet()
                .removeIf(about -> about.startsWith("flaw ")
                        && flaws.stream().noneMatch(flaw -> about.equals("flaw " + flaw.path())));
        flaws.forEach(flaw -> problem("flaw " + flaw.path(), flaw.path() + " " + flaw.message()));
    }

    void runtime(RuntimeSight sight) {
        if (sight instanceof RuntimeSight.Unknown unknown) {
            problem("runtime", "the container runtime does not answer: " + unknown.reason());
        } else {
            solved("runtime");
        }
    }

    void apiAnswers() {
        solved("api");
    }

    /** Said in the log by whoever noticed. */
    void apiSilent(String reason) {
        problems.put("api", "the API server does not answer: " + reason);
    }

    void gathered(Gathered gathered) {
        if (!gathered.remarks().equals(remarks.put(gathered.key(), gathered.remarks()))) {
            gathered.remarks().forEach(remark -> LOG.warn("{}: {}", gathered.key(), remark));
        }
        if (gathered.done()) {
            compared.put(gathered.key(), loop.now());
        }
    }

    void judged(Judgement judgement) {
        judgement.verdicts().forEach((key, verdict) -> {
            Verdict before = verdicts.put(key, verdict);
            boolean news = before == null || !kind(before.remark()).equals(kind(verdict.remark()));
            if (news && !verdict.remark().isEmpty()) {
                LOG.warn("{}: {}", key, verdict.remark());
            }
        });
        verdicts.keySet().retainAll(judgement.verdicts().keySet());
        remarks.keySet().retainAll(judgement.verdicts().keySet());
        compared.keySet().retainAll(judgement.verdicts().keySet());
        write();
    }

    /** Without its numbers, which count down. */
    private static String kind(String remark) {
        return remark.replaceAll("[0-9]+", "");
    }

    private void write() {
        ObjectNode now = content();
        boolean due = writtenAt.isEmpty() || loop.nanos() - writtenAt.getAsLong() >= AT_LEAST.toNanos();
        if (!due
                && written.map(before -> kind(before.toString()).equals(kind(now.toString())))
                        .orElse(false)) {
            return;
        }
        written = Optional.of(now);
        writtenAt = OptionalLong.of(loop.nanos());
        ObjectNode dated = now.deepCopy();
        dated.put("at", loop.now().toString());
        ObjectNode pods = dated.putObject("compared");
        compared.forEach((key, at) -> pods.put(key.toString(), at.toString()));
        try {
            writer.writeDocument(layout.report(), dated);
        } catch (IOException e) {
            problem("report", "the report cannot be written: " + e.getMessage());
        }
    }

    private ObjectNode content() {
        ObjectNode content = Trees.empty();
        content.put("kubelet", kubelet.version().toString());
        var list = content.putArray("problems");
        problems.values().forEach(list::add);
        ObjectNode pods = content.putObject("pods");
        verdicts.forEach((key, verdict) -> {
            ObjectNode pod = pods.putObject(key.toString());
            pod.put("standing", verdict.standing().name());
            var texts = pod.putArray("remarks");
            if (!verdict.remark().isEmpty()) {
                texts.add(verdict.remark());
            }
            remarks.getOrDefault(key, ImmutableList.of()).forEach(texts::add);
        });
        return content;
    }
}
