package dev.kip.controller.explain;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.ControllerSettings.DaemonSets;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Holdings.LeaseFacts;
import dev.kip.controller.inventory.Inventory;
import dev.kip.controller.inventory.Row.Whose;
import dev.kip.controller.inventory.Texts;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.ownership.Conditions;
import dev.kip.controller.podstatus.Explanation;
import dev.kip.controller.store.PodFacts;
import dev.kip.controller.store.PodReader;
import dev.kip.crd.Cell;
import dev.kip.crd.LaunchBatch;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What happens next to a pod, a Cell or an instance, and why. Pure. */
final class Outlook {

    private final Holdings holdings;
    private final ControllerSettings settings;

    Outlook(Holdings holdings, ControllerSettings settings) {
        this.holdings = holdings;
        this.settings = settings;
    }

    ImmutableList<String> ofPod(ObjectNode pod, Optional<Cell> cell, Optional<InstanceFacts> instance) {
        PodFacts facts = PodReader.PODS.codec().decode(pod);
        ImmutableList.Builder<String> next = ImmutableList.builder();
        if (facts.node().isEmpty()) {
            return next.add("Nothing by Kip: the scheduler has bound it to no node." + unscheduled(pod))
                    .build();
        }
        boolean ours = holdings.leaseOf(facts.node()).isPresent();
        if (!ours && cell.isEmpty()) {
            return next.add("Nothing by Kip: node " + facts.node() + " is none of its virtual nodes.")
                    .build();
        }
        if (facts.finished() && !facts.terminating()) {
            next.add("It has ended and is not run again; its instance "
                    + (instance.isEmpty() || instance.get().state().ended() ? "has ended." : "is being ended."));
        } else if (facts.terminating()) {
            next.add(deletion(facts, instance));
        } else if (cell.isPresent()) {
            next.add(bound(facts, instance));
        } else {
            next.add(waiting(pod, facts));
        }
        leadership(facts.node()).ifPresent(next::add);
        return next.build();
    }

    ImmutableList<String> ofCell(Cell cell, Optional<InstanceFacts> instance) {
        if (instance.isPresent()) {
            return ofInstance(instance.get(), Optional.of(cell));
        }
        ImmutableList.Builder<String> next = ImmutableList.builder();
        if (!holdings.isOurs(cell)) {
            return next.add("Nothing by us: the Cell is of controller id "
                            + cell.status().controllerID() + ".")
                    .build();
        }
        next.add(
                holdings.lacks(Holdings.Source.CLOUD)
                        ? "Unknown: EC2 could not be asked for its instance."
                        : "Its instance is lost. A pod that had started becomes Failed, and its owner replaces it; one that"
                                + " had not gets another instance. The Cell is removed then.");
        leadership(cell.status().node()).ifPresent(next::add);
        return next.build();
    }

    ImmutableList<String> ofInstance(InstanceFacts instance, Optional<Cell> cell) {
        ImmutableList.Builder<String> next = ImmutableList.builder();
        String node =
                cell.map(found -> found.status().node()).orElse(instance.tags().getOrDefault(Tags.NODE, ""));
        if (instance.state().ended()) {
            next.add("Nothing: it has ended, costs nothing, and EC2 shows it for about an hour more.");
            cell.filter(holdings::isOurs).ifPresent(found -> next.add("Its Cell is removed by the controller."));
            cell.flatMap(found -> leadership(node)).ifPresent(next::add);
            return next.build();
        }
        Whose whose = Inventory.of(holdings, holdings.provenanceOf(instance));
        if (whose != Whose.OURS) {
            return next.add(notOurs(whose)).build();
        }
        if (cell.isPresent()) {
            Optional<ObjectNode> pod = holdings.pod(cell.get().status().podUID());
            next.add(
                    pod.isPresent()
                            ? bound(PodReader.PODS.codec().decode(pod.get()), Optional.of(instance))
                            : "Its pod is gone: it is ended, and its Cell removed.");
        } else {
            next.add(unbound(instance));
        }
        leadership(node).ifPresent(next::add);
        return next.build();
    }

