package dev.kip.sim.cli;

import dev.kip.sim.fuzz.Campaign;
import dev.kip.sim.fuzz.Campaign.Found;
import dev.kip.sim.fuzz.Campaign.Job;
import dev.kip.sim.fuzz.Campaign.Plan;
import dev.kip.sim.fuzz.Campaign.Progress;
import dev.kip.sim.fuzz.CampaignFile;
import dev.kip.sim.fuzz.Fuzz;
import dev.kip.sim.fuzz.Told;
import dev.kip.sim.planted.Plants;
import dev.kip.sim.replay.Failures;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.scenario.Outcomes.Problem;
import dev.kip.sim.shrink.Shrinker;
import dev.kip.yaml.Suggestion;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kip sim fuzz}. */
@Command(
        name = "fuzz",
        description = {
            "Tells drawn histories with all invariants on, and keeps each new way of failing as a replay file.",
            "Group swarm: each seed draws a world of its own too, and stories that led to something new are varied."
                    + " Group ownership: the history of each seed, in the usual world."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip sim fuzz --for 10m --jobs 2",
            "  ./kip sim fuzz --for 1h --campaign night.json            # the same command goes on where it ended",
            "  ./kip sim fuzz ownership --seeds 1000 --jobs 2",
            "  ./kip sim fuzz ownership --from 1001 --for 10m",
            "  ./kip sim fuzz ownership --from 17 --seeds 1 --verbose   # tells seed 17 again, with its timeline",
            "  ./kip sim fuzz ownership --from 17 --show                # its story as a file",
            "  ./kip sim fuzz --shard 3/20 --seeds 1000 -o json > 3.log # one of 20 machines; see: kip sim merge",
            "  ./kip sim fuzz --plant no-write-ahead --until-failure",
            "",
            "Exit codes: 0 every history ended well, 1 one did not, 2 wrong usage."
        })
final class FuzzCommand implements Callable<Integer> {

