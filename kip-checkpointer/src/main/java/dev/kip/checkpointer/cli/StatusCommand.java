package dev.kip.checkpointer.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.NodeStatus;
import dev.kip.checkpointer.NodeStatus.PodLine;
import dev.kip.checkpointer.generation.CheckpointReader.Scope;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.checkpointer.sanitise.KubeletCheck;
import dev.kip.disk.nio.NioDisk;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "status",
        description = {
            "What is checkpointed on this node, how fresh it is, and whether it would come back now. Reads the disk",
            "alone, so that it works when nothing else does. Run it on the node, as root."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:everything would come back",
            "1:something would not, or is not as it was written",
            "2:wrong usage, or the disk cannot be read"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip-checkpointer status --node-name node-1",
            "  kip-checkpointer status --node-name node-1 --kubelet-version 1.37   # would it after an upgrade of kubelet?",
            "  kip-checkpointer status --node-name node-1 -o json | jq -e .fine"
        })
final class StatusCommand implements Callable<Integer> {

    private static final Duration SILENT = Duration.ofMinutes(5);

    /** For whom the output is. */
    enum Format {
        text,
        json
    }

    @Mixin
    private Places places = new Places();

    @Option(
            names = "--kubelet-version",
            paramLabel = "VERSION",
            description = "Of this node. Default: what the API server last said, else the newest that is known.")
    private @Nullable String kubelet;

    @Option(
            names = {"-o", "--output"},
            description = "One of ${COMPLETION-CANDIDATES}. Default: text.")
    private Format format = Format.text;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        if (places.node().isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "which node this is must be said: --node-name or $NODE_NAME");
        }
        String namespace = places.namespace().isEmpty() ? "kube-system" : places.namespace();
        NodeStatus status;
        try {
            status = NodeStatus.read(
                    new NioDisk(),
                    places.layout(),
                    new Scope(places.node(), namespace),
                    Optional.ofNullable(kubelet).map(KubeletVersion::parse),
                    version -> new KubeletCheck(KubeletModel.of(version), NodeFacts.named(places.node())));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--kubelet-version: " + e.getMessage());
        } catch (IOException e) {
            spec.commandLine().getErr().println(places.layout().state() + " cannot be read: " + e);
            return 2;
        }
        if (format == Format.json) {
            spec.commandLine().getOut().println(status.json().toPrettyString());
        } else {
            print(status, Instant.now(), spec.commandLine().getOut());
        }
        return status.fine() ? 0 : 1;
    }

    private void print(NodeStatus status, Instant now, PrintWriter out) {
        if (status.pods().isEmpty()) {
            out.println("Nothing is checkpointed on node " + places.node() + " ("
                    + places.layout().state() + ").");
        } else {
            List<ImmutableList<String>> rows = new ArrayList<>();
            rows.add(ImmutableList.of(
                    "POD", "STANDS", "RUNS", "GENERATIONS", "PROVEN", "STORED", "COMPARED", "COMES BACK"));
            for (PodLine pod : status.pods()) {
                rows.add(ImmutableList.of(
                        pod.key().toString(),
                        pod.standing(),
                        pod.active() ? "yes" : "no",
                        Integer.toString(pod.generations()),
                        pod.proven() ? "yes" : "not yet",
                        pod.stored().map(at -> age(at, now)).orElse("-"),
                        pod.compared().map(at -> age(at, now)).orElse("never"),
                        pod.objections().isEmpty() ? "yes" : "NO"));
            }
            table(rows, out);
        }
        for (PodLine pod : status.pods()) {
            pod.objections().forEach(text -> out.println(pod.key() + " would not come back: " + text));
            pod.remarks().forEach(text -> out.println(pod.key() + ": " + text));
        }
        status.flaws().forEach(flaw -> out.println(flaw.path() + " " + flaw.message()));
        status.problems().forEach(out::println);
        out.println(status.reportedAt()
                .map(at -> "The checkpointer reported last " + age(at, now) + " ago. Judged as kubelet "
                        + status.kubelet() + " would.")
                .orElse("No checkpointer has reported yet. Judged as kubelet " + status.kubelet() + " would."));
        boolean silent = status.reportedAt()
                .map(at -> Duration.between(at, now).compareTo(SILENT) > 0)
                .orElse(false);
        if (silent) {
            out.println("No checkpointer seems to be at work here: one that is reports every minute.");
        }
        out.flush();
    }

    private static void table(List<ImmutableList<String>> rows, PrintWriter out) {
        int columns = rows.get(0).size();
        for (ImmutableList<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < columns; column++) {
                int at = column;
                int width = rows.stream()
                        .mapToInt(one -> one.get(at).length())
                        .max()
                        .orElse(0);
                line.append(row.get(column))
                        .append(" ".repeat(width - row.get(column).length() + 2));
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private static String age(Instant at, Instant now) {
        Duration age = Duration.between(at, now);
        if (age.isNegative()) {
            return "in the future";
        }
        return age.toDays() > 1
                ? age.toDays() + "d"
                : age.toHours() > 1
                        ? age.toHours() + "h"
                        : age.toMinutes() > 1 ? age.toMinutes() + "m" : age.toSeconds() + "s";
    }
}
