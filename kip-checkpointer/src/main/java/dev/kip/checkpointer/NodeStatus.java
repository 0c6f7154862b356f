package dev.kip.checkpointer;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.generation.CheckpointReader;
import dev.kip.checkpointer.generation.CheckpointReader.Scope;
import dev.kip.checkpointer.generation.CheckpointReader.Shelf;
import dev.kip.checkpointer.generation.CheckpointWriter;
import dev.kip.checkpointer.generation.Flaw;
import dev.kip.checkpointer.generation.Generation;
import dev.kip.checkpointer.generation.Layout;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.generation.Stored;
import dev.kip.checkpointer.generation.Trees;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.sanitise.ManifestCheck;
import dev.kip.checkpointer.sanitise.ManifestCheck.Objection;
import dev.kip.disk.Disk;
import dev.kip.disk.DurableFiles;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the disk of a node says of its checkpoints. Nothing in it is secret.
 *
 * @param reportedAt when a running checkpointer wrote its report last
 * @param kubelet the version that judged
 */
public record NodeStatus(
        ImmutableList<PodLine> pods,
        ImmutableList<Flaw> flaws,
        ImmutableList<String> problems,
        Optional<Instant> reportedAt,
        KubeletVersion kubelet) {

    /**
     * One pod.
     *
     * @param standing as the running checkpointer reported it
     * @param active kubelet has the manifest
     * @param proven what would run has run here
     * @param stored when what would run was stored
     * @param compared when it was last found to be what the API server has
     * @param objections why kubelet would not run it; empty if it would
     */
    public record PodLine(
            PodKey key,
            String standing,
            boolean active,
            int generations,
            boolean proven,
            Optional<Instant> stored,
            Optional<Instant> compared,
            ImmutableList<String> objections,
            ImmutableList<String> remarks) {}

    /** Reads it; changes nothing. */
    public static NodeStatus read(
            Disk disk,
            Layout layout,
            Scope scope,
            Optional<KubeletVersion> kubelet,
            Function<KubeletVersion, ManifestCheck> kubelets)
            throws IOException {
        Shelf shelf = new CheckpointReader(disk, layout, scope).read();
        CheckpointWriter documents = new CheckpointWriter(new DurableFiles(disk), layout, scope);
        ObjectNode report = documents.readDocument(layout.report()).orElseGet(Trees::empty);
        KubeletVersion version = kubelet.or(() -> reported(report)).orElseGet(KubeletVersion::newest);
        ManifestCheck check = kubelets.apply(version);
        ImmutableList.Builder<PodLine> lines = ImmutableList.builder();
        shelf.pods().values().forEach(stored -> lines.add(line(stored, report, check)));
        ImmutableList.Builder<String> unstored = ImmutableList.builder();
        report.path("pods").properties().forEach(entry -> {
            boolean known = shelf.pods().keySet().stream()
                    .anyMatch(key -> key.toString().equals(entry.getKey()));
            if (!known) {
                unstored.add(entry.getKey() + " asks for a checkpoint and has none: "
                        + String.join("; ", texts(entry.getValue().path("remarks"))));
            }
        });
        return new NodeStatus(
                lines.build(),
                shelf.flaws(),
                ImmutableList.<String>builder()
                        .addAll(unstored.build())
                        .addAll(texts(report.path("problems")))
                        .build(),
                instant(report.path("at")),
                version);
    }

    private static Optional<KubeletVersion> reported(ObjectNode report) {
        try {
            return Optional.of(KubeletVersion.parse(report.path("kubelet").asString("")));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static PodLine line(Stored stored, ObjectNode report, ManifestCheck check) {
        JsonNode pod = report.path("pods").path(stored.key().toString());
        Optional<Generation> next = stored.good().or(stored::newest);
        ImmutableList<String> objections = next.map(generation -> check.objections(generation.manifest()).stream()
                        .map(Objection::message)
                        .collect(ImmutableList.toImmutableList()))
                .orElse(ImmutableList.of("nothing of it is stored that is whole"));
        return new PodLine(
                stored.key(),
                pod.path("standing").asString("UNKNOWN"),
                stored.active().isPresent(),
                stored.generations().size(),
                next.map(Generation::proven).orElse(false),
                next.map(Generation::stored),
                instant(report.path("compared").path(stored.key().toString())),
                objections,
                texts(pod.path("remarks")));
    }

    private static ImmutableList<String> texts(JsonNode array) {
        ImmutableList.Builder<String> texts = ImmutableList.builder();
        array.forEach(text -> texts.add(text.asString("")));
        return texts.build();
    }

    private static Optional<Instant> instant(JsonNode text) {
        try {
            return Optional.of(Instant.parse(text.asString("")));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Everything would come back, and the disk is as it was written. */
    public boolean fine() {
        return flaws.isEmpty() && pods.stream().allMatch(pod -> pod.objections().isEmpty());
    }

    public ObjectNode json() {
        ObjectNode json = Trees.empty();
        json.put("fine", fine()).put("kubelet", kubelet.toString());
        reportedAt.ifPresent(at -> json.put("reportedAt", at.toString()));
        var lines = json.putArray("pods");
        for (PodLine pod : pods) {
            ObjectNode line = lines.addObject();
            line.put("namespace", pod.key().namespace()).put("name", pod.key().name());
            line.put("standing", pod.standing()).put("active", pod.active());
            line.put("generations", pod.generations()).put("proven", pod.proven());
            pod.stored().ifPresent(at -> line.put("stored", at.toString()));
            pod.compared().ifPresent(at -> line.put("compared", at.toString()));
            line.put("comesBack", pod.objections().isEmpty());
            var objections = line.putArray("objections");
            pod.objections().forEach(objections::add);
            var remarks = line.putArray("remarks");
            pod.remarks().forEach(remarks::add);
        }
        var flawed = json.putArray("flaws");
        flaws.forEach(flaw -> flawed.addObject().put("path", flaw.path()).put("message", flaw.message()));
        var told = json.putArray("problems");
        problems.forEach(told::add);
        return json;
    }
}
