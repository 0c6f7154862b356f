package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import dev.kip.cell.CellAddress;
import dev.kip.cell.CellApi;
import dev.kip.cell.CellReport;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.ControllerSettings.CellSettings;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.PodCells;
import dev.kip.crd.LaunchBatchSpec.PlannedPod;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps inert cells for pods that are yet to come. A pool's instances come of launch calls as any others do, and the
 * journal's record of the call stays open as long as one of them is kept: so they are ours, and claimed, over every change
 * of leaders, without anything of their own. One that has been given to a pod never comes back. Confined to the loop.
 */
final class WarmPools {

    private static final Logger LOG = LoggerFactory.getLogger(WarmPools.class);
    private static final Duration EVERY = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(1);

    /** So often in a row it may not answer. */
    private static final int MISSES = 3;

    private final Loop loop;
    private final Calls calls;
    private final ImmutableList<WarmPool> pools;
    private final CellSettings settings;
    private final Duration bootDeadline;
    private final PodCells cells;
    private final CellApi agents;
    private final Desk desk;

    /** Have told that they hold nothing, or were launched by us and by no other. */
    private final Set<String> empty = new LinkedHashSet<>();

    private final Map<String, Member> members = new LinkedHashMap<>();
    private final Map<String, String> said = new LinkedHashMap<>();
    private Optional<Loop.Timer> timer = Optional.empty();
    private boolean held;

    /** What is known of its agent: when it was first kept, how often it has not answered since it last did. */
    private record Member(long since, boolean answered, int misses) {}

    /** The launch desk, as far as pools need it. */
    interface Desk {

        ImmutableList<Batch> warm();

        /** What would be launched for a pod with these needs now; empty if it is not known yet what can be launched. */
        Optional<LaunchPlan.Choice> choose(PodNeeds needs);

        /** If there is room for the call just now. */
        void launch(LaunchKey key, WarmPool pool, int count);

        /** Has the template of this key made, and tells what instances of today come of. */
        void template(LaunchKey key, Consumer<String> templateId);

        void end(Batch batch, String instanceId);

        /** Something that the batch waited for has come. */
        void step(Batch batch);

        void give(Batch batch, InstanceFacts instance, PlannedPod pod);
    }

    WarmPools(
            Loop loop,
            Calls calls,
            CellSettings settings,
            Duration bootDeadline,
            PodCells cells,
            CellApi agents,
            Desk desk) {
        this.loop = loop;
        this.calls = calls;
        this.pools = settings.warmPools();
        this.settings = settings;
        this.bootDeadline = bootDeadline;
        this.cells = cells;
        this.agents = agents;
        this.desk = desk;
    }

    /** What can be launched is known: pools are looked after from now on. */
    void start() {
        if (timer.isEmpty()) {
            after(Duration.ZERO);
        }
    }

    /** Keeps nothing any more: the node is being taken down. */
    void hold() {
        held = true;
        desk.warm().forEach(this::endAll);
    }

    boolean any() {
        return !held && desk.warm().stream().anyMatch(batch -> !batch.kept().isEmpty());
    }

    /** An instance has come of a call that was made for a pool. */
    void came(Batch batch, boolean ours) {
        if (held) {
            endAll(batch);
            return;
        }
        for (InstanceFacts instance : batch.kept()) {
            members.putIfAbsent(instance.id(), new Member(loop.nanos(), false, 0));
            if (ours) {
                empty.add(instance.id());
            }
        }
        start();
        after(SOON);
    }

    /** @return whether the pod has got one of ours */
    boolean serve(PlannedPod pod, Spares.Fit fit) {
        for (Batch batch : desk.warm()) {
            for (InstanceFacts instance : batch.kept()) {
                if (!held && ready(instance) && fit.of(instance)) {
                    LOG.info("instance {} of a warm pool is for pod {}", instance.id(), pod.name());
                    forget(instance.id());
                    desk.give(batch, instance, pod);
                    after(SOON);
                    return true;
                }
            }
        }
        return false;
    }

    private boolean ready(InstanceFacts instance) {
        return !instance.state().ended()
                && empty.contains(instance.id())
                && cells.podOf(instance.id()).isEmpty();
    }

    /** The cloud is about to take this instance back: no pod is to have it. */
    void goes(String instanceId) {
        for (Batch batch : desk.warm()) {
            if (batch.kept().stream().anyMatch(kept -> kept.id().equals(instanceId))) {
                end(batch, instanceId, "the cloud takes it back");
                after(SOON);
            }
        }
    }

    /** @param unclaimed what is bound to no pod, as a whole list has just shown it */
    void seen(ImmutableList<InstanceFacts> unclaimed) {
        Map<String, InstanceFacts> byId = new LinkedHashMap<>();
        unclaimed.forEach(instance -> byId.put(instance.id(), instance));
        for (Batch batch : desk.warm()) {
            for (InstanceFacts kept : batch.kept()) {
                Optional.ofNullable(byId.get(kept.id())).ifPresent(now -> {
                    if (now.state().ended()) {
                        LOG.info("instance {} of a warm pool has ended: {}", now.id(), now.stateReason());
                        letGo(batch, now.id());
                        after(SOON);
                    } else {
                        batch.keep(now);
                    }
                });
            }
        }
    }

