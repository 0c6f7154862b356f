package dev.kip.checkpointer.image;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.image.Finding.Verdict;
import dev.kip.loop.system.SystemLoop;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "check",
        description = {
            "Whether this machine, or the image that is mounted at a directory, can serve as a cell: kernel, control groups,",
            "containerd, kubelet and its distance from the cluster, network plugins, agent, units, disk, clock, ports. Run it",
            "as root."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it can", "1:it cannot; what fails is told, each with its remedy", "2:wrong usage"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  java -jar /usr/lib/kip/kip-checkpointer.jar image check --cluster-version 1.34",
            "  ./kip image check --root /mnt/image --for-image -o json"
        })
final class ImageCheckCommand implements Callable<Integer> {

    private static final Pattern CLUSTER = Pattern.compile("v?1\\.(\\d{1,3})(?:\\..*)?");

    /** For whom the output is. */
    enum Format {
        text,
        json
    }

    @Option(
            names = "--root",
            paramLabel = "DIR",
            description = "Where an image is mounted; its programs are run by chroot. Without it: this machine.")
    private @Nullable Path root;

    @Option(
            names = "--cluster-version",
            paramLabel = "VERSION",
            description = "The cluster's, as 1.34: says whether kubelet is near enough.")
    private @Nullable String cluster;

    @Option(names = "--for-image", description = "An image is to be made of it: nothing of an instance may be in it.")
    private boolean forImage;

    @Option(names = "-o", paramLabel = "FORMAT", description = "${COMPLETION-CANDIDATES}", defaultValue = "text")
    private Format format = Format.text;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        Optional<Path> mounted = Optional.ofNullable(root);
        if (mounted.isPresent() && !Files.isDirectory(mounted.get().resolve("etc"))) {
            throw new ParameterException(
                    spec.commandLine(), "--root: " + mounted.get() + " has no etc: no image is mounted there");
        }
        Optional<Integer> minor = Optional.ofNullable(cluster).map(this::minor);
        ImmutableList<Finding> findings = new ImageCheck(new RealMachine(mounted, now()), minor, forImage).look();
        PrintWriter out = spec.commandLine().getOut();
        boolean fine = findings.stream().noneMatch(finding -> finding.verdict() == Verdict.FAIL);
        if (format == Format.json) {
            out.println(json(findings, fine).toPrettyString());
        } else {
            print(out, findings, fine);
        }
        out.flush();
        return fine ? 0 : 1;
    }

    private static Instant now() {
        try (SystemLoop loop = SystemLoop.start("image check")) {
            return loop.now();
        }
    }

    private int minor(String version) {
        Matcher matcher = CLUSTER.matcher(version);
        if (!matcher.matches()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--cluster-version: \"" + version + "\" is no version of Kubernetes: wanted one like 1.34");
        }
        return Integer.parseInt(matcher.group(1));
    }

    private static void print(PrintWriter out, ImmutableList<Finding> findings, boolean fine) {
        for (Finding finding : findings) {
            String verdict = finding.verdict().name().toLowerCase(Locale.ROOT).replace('_', ' ');
            out.printf(Locale.ROOT, "%-8s  %-17s  %s%n", verdict, finding.what(), finding.found());
            if (!finding.remedy().isEmpty()) {
                out.printf(Locale.ROOT, "%-8s  %-17s  -> %s%n", "", "", finding.remedy());
            }
        }
        out.println(fine ? "It can serve as a cell." : "It cannot serve as a cell.");
    }

    private static ObjectNode json(ImmutableList<Finding> findings, boolean fine) {
        ObjectNode whole = JsonNodeFactory.instance.objectNode().put("fine", fine);
        ArrayNode list = whole.putArray("findings");
        findings.forEach(finding -> list.addObject()
                .put("what", finding.what())
                .put("verdict", finding.verdict().name().toLowerCase(Locale.ROOT))
                .put("found", finding.found())
                .put("remedy", finding.remedy()));
        return whole;
    }
}
