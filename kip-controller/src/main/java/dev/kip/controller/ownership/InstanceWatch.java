package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.PodCells;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.launch.Tags;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at all instances of the installation, one list after the other: often while something is expected to change, seldom
 * otherwise. Confined to the loop.
 */
public final class InstanceWatch {

    private static final Logger LOG = LoggerFactory.getLogger(InstanceWatch.class);

    private static final int AT_ONCE = 500;

    /** As many instances come with one call to EC2. */
    private static final int PAGE = 1000;

    /** Ten thousand cells are looked at every 81 s: with the anchor, twelve calls a minute are not exceeded. */
    private static final Duration IDLE_PER_PAGE = Duration.ofMillis(8100);

    /** Changes are told: the list is for what the queue loses. */
    private static final Duration WITH_QUEUE = Duration.ofMinutes(5);

    private static final Duration QUEUE_SILENT = Duration.ofSeconds(60);
    private static final Duration GATHER = Duration.ofMillis(500);

    /** As many ids go into one call. */
    private static final int BY_ID = 100;

    private final Loop loop;
    private final Calls calls;
    private final CloudEffects cloud;
    private final PodCells cells;
    private final Standing standing;
    private final Timing timing;
    private final Consumer<ImmutableList<InstanceFacts>> unclaimed;
    private final Map<String, Consumer<InstanceFacts>> asked = new LinkedHashMap<>();
    private Optional<Long> queueRead = Optional.empty();
    private Optional<Loop.Timer> timer = Optional.empty();
    private long nextLook;

    /** @param unclaimed told, after each whole list, the instances that are bound to no pod */
    public InstanceWatch(
            Loop loop,
            Calls calls,
            CloudEffects cloud,
            PodCells cells,
            Standing standing,
            Timing timing,
            Consumer<ImmutableList<InstanceFacts>> unclaimed) {
        this.loop = loop;
        this.calls = calls;
        this.cloud = cloud;
        this.cells = cells;
        this.standing = standing;
        this.timing = timing;
        this.unclaimed = unclaimed;
    }

    /** @param first a whole list */
    public void start(ImmutableList<InstanceFacts> first) {
        later(timing.describeBusy());
        take(first, cells.instances());
    }

    /** Something has become uncertain: the next look is not to be far off. */
    public void hurry() {
        if (timer.isPresent() && nextLook - loop.nanos() > timing.describeBusy().toNanos()) {
            later(timing.describeBusy());
        }
    }

    /** Something is said of an instance: it is looked at, together with others of which something is said. */
    public void look(String instanceId, Consumer<InstanceFacts> seen) {
        if (asked.isEmpty()) {
            calls.after(GATHER, "describe", this::lookAtAsked);
        }
        asked.merge(instanceId, seen, Consumer::andThen);
    }

    /** @param when the queue of the cloud's events was last read; empty if it is not: then lists alone show what changes */
    public void queueReadAt(Optional<Long> when) {
        boolean lost = queueRead.isPresent() && when.isEmpty();
        queueRead = when;
        if (lost && timer.isPresent()) {
            later(timing.describeBusy());
        }
    }

    private void lookAtAsked() {
        ImmutableMap<String, Consumer<InstanceFacts>> these = ImmutableMap.copyOf(asked);
        asked.clear();
        for (List<String> ids : Lists.partition(these.keySet().asList(), BY_ID)) {
            cloud.describeMany(
                    ImmutableList.copyOf(ids),
                    found -> found.forEach(instance -> {
                        cells.podOf(instance.id())
                                .ifPresent(pod -> cells.learn(pod, new CellFact.InstanceSeen(instance)));
                        Optional.ofNullable(these.get(instance.id())).ifPresent(seen -> seen.accept(instance));
                    }),
                    error -> {
                        LOG.warn("describe {} instances: {}", ids.size(), error.message());
                        hurry(); // one of them is unknown, perhaps: the list tells which
                    });
        }
    }

    private void later(Duration pause) {
        timer.ifPresent(Loop.Timer::cancel);
        nextLook = loop.nanos() + pause.toNanos();
        timer = Optional.of(calls.after(pause, "describe", this::look));
    }

    private void look() {
        timer = Optional.empty();
        ImmutableList<String> before = cells.instances();
        cloud.describeAll(
                ImmutableMap.of(Tags.INSTALLATION, standing.installationId()),
                all -> {
                    later(cells.unsettled() ? timing.describeBusy() : idle(all.size()));
                    take(all, before);
                },
                error -> {
                    LOG.warn("describe the instances: {}", error.message());
                    later(timing.describeBusy());
                });
    }

    /** A list of many pages is read the less often: what is counted is calls. */
    private Duration idle(int instances) {
        boolean told = queueRead
                .filter(at -> loop.nanos() - at < QUEUE_SILENT.toNanos())
                .isPresent();
        if (told) {
            return WITH_QUEUE;
        }
        Duration bySize = IDLE_PER_PAGE.multipliedBy((instances + PAGE - 1) / PAGE);
        return bySize.compareTo(timing.describeIdle()) > 0 ? bySize : timing.describeIdle();
    }

    private void take(ImmutableList<InstanceFacts> all, ImmutableList<String> before) {
        takeSome(all.iterator(), ImmutableList.builder(), () -> {
            ImmutableSet<String> there = all.stream().map(InstanceFacts::id).collect(ImmutableSet.toImmutableSet());
            for (String instanceId : before) {
                if (!there.contains(instanceId)) {
                    lookByItself(instanceId);
                }
            }
        });
    }

    /** As many as leave the loop to others before long. */
    private void takeSome(Iterator<InstanceFacts> left, ImmutableList.Builder<InstanceFacts> others, Runnable missing) {
        for (int i = 0; i < AT_ONCE && left.hasNext(); i++) {
            InstanceFacts instance = left.next();
            Optional<String> pod = cells.podOf(instance.id());
            if (pod.isPresent()) {
                cells.learn(pod.get(), new CellFact.InstanceSeen(instance));
            } else {
                others.add(instance);
            }
        }
        if (left.hasNext()) {
            calls.post("take in the instances", () -> takeSome(left, others, missing));
        } else {
            missing.run();
            unclaimed.accept(others.build());
        }
    }

    /** The list is of our tags, and anyone may edit a tag: an instance is missing only if its id is unknown too. */
    private void lookByItself(String instanceId) {
        cloud.describeOne(
                instanceId,
                instance ->
                        cells.podOf(instanceId).ifPresent(pod -> cells.learn(pod, new CellFact.InstanceSeen(instance))),
                () -> cells.podOf(instanceId)
                        .ifPresent(pod -> cells.learn(pod, new CellFact.InstanceMissing(instanceId))));
    }
}
