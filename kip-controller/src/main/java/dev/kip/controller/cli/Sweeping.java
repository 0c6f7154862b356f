package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.events.ObjectEvents;
import dev.kip.controller.gc.Audit;
import dev.kip.controller.gc.LastLooks;
import dev.kip.controller.gc.Sweep;
import dev.kip.controller.gc.Sweep.Fate;
import dev.kip.controller.gc.Sweep.Verdict;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Texts;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.launch.Terminations;
import dev.kip.controller.limits.Limits;
import dev.kip.controller.ownership.Mandate;
import dev.kip.loop.Loop;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Shows or ends what an installation has left: rounds of a {@link Sweep}, and what became of each instance. */
final class Sweeping {

    private static final Duration PAUSE = Duration.ofSeconds(3);

    private final Session session;
    private final Gathering gathering;
    private final Holdings holdings;
    private final Owner owner;
    private final boolean alone;
    private final PrintWriter out;
    private final TableFormat output;
    private final ControllerSettings settings;

    /** @param alone the cluster is gone, an operator says */
    Sweeping(Session session, Gathering gathering, Owner owner, boolean alone, PrintWriter out, TableFormat output) {
        this.session = session;
        this.gathering = gathering;
        this.holdings = gathering.holdings();
        this.owner = owner;
        this.alone = alone;
        this.out = out;
        this.output = output;
        this.settings = session.config().controller();
    }

    int show() {
        Sweep sweep = sweep(Optional.empty());
        ImmutableList<Verdict> verdicts = round(sweep);
        ImmutableList<String> remains =
                alone ? new Remains(session, owner.standing().installationId()).list(gathering) : ImmutableList.of();
        if (output == TableFormat.json) {
            out.print(json(verdicts, remains));
        } else {
            out.print(table(verdicts));
            remains.forEach(what -> out.println("would be deleted too: " + what));
            out.println();
            out.println("Installation " + owner.standing().installationId() + ", keys from " + owner.source() + ".");
            owner.living()
                    .ifPresent(living -> out.println("It lives: " + living
                            + ". Its own controller collects; kip gc --yes only tells it to go on if it has stopped."));
            long would = verdicts.stream()
                    .filter(verdict -> verdict.fate() == Fate.WOULD_END)
                    .count();
            out.println(Texts.count((int) would, "instance") + " would be ended: "
                    + Texts.hourlyAndMonthly(hourlyUsd(verdicts, Fate.WOULD_END)) + " saved."
                    + (would > 0 && owner.living().isEmpty()
                            ? " To end them: kip gc " + (alone ? "--cluster-gone " : "") + "--yes"
                            : ""));
            out.print(GcCommand.others(holdings, owner.standing().installationId()));
        }
        out.flush();
        return 0;
    }

    int run() {
        ImmutableList<String> nodes = Stream.concat(
                        holdings.leases().stream().map(Holdings.LeaseFacts::node),
                        holdings.instances().stream()
                                .filter(instance -> owner.standing().proves(instance))
                                .map(instance -> instance.tags().getOrDefault(Tags.NODE, "")))
                .filter(node -> !node.isEmpty())
                .distinct()
                .collect(ImmutableList.toImmutableList());
        Map<String, Verdict> last = new LinkedHashMap<>();
        try (Office office = Office.take(session, owner, nodes)) {
            Sweep sweep = sweep(Optional.of(office));
            boolean more = true;
            while (more) {
                ImmutableList<Verdict> verdicts = round(sweep);
                more = verdicts.stream().anyMatch(verdict -> verdict.fate() == Fate.WAITS);
                for (Verdict verdict : verdicts) {
                    boolean news = !Optional.ofNullable(
                                    last.put(verdict.instance().id(), verdict))
                            .map(Sweeping::said)
                            .equals(Optional.of(said(verdict)));
                    if (news) {
                        session.say(verdict.instance().id() + " " + said(verdict));
                    }
                }
                if (more) {
                    session.pause(PAUSE);
                }
            }
        }
        ImmutableList<Verdict> all = ImmutableList.copyOf(last.values());
        ImmutableList<String> left = alone && all.stream().allMatch(verdict -> verdict.fate() == Fate.ENDED)
                ? new Remains(session, owner.standing().installationId())
                        .takeDown(
                                gathering,
                                session.ways()
                                        .anchors()
                                        .flatMap(store -> Owner.identity(
                                                session, store, owner.standing().installationId())))
                : ImmutableList.of();
        if (output == TableFormat.json) {
            out.print(json(all, left));
        } else {
            out.print(table(all));
            out.println();
            left.forEach(what -> out.println("left: " + what));
            out.println(Texts.count(
                            (int) all.stream()
                                    .filter(verdict -> verdict.fate() == Fate.ENDED)
                                    .count(),
                            "instance")
                    + " ended: " + Texts.hourlyAndMonthly(hourlyUsd(all, Fate.ENDED)) + " saved.");
            out.print(GcCommand.others(holdings, owner.standing().installationId()));
        }
        out.flush();
        return left.isEmpty() && all.stream().noneMatch(verdict -> verdict.fate() == Fate.NOT_OURS)
                ? 0
                : CliFailure.FAILED;
    }

