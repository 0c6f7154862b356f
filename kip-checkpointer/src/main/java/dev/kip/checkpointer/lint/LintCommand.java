package dev.kip.checkpointer.lint;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.kubelet.Circumstances;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.checkpointer.sanitise.Sanitised;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.sanitise.StaticPod;
import dev.kip.checkpointer.sanitise.TableSanitiser;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/** {@code kip-checkpointer lint}. */
@Command(
        name = "lint",
        description = {
            "Would this pod come back on that kubelet after a power cut, with no API server?",
            "Field by field: what kubelet would log, since which version, and what helps."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every pod comes back",
            "1:one does not; with --strict also: something is to know",
            "2:wrong usage, or input that cannot be read"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip-checkpointer lint /etc/kubernetes/manifests --kubelet 1.34",
            "  kip-checkpointer lint kube-apiserver.yaml --kubelet all",
            "  kip-checkpointer lint pod.yaml --kubelet 1.11.3 --node-labels node-role.kubernetes.io/master=",
            "  kubectl -n kube-system get pods -o yaml | kip-checkpointer lint - --as checkpoint",
            "  kip-checkpointer lint --node master-1 --kubeconfig admin.conf",
            "  kip-checkpointer lint manifests/ -o sarif > lint.sarif"
        })
public final class LintCommand implements Callable<Integer> {

    private static final Sanitiser.Site SITE = new Sanitiser.Site("/var/lib/kip-checkpointer/volumes", "");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "FILE",
            description = "Manifests, YAML or JSON; a directory of them; - for standard input. Pods, lists of pods, and"
                    + " DaemonSets and the like, whose checkpoints are judged.")
    private List<String> files = new ArrayList<>();

    @Option(names = "--node", paramLabel = "NAME", description = "The pods that an API server has on that node.")
    private @Nullable String nodeOfCluster;

    @Option(names = "--kubeconfig", paramLabel = "FILE", description = "For --node; without it the usual places.")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--kubelet",
            paramLabel = "V,...",
            description = "Versions of kubelet, 1.11 to 1.37, or all; default 1.37, with --node the node's own.")
    private @Nullable String kubelets;

    @Option(
            names = "--as",
            paramLabel = "WHAT",
            description = "static: kubelet reads this very file (default); checkpoint: what this program would make of"
                    + " the pod (default with --node and for templates).")
    private @Nullable String as;

    @Option(names = "--strict", description = "What is merely to know counts as a failure too.")
    private boolean strict;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            description = "One of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    private LintFormat output = LintFormat.table;

    @Mixin
    private NodeOptions nodeOptions = new NodeOptions();

    private final InputStream stdin;

    public LintCommand() {
        this(System.in);
    }

    LintCommand(InputStream stdin) {
        this.stdin = stdin;
    }

    @Override
    public Integer call() {
        if (files.isEmpty() == (nodeOfCluster == null)) {
            throw new LintFailure("name files, or a node with --node, and not both. See: kip-checkpointer lint --help");
        }
        ImmutableList<PodDocument> pods;
        ImmutableList<KubeletVersion> versions;
        NodeFacts node;
        if (nodeOfCluster == null) {
            versions = versions(kubelets == null ? KubeletVersion.newest().toString() : kubelets);
            node = nodeOptions.node(versions);
            pods = Inputs.read(files, stdin);
        } else {
            ClusterNode found = ClusterNode.read(nodeOfCluster, Optional.ofNullable(kubeconfig));
            versions = versions(kubelets == null ? found.kubelet() : kubelets);
            node = found.facts(nodeOptions.node(versions));
            pods = found.pods();
        }
        ImmutableList<Verdict> verdicts = judge(pods, versions, node);
        print(verdicts, versions, new Circumstances(nodeOptions.api(), node, ImmutableList.of()));
        boolean failed =
                verdicts.stream().anyMatch(verdict -> !verdict.comesBack() || (strict && verdict.hasWarnings()));
        return failed ? 1 : 0;
    }

    /** On one node, in the order given: each sees those before it, as kubelet takes them. */
    private ImmutableList<Verdict> judge(
            ImmutableList<PodDocument> pods, ImmutableList<KubeletVersion> versions, NodeFacts node) {
        List<ObjectNode> admitted = new ArrayList<>();
        ImmutableList.Builder<Verdict> verdicts = ImmutableList.builder();
        for (PodDocument pod : pods) {
            Circumstances circumstances = new Circumstances(nodeOptions.api(), node, ImmutableList.copyOf(admitted));
            Verdict verdict = asCheckpoint(pod)
                    ? checkpoint(pod, versions, circumstances)
                    : Verdict.ofStaticPod(pod, versions, circumstances);
            verdicts.add(verdict);
            if (onOneNode() && verdict.comesBack()) {
                verdict.judged().ifPresent(admitted::add);
            }
        }
        return verdicts.build();
    }

    /** A list from kubectl may be of many nodes; a directory of manifests, or --node, is of one. */
    private boolean onOneNode() {
        return nodeOfCluster != null || !files.contains("-");
    }

    private boolean asCheckpoint(PodDocument pod) {
        if (as == null) {
            return pod.madeFromTemplate() || nodeOfCluster != null;
        }
        return switch (as) {
            case "checkpoint" -> true;
            case "static" -> false;
            default -> throw new LintFailure("--as " + as + ": wanted static or checkpoint");
        };
    }

    private static Verdict checkpoint(
            PodDocument document, ImmutableList<KubeletVersion> versions, Circumstances circumstances) {
        TableSanitiser sanitiser = new TableSanitiser();
        Sanitised sanitised = sanitiser.sanitise(
                document.pod(),
                AssumedSupplies.of(document.pod(), sanitiser, ImmutableList.of()),
                new Sanitiser.Site(SITE.volumes(), circumstances.node().name()));
        return Verdict.ofCheckpoint(
                document, sanitised.pod().map(StaticPod::manifest), sanitised.findings(), versions, circumstances);
    }

    static ImmutableList<KubeletVersion> versions(String text) {
        if (text.equals("all")) {
            return KubeletVersion.MODELLED;
        }
        try {
            return Splitter.on(',')
                    .trimResults()
                    .omitEmptyStrings()
                    .splitToStream(text)
                    .map(KubeletVersion::parse)
                    .distinct()
                    .collect(ImmutableList.toImmutableList());
        } catch (IllegalArgumentException e) {
            throw new LintFailure("--kubelet: " + e.getMessage());
        }
    }

    private void print(
            ImmutableList<Verdict> verdicts, ImmutableList<KubeletVersion> versions, Circumstances circumstances) {
        PrintWriter out = spec.commandLine().getOut();
        switch (output) {
            case table -> out.println(new TextReport(versions, circumstances.api()).text(verdicts));
            case json -> out.println(JsonReport.text(verdicts, circumstances));
            case sarif -> out.println(SarifReport.text(verdicts, Version.current()));
        }
        out.flush();
    }
}
