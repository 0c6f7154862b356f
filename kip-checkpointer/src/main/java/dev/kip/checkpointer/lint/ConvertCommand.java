package dev.kip.checkpointer.lint;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.kubelet.Circumstances;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.checkpointer.sanitise.Sanitised;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.sanitise.StaticPod;
import dev.kip.checkpointer.sanitise.TableSanitiser;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import dev.kip.yaml.YamlReader;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code kip-checkpointer convert}. */
@Command(
        name = "convert",
        description = {
            "The static pod that this program would write for a pod: what differs, and why.",
            "Writes nothing. Secrets and the like that are not given with --objects appear as placeholders."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every pod has a checkpoint that comes back",
            "1:one has none, or one that does not",
            "2:wrong usage, or input that cannot be read"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip-checkpointer convert kube-apiserver.yaml",
            "  kip-checkpointer convert daemonset.yaml -o manifest > /etc/kubernetes/manifests/api.yaml",
            "  kip-checkpointer convert pod.yaml --objects secrets.yaml --volumes /etc/kubernetes/api",
            "  kubectl get pod p -o yaml | kip-checkpointer convert - --kubelet all"
        })
public final class ConvertCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "Manifests, YAML or JSON; a directory of them; - for standard input.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = "--objects",
            paramLabel = "FILE",
            description = "Secrets, ConfigMaps, PriorityClasses that the pods refer to; may be given again.")
    private List<Path> objects = new ArrayList<>();

    @Option(
            names = "--volumes",
            paramLabel = "DIR",
            defaultValue = "/var/lib/kip-checkpointer/volumes",
            description = "Where the files of its volumes would be; default ${DEFAULT-VALUE}.")
    private String volumes = "/var/lib/kip-checkpointer/volumes";

    @Option(
            names = "--kubelet",
            paramLabel = "V,...",
            defaultValue = "1.37",
            description = "Versions of kubelet, 1.11 to 1.37, or all; default ${DEFAULT-VALUE}.")
    private String kubelets = "1.37";

    @Option(
            names = {"-o", "--output"},
            defaultValue = "diff",
            description = "One of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    private ConvertFormat output = ConvertFormat.diff;

    @Mixin
    private NodeOptions nodeOptions = new NodeOptions();

    private final InputStream stdin;

    public ConvertCommand() {
        this(System.in);
    }

    ConvertCommand(InputStream stdin) {
        this.stdin = stdin;
    }

    /** A pod and its checkpoint. */
    private record Converted(PodDocument document, Sanitised sanitised, Verdict verdict) {}

    @Override
    public Integer call() {
        ImmutableList<KubeletVersion> versions = LintCommand.versions(kubelets);
        NodeFacts node = nodeOptions.node(versions);
        Circumstances circumstances = new Circumstances(nodeOptions.api(), node, ImmutableList.of());
        ImmutableList<ObjectNode> given = objects();
        ImmutableList<Converted> converted = Inputs.read(files, stdin).stream()
                .map(document -> convert(document, given, versions, circumstances))
                .collect(ImmutableList.toImmutableList());
        PrintWriter out = spec.commandLine().getOut();
        switch (output) {
            case diff -> converted.forEach(one -> out.println(diff(one, versions, circumstances)));
            case manifest -> manifests(converted, out);
            case json -> out.println(json(converted));
        }
        out.flush();
        return converted.stream().allMatch(one -> one.verdict().comesBack()) ? 0 : 1;
    }

    private Converted convert(
            PodDocument document,
            ImmutableList<ObjectNode> given,
            ImmutableList<KubeletVersion> versions,
            Circumstances circumstances) {
        TableSanitiser sanitiser = new TableSanitiser();
        Sanitised sanitised = sanitiser.sanitise(
                document.pod(),
                AssumedSupplies.of(document.pod(), sanitiser, given),
                new Sanitiser.Site(volumes, circumstances.node().name()));
        return new Converted(
                document,
                sanitised,
                Verdict.ofCheckpoint(
                        document,
                        sanitised.pod().map(StaticPod::manifest),
                        sanitised.findings(),
                        versions,
                        circumstances));
    }

    private ImmutableList<ObjectNode> objects() {
        ImmutableList.Builder<ObjectNode> found = ImmutableList.builder();
        for (Path file : objects) {
            try {
                for (Yaml document : YamlReader.readAll(file.toString(), Inputs.text(file))) {
                    JsonNode json = GoYaml.json(document);
                    if (json.path("items").isArray()) {
                        json.path("items").forEach(item -> found.add((ObjectNode) item));
                    } else if (json instanceof ObjectNode object && object.has("kind")) {
                        found.add(object);
                    } else {
                        throw new LintFailure(file + ":" + document.line() + ": an object with a kind expected, found "
                                + document.found());
                    }
                }
            } catch (YamlProblem e) {
                throw new LintFailure(String.valueOf(e.getMessage()));
            }
        }
        return found.build();
    }

    private static String diff(Converted one, ImmutableList<KubeletVersion> versions, Circumstances circumstances) {
        StringBuilder text = new StringBuilder(1024);
        one.sanitised().pod().ifPresent(pod -> {
            text.append("--- ")
                    .append(one.document().file())
                    .append(": ")
                    .append(one.document().name())
                    .append('\n');
            text.append("+++ its checkpoint\n");
            text.append(new ReasonedDiff(
                            one.document().pod(),
                            pod.manifest(),
                            one.sanitised().findings())
                    .text());
            files(pod, text);
            text.append('\n');
        });
        return text.append(new TextReport(versions, circumstances.api()).text(ImmutableList.of(one.verdict())))
                .toString();
    }

    private static void files(StaticPod pod, StringBuilder text) {
        for (StaticPod.Volume volume : pod.volumes()) {
            text.append("volume ")
                    .append(volume.name())
                    .append(volume.files().isEmpty() ? ": all keys of its object\n" : ":\n");
            for (StaticPod.File file : volume.files()) {
                text.append("  ")
                        .append(String.format(Locale.ROOT, "%04o", file.mode()))
                        .append(' ')
                        .append(file.uid())
                        .append(':')
                        .append(file.gid())
                        .append(' ')
                        .append(file.path())
                        .append('\n');
            }
        }
    }

    private void manifests(ImmutableList<Converted> converted, PrintWriter out) {
        String separator = "";
        for (Converted one : converted) {
            if (one.sanitised().pod().isEmpty()) {
                one.verdict().obstacles().stream()
                        .filter(obstacle -> obstacle.action().stopsThePod())
                        .forEach(obstacle -> spec.commandLine()
                                .getErr()
                                .println(one.document().name() + ": cannot be checkpointed: " + obstacle.path() + ": "
                                        + obstacle.reason()));
                continue;
            }
            out.print(separator);
            TreeLines.of(one.sanitised().pod().get().manifest()).forEach(line -> out.println(line.text()));
            separator = "---\n";
        }
    }

    private static String json(ImmutableList<Converted> converted) {
        ArrayNode list = JsonMapper.shared().createArrayNode();
        for (Converted one : converted) {
            ObjectNode node = list.addObject();
            node.put("file", one.document().file());
            node.put("pod", one.document().name());
            node.put("comesBack", one.verdict().comesBack());
            one.sanitised().pod().ifPresent(pod -> node.set("manifest", pod.manifest()));
            ArrayNode changes = node.putArray("changes");
            one.sanitised()
                    .findings()
                    .forEach(finding -> changes.addObject()
                            .put("action", finding.action().name())
                            .put("path", finding.path())
                            .put("reason", finding.reason()));
        }
        return list.toPrettyString();
    }
}