    /** As it is said once, however often the seconds in it change. */
    private static String said(Verdict verdict) {
        return word(verdict.fate()) + ": "
                + verdict.because()
                        .replaceAll("seen unclaimed in \\d+ lists over \\d+ s", "seen unclaimed for a while only");
    }

    private Sweep sweep(Optional<Office> office) {
        Loop loop = session.ways().loop();
        Calls calls = new Calls(loop, ControllerListener.NONE);
        CloudEffects cloud = new CloudEffects(
                loop, session.cloud(), new Limits(loop, session.cloud().limits(), ControllerListener.NONE), calls);
        ObjectEvents events =
                new ObjectEvents(loop, session.kube(), calls, settings.node().name(), () -> !alone);
        Audit audit = new Audit(
                owner.standing(),
                settings.node().name(),
                (reason, message, instance) -> events.tellOnce(
                        ObjectEvents.Subject.installation(
                                settings.installation(),
                                owner.record()
                                        .map(found -> found.metadata().uid())
                                        .orElse("")),
                        false,
                        reason,
                        message + "; by kip gc",
                        instance),
                ControllerListener.NONE);
        Duration window = settings.timing().cloudConsistency();
        return new Sweep(new Sweep.Room(
                loop,
                calls,
                cloud,
                new Terminations(
                        loop,
                        cloud,
                        calls,
                        () -> office.map(Office::mandate)
                                .orElseGet(() -> new Mandate(owner.standing().epoch(), loop.nanos() - 1)),
                        why -> {}), // it is in the log, and the verdict says that it waits
                new LastLooks(
                        cloud,
                        session.ways().cells().apply(owner.standing().keys()),
                        calls,
                        settings.cells().agentPort(),
                        window),
                audit,
                owner.standing(),
                alone ? Sweep.noClaimants() : Sweep.claimants(session.kube(), calls),
                (node, then) -> office.ifPresent(held -> held.read(node, then)),
                window,
                office.isEmpty()));
    }

    private ImmutableList<Verdict> round(Sweep sweep) {
        CompletableFuture<ImmutableList<Verdict>> verdicts = new CompletableFuture<>();
        return session.ask("the instances", () -> {
            sweep.round(
                    verdicts::complete,
                    why -> verdicts.completeExceptionally(
                            new CliFailure(CliFailure.FAILED, "the instances cannot be listed: " + why)));
            return verdicts;
        });
    }

    private String table(ImmutableList<Verdict> verdicts) {
        if (verdicts.isEmpty()) {
            return "No instance of this installation is left.\n";
        }
        Table table = new Table("INSTANCE", "NODE", "TYPE", "AGE", "$/HOUR", "FATE", "BECAUSE", "PROOF");
        for (Verdict verdict : verdicts) {
            table.add(
                    verdict.instance().id(),
                    verdict.instance().tags().getOrDefault(Tags.NODE, ""),
                    verdict.instance().type(),
                    Texts.age(Duration.between(verdict.instance().launchTime(), holdings.now())),
                    Optional.ofNullable(holdings.prices().get(verdict.instance().type()))
                            .map(usd -> Texts.usd(usd).substring(1))
                            .orElse(""),
                    word(verdict.fate()),
                    verdict.because(),
                    verdict.provenance().because().equals(verdict.because())
                            ? ""
                            : verdict.provenance().because());
        }
        return table.text();
    }

    private static String word(Fate fate) {
        return fate.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private double hourlyUsd(ImmutableList<Verdict> verdicts, Fate fate) {
        return verdicts.stream()
                .filter(verdict -> verdict.fate() == fate)
                .flatMap(verdict -> Stream.ofNullable(
                        holdings.prices().get(verdict.instance().type())))
                .mapToDouble(Double::doubleValue)
                .sum();
    }

    private String json(ImmutableList<Verdict> verdicts, ImmutableList<String> others) {
        ObjectNode document = JsonMapper.shared().createObjectNode();
        document.put("installationID", owner.standing().installationId());
        document.put("living", owner.living().orElse(""));
        ArrayNode list = document.putArray("instances");
        for (Verdict verdict : verdicts) {
            GcCommand.priced(
                    list.addObject()
                            .put("instanceID", verdict.instance().id())
                            .put("instanceType", verdict.instance().type())
                            .put("node", verdict.instance().tags().getOrDefault(Tags.NODE, ""))
                            .put(
                                    "ageSeconds",
                                    Duration.between(verdict.instance().launchTime(), holdings.now())
                                            .toSeconds())
                            .put("fate", word(verdict.fate()))
                            .put("because", verdict.because())
                            .put("proof", verdict.provenance().because()),
                    holdings,
                    verdict.instance().type());
        }
        ArrayNode more = document.putArray("others");
        others.forEach(more::add);
        return document.toPrettyString() + "\n";
    }
}