    private static String notOurs(Whose whose) {
        switch (whose) {
            case FOREIGN:
                return "Nothing by us: only the installation that it belongs to may end it. If that one is gone for good:"
                        + " kip gc with its keys, or end it by hand.";
            case LEGACY:
                return "Nothing by itself: no part of Kip ends an instance of the original. To take it over:"
                        + " kip adopt --legacy; to end it: kip gc --legacy.";
            case SUSPECT:
                return "Nothing by itself: Kip ends only what is proven to be its own. If you know that nobody needs it,"
                        + " end it by hand.";
            case UNCHECKED:
                return "Unknown: whose it is cannot be checked without the Installation and its keys.";
            default:
                return "Nothing: it is not Kip's.";
        }
    }

    private String deletion(PodFacts pod, Optional<InstanceFacts> instance) {
        if (instance.isPresent() && !instance.get().state().ended()) {
            return "Its containers are told to end and have " + Texts.age(pod.grace())
                    + " for it; then its instance is ended, and the pod removed.";
        }
        return pod.finalizers()
                ? "The pod has no instance; it stays until its finalizers are taken off by whoever put them there."
                : "The pod has no instance; it is removed.";
    }

    private String bound(PodFacts pod, Optional<InstanceFacts> instance) {
        if (instance.isEmpty()) {
            return holdings.lacks(Holdings.Source.CLOUD)
                    ? "Unknown: EC2 could not be asked for its instance."
                    : pod.started()
                            ? "Its instance is lost: the pod becomes Failed, and its owner replaces it."
                            : "Its instance is lost before a container started: it gets another one.";
        }
        InstanceFacts there = instance.get();
        if (there.state().ended()) {
            return pod.started()
                    ? "Its instance has ended from outside: the pod becomes Failed, and its owner replaces it."
                    : "Its instance has ended before a container started: it gets another one.";
        }
        if (there.state() == InstanceState.STOPPED || there.state() == InstanceState.STOPPING) {
            return "Its instance was stopped from outside; Kip does not start it again. If nobody does within five minutes,"
                    + " the pod becomes Failed, its owner replaces it, and the instance is ended.";
        }
        if (pod.terminating()) {
            return deletion(pod, instance);
        }
        if (pod.finished()) {
            return "Its pod has ended: the instance is ended.";
        }
        if (pod.started()) {
            return "It runs until its pod ends or is deleted. A controller that is restarted takes it over as it is.";
        }
        Duration age = Duration.between(there.launchTime(), holdings.now());
        Duration deadline = settings.timing().bootDeadline();
        return age.compareTo(deadline) < 0
                ? "The instance boots, or its containers are being started. If its agent has not answered in "
                        + Texts.age(deadline.minus(age)) + " (cells.bootDeadline), it is given up and replaced."
                : "The instance was launched " + Texts.age(age) + " ago, longer than cells.bootDeadline ("
                        + Texts.age(deadline)
                        + "): if its agent never answered, it is given up and replaced; if it did, its containers have"
                        + " not started yet.";
    }

    /** What the Installation says of itself that keeps this node from acting as usual; empty if nothing. */
    private Optional<String> heldBack(String node) {
        if (holdings.installation().isEmpty()) {
            return Optional.empty();
        }
        if (holdings.installation().get().drains(node)) {
            return Optional.of("node " + node + " is being drained");
        }
        return holdings.installation().get().status().conditions().stream()
                .filter(condition -> condition.status().equals("False")
                        && (condition.type().equals(Conditions.reconciled(node))
                                || condition.type().equals(Conditions.leads(node))))
                .findFirst()
                .map(condition -> condition.reason()
                        + Explainer.time(condition.lastTransitionTime())
                                .map(then -> ", for " + Texts.age(Duration.between(then, holdings.now())))
                                .orElse("")
                        + ": " + condition.message());
    }