    private void after(Duration pause) {
        if (pools.isEmpty() && desk.warm().isEmpty()) {
            return;
        }
        timer.ifPresent(Loop.Timer::cancel);
        timer = Optional.of(calls.after(pause, "warm pools", this::tend));
    }

    private void tend() {
        if (held) {
            return;
        }
        after(EVERY);
        for (Batch batch : desk.warm()) {
            for (InstanceFacts instance : batch.kept()) {
                if (pools.stream().noneMatch(pool -> pool.has(instance))) {
                    end(batch, instance.id(), "no warm pool of its kind is configured any more");
                } else {
                    greet(batch, instance);
                }
            }
        }
        pools.forEach(this::tend);
    }

    private void tend(WarmPool pool) {
        int wanted = pool.size(loop.now());
        List<Runnable> ends = new ArrayList<>();
        int pending = 0;
        for (Batch batch : desk.warm()) {
            boolean mine = batch.warmPool().filter(pool.name()::equals).isPresent();
            pending += mine ? batch.waiting().size() : 0;
            for (InstanceFacts instance : batch.kept()) {
                if (pool.has(instance)) {
                    ends.add(() -> end(batch, instance.id(), "the warm pool is to be smaller"));
                }
            }
        }
        int there = ends.size();
        ends.subList(Math.min(wanted, there), there).forEach(Runnable::run);
        if (wanted > 0) {
            int missing = Math.max(0, wanted - there - pending);
            desk.choose(pool.needs()).ifPresent(choice -> fill(pool, choice, missing));
        }
    }

    private void fill(WarmPool pool, LaunchPlan.Choice choice, int missing) {
        if (choice instanceof LaunchPlan.Choice.Launch launch) {
            say(pool, "");
            desk.template(launch.key(), template -> endOthers(pool, template));
            if (missing > 0) {
                desk.launch(launch.key(), pool, missing);
            }
        } else if (choice instanceof LaunchPlan.Choice.NoRoom noRoom) {
            say(pool, noRoom.problem().message());
        } else if (choice instanceof LaunchPlan.Choice.NothingFits nothing) {
            say(pool, nothing.problem().message());
        }
    }

    private void say(WarmPool pool, String problem) {
        if (!problem.equals(said.put(pool.name(), problem)) && !problem.isEmpty()) {
            LOG.warn("warm pool {} is not filled: {}", pool.name(), problem);
        }
    }

    /** Of an image or a configuration that pods are not launched with any more. */
    private void endOthers(WarmPool pool, String template) {
        for (Batch batch : desk.warm()) {
            for (InstanceFacts instance : batch.kept()) {
                if (pool.has(instance)
                        && instance.templateId()
                                .filter(id -> !id.equals(template))
                                .isPresent()) {
                    end(batch, instance.id(), "it is of another launch template than pods get now");
                }
            }
        }
    }

    /** Shows that its controller lives, so that its dead man's timer does not end it, and hears that it lives itself. */
    private void greet(Batch batch, InstanceFacts instance) {
        String ip = instance.privateIp().orElse("");
        if (ip.isEmpty()) {
            missed(batch, instance);
            return;
        }
        calls.on(
                "cell",
                "watch",
                agents.watch(new CellAddress(instance.id(), ip, settings.agentPort()), 0, Duration.ZERO),
                report -> heard(batch, instance, report),
                error -> missed(batch, instance));
    }

    private void heard(Batch batch, InstanceFacts instance, CellReport report) {
        if (!keeps(batch, instance)) {
            return;
        }
        if (report.pod().isEmpty()) {
            empty.add(instance.id());
            members.put(instance.id(), new Member(loop.nanos(), true, 0));
        } else if (report.pod().get().ended() && cells.podOf(instance.id()).isEmpty()) {
            end(batch, instance.id(), "it has held a pod before");
        } else {
            letGo(batch, instance.id()); // its pod has it, or is given it by the takeover
        }
    }

    private void missed(Batch batch, InstanceFacts instance) {
        if (!keeps(batch, instance)) {
            return;
        }
        Member before = members.getOrDefault(instance.id(), new Member(loop.nanos(), false, 0));
        Member now = new Member(before.since(), before.answered(), before.misses() + 1);
        members.put(instance.id(), now);
        boolean booting = !now.answered() && loop.nanos() - now.since() < bootDeadline.toNanos();
        if (!booting && now.misses() >= MISSES) {
            end(batch, instance.id(), "its agent does not answer");
            after(SOON);
        }
    }

    private static boolean keeps(Batch batch, InstanceFacts instance) {
        return batch.kept().stream().anyMatch(kept -> kept.id().equals(instance.id()));
    }

    private void endAll(Batch batch) {
        batch.kept().forEach(instance -> end(batch, instance.id(), "the virtual node is being taken down"));
    }

    private void end(Batch batch, String instanceId, String why) {
        LOG.info("instance {} of a warm pool is ended: {}", instanceId, why);
        forget(instanceId);
        desk.end(batch, instanceId);
    }

    private void letGo(Batch batch, String instanceId) {
        forget(instanceId);
        batch.letGo(instanceId);
        desk.step(batch);
    }

    private void forget(String instanceId) {
        empty.remove(instanceId);
        members.remove(instanceId);
    }
}