    private static final long SECOND = 1_000_000_000L;
    private static final int SHRINK_SECONDS = 60;
    private static final long SAVE_EVERY = 30 * SECOND;
    private static final Pattern SHARD = Pattern.compile("(\\d{1,6})/(\\d{1,6})");

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "GROUP",
            description = "swarm or ownership, default ${DEFAULT-VALUE}",
            defaultValue = Fuzz.SWARM)
    private String group = "";

    @Option(names = "--seeds", description = "how many, default ${DEFAULT-VALUE}", defaultValue = "100")
    private long seeds;

    @Option(names = "--from", description = "the first seed, default ${DEFAULT-VALUE}", defaultValue = "1")
    private long from;

    @Option(names = "--jobs", description = "threads, default ${DEFAULT-VALUE}", defaultValue = "1")
    private int jobs;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            description = "ends after so long, such as 10m; then --seeds counts only if given too")
    private Optional<String> limit = Optional.empty();

    @Option(names = "--shard", paramLabel = "I/N", description = "every N-th seed only, from the I-th on, I from 0")
    private Optional<String> shard = Optional.empty();

    @Option(
            names = "--plant",
            paramLabel = "BUG",
            description = "the controllers have this bug; see: kip sim mutants --list")
    private Optional<String> plant = Optional.empty();

    @Option(
            names = "--failures",
            paramLabel = "DIR",
            description = "where replay files go, default ${DEFAULT-VALUE}",
            defaultValue = "kip-failures")
    private Path failures = Path.of("kip-failures");

    @Option(
            names = "--campaign",
            paramLabel = "FILE",
            description = "what was told and covered is kept here; if it is there, it is gone on with")
    private Optional<Path> file = Optional.empty();

    @Option(
            names = "--shrink",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "each new way of failing is made as short as it can be within a minute; --no-shrink does not")
    private boolean shrink;

    @Option(names = "--until-failure", description = "ends with the first failure")
    private boolean untilFailure;

    @Option(names = "--verbose", description = "print the timeline of what failed")
    private boolean verbose;

    @Option(names = "--show", description = "print the story of the first seed, and tell nothing")
    private boolean show;

    @Option(
            names = "--recipe",
            paramLabel = "RECIPE",
            description = "only this story, as a campaign names it, such as 17/5=99")
    private Optional<String> recipe = Optional.empty();

    @Option(
            names = "-o",
            description = "text, or json: what was found as lines for kip sim merge",
            defaultValue = "text")
    private SimCommand.Format format = SimCommand.Format.TEXT;

    private Campaign campaign = new Campaign(new Plan(Fuzz.SWARM, Optional.empty(), 1, 0, 1));
    private Failures kept = new Failures(Path.of("kip-failures"));
    private volatile boolean enough;

    @Override
    public Integer call() throws InterruptedException, IOException {
        check();
        PrintWriter out = spec.commandLine().getOut();
        if (show) {
            out.print(Fuzz.replay(group, recipe.orElse(Long.toString(from)), plant)
                    .text());
            out.flush();
            return 0;
        }
        SimCommand.quieten();
        kept = new Failures(failures);
        if (recipe.isPresent()) {
            var outcomes = Fuzz.replay(group, recipe.get(), plant).tell(true);
            out.println(Reports.text(outcomes));
            out.flush();
            return outcomes.passed() ? 0 : 1;
        }
        Plan plan = plan();
        campaign = new Campaign(plan);
        if (file.isPresent() && Files.exists(file.get())) {
            goOn(plan, file.get());
        }
        long began = System.nanoTime();
        long end = limit.map(text -> began + nanos(text)).orElse(Long.MAX_VALUE);
        boolean counted = limit.isEmpty() || spec.commandLine().getParseResult().hasMatchedOption("--seeds");
        long last = counted ? from + seeds : Long.MAX_VALUE;
        run(began, end, last);
        if (format == SimCommand.Format.JSON) {
            CampaignFile.lines(campaign).forEach(out::println);
            out.flush();
        } else {
            report(out, began);
        }
        return campaign.progress().failed() == 0 ? 0 : 1;
    }

    private void check() {
        if (!Fuzz.GROUPS.contains(group)) {
            throw new UsageProblem("there are no histories of \"" + group + "\"."
                    + Suggestion.didYouMean(group, Fuzz.GROUPS) + " Known: " + String.join(", ", Fuzz.GROUPS));
        }
        if (seeds < 1 || jobs < 1) {
            throw new UsageProblem("--seeds and --jobs must be 1 or more");
        }
        if (plant.isPresent() && Plants.find(plant.get()).isEmpty()) {
            throw new UsageProblem("there is no bug \"" + plant.get() + "\" to plant. See: kip sim mutants --list");
        }
        if (recipe.isPresent() && !recipe.get().matches("\\d+(/k\\d+)?(/\\d+=\\d+)*")) {
            throw new UsageProblem("--recipe " + recipe.get() + " is none; a campaign names them, such as 17/k3/5=99");
        }
    }

    private Plan plan() {
        int index = 0;
        int shards = 1;
        if (shard.isPresent()) {
            Matcher matcher = SHARD.matcher(shard.get());
            if (!matcher.matches()) {
                throw new UsageProblem("--shard " + shard.get() + " is no part of a whole; write 0/20, 1/20 ... 19/20");
            }
            index = Integer.parseInt(matcher.group(1));
            shards = Integer.parseInt(matcher.group(2));
            if (index >= shards) {
                throw new UsageProblem("--shard " + shard.get() + ": shards count from 0, so the last of " + shards
                        + " is " + (shards - 1) + "/" + shards);
            }
        }
        return new Plan(group, plant, from, index, shards);
    }

    private void goOn(Plan plan, Path earlier) throws IOException {
        Optional<Plan> before = CampaignFile.planOf(earlier);
        if (before.isEmpty() || !before.get().equals(plan)) {
            throw new UsageProblem(earlier + " holds another campaign ("
                    + before.map(Plan::toString).orElse("none")
                    + "): give the same group, --from, --shard and --plant, or another file");
        }
        CampaignFile.resume(campaign, earlier);
    }

    private void run(long began, long end, long last) throws InterruptedException, IOException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            Thread thread = new Thread(() -> work(last, end), "fuzz-" + i);
            thread.start();
            threads.add(thread);
        }
        long shown = began;
        long saved = began;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                thread.join(200);
                if (System.nanoTime() - shown > 10 * SECOND) {
                    shown = System.nanoTime();
                    report(spec.commandLine().getErr(), began);
                }
                if (file.isPresent() && System.nanoTime() - saved > SAVE_EVERY) {
                    saved = System.nanoTime();
                    CampaignFile.write(campaign, file.get());
                }
            }
        }
        if (file.isPresent()) {
            CampaignFile.write(campaign, file.get());
        }
    }

    private static long nanos(String text) {
        if (!text.matches("\\d{1,6}[smh]")) {
            throw new UsageProblem("--for " + text + " is no time; write 90s, 10m or 2h");
        }
        long amount = Long.parseLong(text.substring(0, text.length() - 1));
        return amount
                * SECOND
                * switch (text.charAt(text.length() - 1)) {
                    case 's' -> 1;
                    case 'm' -> 60;
                    default -> 3_600;
                };
    }

    private void work(long last, long end) {
        while (System.nanoTime() < end && !enough) {
            Optional<Job> job = campaign.next(last);
            if (job.isEmpty()) {
                return;
            }
            Told told = campaign.tell(job.get(), verbose);
            Optional<Found> found = campaign.take(
                    told, replay -> Optional.of(kept.keep(replay).file().toString()));
            found.ifPresent(failure -> tell(told, failure));
            if (shrink && found.map(Found::isNew).orElse(false)) {
                shrink(told);
            }
            enough |= untilFailure && found.isPresent();
        }
    }

    private void shrink(Told told) {
        Replay failed = Replay.of(told.replay().story(), told.outcomes(), plant);
        Optional<Shrinker.Result> result = Shrinker.shrink(failed, ShrinkCommand.deadline(SHRINK_SECONDS));
        result.ifPresent(shorter -> say(String.format(
                Locale.ROOT,
                "  short: %s, %d steps of %d",
                kept.keepShort(shorter.replay()).story(),
                shorter.stepsAfter(),
                shorter.stepsBefore())));
    }

    private synchronized void say(String line) {
        PrintWriter out = format == SimCommand.Format.JSON
                ? spec.commandLine().getErr()
                : spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }

    private synchronized void tell(Told told, Found found) {
        PrintWriter out = format == SimCommand.Format.JSON
                ? spec.commandLine().getErr()
                : spec.commandLine().getOut();
        Problem first = told.outcomes().problems().get(0);
        if (verbose) {
            out.println(Reports.text(told.outcomes()));
        }
        out.println("FAILED seed " + told.job().text() + "  " + first.id() + ": " + first.text());
        out.println(
                found.isNew()
                        ? "  again: ./kip sim replay " + found.file().orElse("")
                        : "  as before: " + found.file().orElse(""));
        out.flush();
    }

    private void report(PrintWriter to, long began) {
        double seconds = (System.nanoTime() - began) / (double) SECOND;
        Progress progress = campaign.progress();
        to.println(Reports.progress(progress, seconds));
        to.flush();
    }
}