    private String waiting(ObjectNode pod, PodFacts facts) {
        if (facts.daemonSet() && settings.cells().daemonSets() == DaemonSets.SKIP) {
            return "Nothing: pods of DaemonSets get no cell (daemonSets: skip)"
                    + since(pod).map(text -> ", said " + text).orElse("")
                    + ". Keep the DaemonSet off this node; kip doctor prints the patch. Or set daemonSets: run.";
        }
        if (facts.needs().problem().isPresent()) {
            return "It cannot be run as it is, and no instance is launched for it: "
                    + facts.needs().problem().get().message() + ". Change the pod.";
        }
        Optional<String> held = heldBack(facts.node());
        if (held.isPresent()) {
            return "No instance is launched for it as long as this holds: " + held.get();
        }
        Optional<LaunchBatch> batch = batchOf(facts.uid());
        if (batch.isPresent()) {
            return "Its launch is in LaunchBatch " + batch.get().metadata().name() + " of epoch "
                    + batch.get().spec().epoch()
                    + ": the call is being made, or what came of it is being looked up. The same call is never sent"
                    + " twice; if nothing shows in "
                    + Texts.age(settings.timing().cloudConsistency()) + " (cloud.aws.consistencyWindow), it is given up"
                    + " and another one is made.";
        }
        return facts.explained()
                .map(text -> "It has no instance"
                        + since(pod).map(s -> ", " + s).orElse("") + ": " + text + ". It is tried again by itself.")
                .orElse("It is new to the controller: an instance is launched for it within a second.");
    }

    private Optional<LaunchBatch> batchOf(String podUid) {
        return holdings.batches().stream()
                .filter(batch ->
                        batch.spec().pods().stream().anyMatch(pod -> pod.uid().equals(podUid)))
                .findFirst();
    }

    /** Since when its condition says so. */
    private Optional<String> since(ObjectNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asString("").equals(Explanation.CONDITION)) {
                return Explainer.time(condition.path("lastTransitionTime").asString(""))
                        .map(then -> "for " + Texts.age(Duration.between(then, holdings.now())));
            }
        }
        return Optional.empty();
    }

    private static String unscheduled(ObjectNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asString("").equals("PodScheduled")
                    && condition.path("status").asString("").equals("False")) {
                return " It says: " + condition.path("message").asString("");
            }
        }
        return "";
    }

    private String unbound(InstanceFacts instance) {
        String batch = instance.tags().getOrDefault(Tags.BATCH, "");
        Optional<LaunchBatch> open = holdings.batches().stream()
                .filter(found -> found.metadata().name().equals(batch))
                .findFirst();
        Optional<String> pool = open.flatMap(found -> found.spec().warmPool());
        if (pool.isPresent()) {
            return "It is kept in the warm pool " + pool.get()
                    + " (cells.warmPool) until a pod for which one like it would"
                    + " be launched takes it, or the pool is made smaller.";
        }
        if (open.isPresent()) {
            return "It waits to be bound: its LaunchBatch " + batch + " is open, and as long as it is, nobody ends it.";
        }
        if (!settings.gc().enabled() || settings.gc().dryRun()) {
            return "No Cell and no open LaunchBatch claims it, and nothing ends it: "
                    + (settings.gc().enabled() ? "gc.dryRun is set." : "gc.enabled is false.")
                    + " To end it: kip gc --yes";
        }
        Optional<String> held = heldBack(instance.tags().getOrDefault(Tags.NODE, ""));
        if (held.isPresent()) {
            return "No Cell and no open LaunchBatch claims it; it is not ended as long as this holds: " + held.get();
        }
        Timing timing = settings.timing();
        Duration least = timing.cloudConsistency().compareTo(timing.orphanAge()) > 0
                ? timing.cloudConsistency()
                : timing.orphanAge();
        String candidate = instance.tags().getOrDefault(Tags.CANDIDATE, "");
        String last = " Before that it is asked by its agent: one that runs a pod that still exists is never ended.";
        return (candidate.isEmpty()
                        ? "No Cell and no open LaunchBatch claims it. It is ended once the leading controller has seen it"
                                + " so for at least " + Texts.age(least) + "."
                        : "No Cell and no open LaunchBatch claims it. It is marked to be ended since " + candidate
                                + ".")
                + last;
    }

    /** Empty if all is as it should be. */
    private Optional<String> leadership(String node) {
        if (node.isEmpty() || holdings.lacks(Holdings.Source.LEASES)) {
            return Optional.empty();
        }
        Optional<LeaseFacts> lease = holdings.leaseOf(node);
        Instant now = holdings.now();
        if (lease.isPresent() && lease.get().held(now)) {
            return Optional.of("Controller " + lease.get().holder() + " leads for node " + node + ".");
        }
        String last = lease.flatMap(LeaseFacts::renewed)
                .map(then -> " The last one renewed its lease " + Texts.age(Duration.between(then, now)) + " ago.")
                .orElse("");
        return Optional.of("NOBODY LEADS for node " + node + ": nothing of this happens until a controller does." + last
                + " See: kip doctor");
    }
}
