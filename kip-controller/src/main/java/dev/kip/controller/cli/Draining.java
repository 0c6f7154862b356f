package dev.kip.controller.cli;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.ControllerSettings.NodeSettings;
import dev.kip.controller.inventory.Holdings.LeaseFacts;
import dev.kip.controller.ownership.Conditions;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec.Shard;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Asks for a drain, and follows it to its end; where nobody leads, leads for as long as it takes. */
final class Draining {

    private static final Duration PAUSE = Duration.ofSeconds(2);

    private final Session session;
    private final String name;
    private final Optional<String> node;
    private final ControllerSettings settings;
    private final Map<String, ControllerProcess> own = new LinkedHashMap<>();
    private final Map<String, String> said = new LinkedHashMap<>();

    /** @param node all of them if empty */
    Draining(Session session, String name, Optional<String> node) {
        this.session = session;
        this.name = name;
        this.node = node;
        this.settings = session.config().controller();
    }

    void run() {
        Records.change(
                session,
                name,
                found -> node.map(one -> withNode(found, one))
                        .orElseGet(() ->
                                new Installation(found.metadata(), found.spec().withDraining(true), found.status())));
        session.say("asked for; told as it goes on");
        try {
            Optional<Installation> record = Records.read(session, name);
            while (record.isPresent() && !isDone(record.get())) {
                refuseIfCalledOff(record.get());
                for (String each : nodes(record.get())) {
                    follow(record.get(), each);
                }
                session.pause(PAUSE);
                record = Records.read(session, name);
            }
        } finally {
            own.values().forEach(this::stop);
        }
    }

    private static Installation withNode(Installation found, String node) {
        Set<String> all = new LinkedHashSet<>(Splitter.on(',')
                .trimResults()
                .omitEmptyStrings()
                .splitToList(found.metadata().annotations().getOrDefault(Installation.DRAIN_NODES, "")));
        all.add(node);
        return Records.annotated(found, Installation.DRAIN_NODES, String.join(",", all));
    }

    private boolean isDone(Installation record) {
        return node.isPresent() && record.spec().shard(node.get()).isEmpty();
    }

    private void refuseIfCalledOff(Installation record) {
        boolean wanted = record.metadata().deleting() || nodes(record).stream().allMatch(record::drains);
        if (!wanted) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "the drain was called off: Installation " + name
                            + " is not to be drained any more. What has ended has"
                            + " ended, the rest runs on; to go on, run kip drain again.");
        }
    }

    /** A record that no controller has acted by yet has no virtual node: ours is the one to end it. */
    private ImmutableList<String> nodes(Installation record) {
        if (node.isPresent()) {
            return ImmutableList.of(node.get());
        }
        ImmutableList<String> nodes =
                record.spec().shards().stream().map(Shard::node).collect(ImmutableList.toImmutableList());
        return nodes.isEmpty() ? ImmutableList.of(settings.node().name()) : nodes;
    }

    private void follow(Installation record, String each) {
        record.status().conditions().stream()
                .filter(condition -> condition.type().equals(Conditions.drained(each)))
                .findFirst()
                .ifPresent(condition -> say(each, condition.reason() + ": " + condition.message()));
        if (own.containsKey(each)) {
            return;
        }
        Optional<LeaseFacts> lease = new Gathering(session).lease(each);
        if (lease.isPresent() && !lease.get().held(session.now())) {
            session.say("nobody leads for node " + each + ": this process does it");
            lead(each);
        }
    }

    private void say(String each, String text) {
        if (!text.equals(said.put(each, text))) {
            session.say(each + ": " + text);
        }
    }

    private void lead(String each) {
        NodeSettings mine = settings.node();
        ControllerSettings forNode = new ControllerSettings(
                "kip-drain",
                settings.installation(),
                settings.namespace(),
                new NodeSettings(
                        each,
                        mine.taint(),
                        mine.capacity(),
                        mine.labels(),
                        mine.internalIp(),
                        mine.kubeletPort(),
                        mine.version()),
                settings.launch(),
                settings.cells(),
                settings.ownership(),
                settings.timing(),
                settings.gc(),
                settings.budget());
        own.put(each, session.ask("a controller", () -> {
            ControllerProcess process =
                    new ControllerProcess(forNode, session.ways().seams());
            process.start();
            return CompletableFuture.completedFuture(process);
        }));
    }

    private void stop(ControllerProcess process) {
        session.ask("the controller's end", process::stop);
    }
}
