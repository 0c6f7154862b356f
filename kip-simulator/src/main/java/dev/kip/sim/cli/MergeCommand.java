package dev.kip.sim.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.fuzz.CampaignFile;
import dev.kip.sim.fuzz.Merge;
import dev.kip.sim.replay.Failures;
import dev.kip.yaml.YamlProblem;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kip sim merge}. */
@Command(
        name = "merge",
        description = "Adds up what the shards of a campaign have found.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip sim merge shard-*.log",
            "  kubectl logs -l job-name=kip-fuzz --tail=-1 --prefix=false | ./kip sim merge -",
            "",
            "Exit codes: 0 nothing failed, 1 something did, 2 wrong usage or a file that holds no result."
        })
final class MergeCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "files of --campaign, logs of fuzz -o json; - for the standard input")
    private List<String> files = List.of();

    @Option(
            names = "--failures",
            paramLabel = "DIR",
            description = "where replay files go, default ${DEFAULT-VALUE}",
            defaultValue = "kip-failures")
    private Path failures = Path.of("kip-failures");

    @Option(names = "-o", description = "text, or json: the whole as lines for kip sim merge", defaultValue = "text")
    private SimCommand.Format format = SimCommand.Format.TEXT;

    @Override
    public Integer call() throws YamlProblem {
        Merge merge = new Merge();
        try {
            for (String file : files) {
                merge.add(file.equals("-") ? standardInput() : Files.readAllLines(Path.of(file)), file);
            }
        } catch (IOException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
        merge.keep(new Failures(failures));
        PrintWriter out = spec.commandLine().getOut();
        if (format == SimCommand.Format.JSON) {
            CampaignFile.lines(merge.whole()).forEach(out::println);
        } else {
            out.println("merged " + merge.parts() + " campaigns: "
                    + Reports.found(merge.whole().progress()));
        }
        out.flush();
        return merge.whole().progress().failed() == 0 ? 0 : 1;
    }

    private static ImmutableList<String> standardInput() {
        return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                .lines()
                .collect(ImmutableList.toImmutableList());
    }
}
