package dev.kip.controller.interruption;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.CloudEvent;
import dev.kip.cloud.EventQueue;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.PodCells;
import dev.kip.controller.events.ObjectEvents;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.ownership.Announcements;
import dev.kip.controller.ownership.InstanceWatch;
import dev.kip.controller.ownership.Mandate;
import dev.kip.controller.ownership.Standing;
import dev.kip.crd.Installation;
import dev.kip.kube.KubeApi;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the queue of the cloud's events. The queue is ours alone, and says so by its tags: two that read one queue take each
 * other's notices away. An event is a hint: what it says of an instance is looked up, and what the queue loses is found by the
 * lists that are read all the same. Confined to the loop.
 */
public final class EventWatch {

    private static final Logger LOG = LoggerFactory.getLogger(EventWatch.class);

    /** The longest that SQS waits. */
    private static final Duration WAIT = Duration.ofSeconds(20);

    /** For a queue that answers at once although there is nothing in it. */
    private static final Duration BREATH = Duration.ofSeconds(10);

    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final Duration LATER_RETRIES = Duration.ofMinutes(1);

    /** Somebody may have taken the queue over by now. */
    private static final Duration CHECK = Duration.ofMinutes(30);

    private final Room room;
    private final EventQueue queue;
    private final Evictions evictions;
    private boolean ours;
    private boolean refused;
    private long checkedAt;
    private int failures;

    /**
     * What is touched here.
     *
     * @param avoid told a pool that instances are taken back from
     * @param record of the installation, for events
     */
    public record Room(
            Loop loop,
            KubeApi kube,
            Calls calls,
            PodCells cells,
            ObjectEvents events,
            ControllerListener listener,
            Announcements announcements,
            Standing standing,
            String node,
            InstanceWatch instances,
            Consumer<InstanceFacts> avoid,
            Consumer<String> unkept,
            Supplier<Installation> record,
            Supplier<Mandate> mandate) {}

    public EventWatch(Room room, EventQueue queue) {
        this.room = room;
        this.queue = queue;
        this.evictions =
                new Evictions(room.loop(), room.kube(), room.calls(), room.cells(), room.events(), room.mandate());
    }

    /** Begins to read. Called once, when the cells are known. */
    public void start() {
        check();
    }

    private void check() {
        checkedAt = room.loop().nanos();
        room.calls().on("queue", "tags", queue.tags(), this::judge, error -> later("read the tags", error));
    }

    private void judge(ImmutableMap<String, String> tags) {
        Optional<String> installation = Optional.ofNullable(tags.get(Tags.INSTALLATION));
        Optional<String> node = Optional.ofNullable(tags.get(Tags.NODE));
        if (installation.isEmpty() && node.isEmpty()) {
            claim();
        } else if (installation.equals(Optional.of(room.standing().installationId()))
                && node.equals(Optional.of(room.node()))) {
            ours = true;
            refused = false;
            failures = 0;
            receive();
        } else {
            refuse("its tags say that it is read by node " + node.orElse("?") + " of installation "
                    + installation.orElse("?"));
        }
    }

    /** Nobody reads it yet. Whoever tags it last has it: the tags are read again. */
    private void claim() {
        if (room.mandate().get().expired(room.loop().nanos())) {
            room.calls().after(RETRY, "event queue", this::check);
            return;
        }
        room.calls()
                .on(
                        "queue",
                        "tag",
                        queue.tag(ImmutableMap.of(
                                Tags.INSTALLATION, room.standing().installationId(), Tags.NODE, room.node())),
                        done -> room.calls().after(RETRY, "event queue", this::check),
                        error -> later("tag it as ours", error));
    }

    private void refuse(String because) {
        ours = false;
        room.instances().queueReadAt(Optional.empty());
        if (!refused) {
            refused = true;
            room.announcements()
                    .warn(
                            Optional.of(room.record().get()),
                            "EventQueueNotOurs",
                            queue.location() + " is not read: " + because
                                    + ". Each virtual node needs a queue of its own; take the tags off if nobody reads it"
                                    + " any more. Until then instances are looked at by lists only");
        }
        room.calls().after(LATER_RETRIES, "event queue", this::check);
    }

    private void later(String what, CloudError error) {
        LOG.warn("event queue {}: cannot {}: {}", queue.location(), what, error.message());
        room.listener().anomaly("eventQueue", what + ": " + error.message());
        Duration pause = RETRY.multipliedBy(1L << Math.min(failures, 5));
        failures++;
        if (failures == 2) {
            room.announcements()
                    .warn(
                            Optional.of(room.record().get()),
                            "EventQueueFails",
                            "cannot " + what + " of " + queue.location() + ": " + error.kind() + ". To mend it: "
                                    + error.remedy() + ". Until then instances are looked at by lists only");
        }
        room.instances().queueReadAt(Optional.empty());
        room.calls()
                .after(
                        pause.compareTo(LATER_RETRIES) < 0 ? pause : LATER_RETRIES,
                        "event queue",
                        ours ? this::receive : this::check);
    }

    private void receive() {
        if (room.loop().nanos() - checkedAt >= CHECK.toNanos()) {
            check();
            return;
        }
        long asked = room.loop().nanos();
        room.calls()
                .on(
                        "queue",
                        "receive",
                        queue.receive(WAIT),
                        messages -> took(messages, asked),
                        error -> later("receive", error));
    }

    private void took(ImmutableList<EventQueue.Message> messages, long asked) {
        failures = 0;
        long now = room.loop().nanos();
        room.instances().queueReadAt(Optional.of(now));
        ImmutableList.Builder<String> done = ImmutableList.builder();
        for (EventQueue.Message message : messages) {
            room.listener().cloudEvent(message.event().kind());
            if (handle(message.event())) {
                done.add(message.receipt());
            }
        }
        ImmutableList<String> receipts = done.build();
        if (!receipts.isEmpty()) {
            room.calls()
                    .on(
                            "queue",
                            "delete",
                            queue.delete(receipts),
                            all -> {},
                            error -> LOG.warn("delete {} messages: {}", receipts.size(), error.message()));
        }
        Duration left = BREATH.minus(Duration.ofNanos(now - asked));
        if (messages.isEmpty() && !left.isNegative() && !left.isZero()) {
            room.calls().after(left, "event queue", this::receive);
        } else {
            receive();
        }
    }

    /** @return whether it need not come again, should this process end now */
    private boolean handle(CloudEvent event) {
        if (event instanceof CloudEvent.Interruption interruption) {
            return interrupted(interruption);
        }
        if (event instanceof CloudEvent.Rebalance hint) {
            if (room.cells().podOf(hint.instanceId()).isPresent()) {
                LOG.info(
                        "{} is likelier than others to be taken back: no more from its pool for a while",
                        hint.instanceId());
                room.instances().look(hint.instanceId(), room.avoid());
            }
            return true;
        }
        if (event instanceof CloudEvent.StateChange change) {
            if (room.cells().podOf(change.instanceId()).isPresent()) {
                LOG.info("{} is {}", change.instanceId(), change.state());
                room.instances().look(change.instanceId(), seen -> {});
            }
            return true;
        }
        if (event instanceof CloudEvent.Poison poison) {
            LOG.warn("event queue {}: not understood, removed: {}", queue.location(), poison.why());
        } else if (event instanceof CloudEvent.Unknown unknown) {
            LOG.debug("event queue {}: {} is of no concern", queue.location(), unknown.what());
        }
        return true;
    }

    /** The message stays until the pod is on its way out: whoever leads then goes on. */
    private boolean interrupted(CloudEvent.Interruption event) {
        Optional<String> pod = room.cells().podOf(event.instanceId());
        if (pod.isEmpty()) {
            room.unkept().accept(event.instanceId());
            return true; // not ours, or bound to no pod: nobody is to be warned
        }
        Notice notice = Notice.of(event.at(), room.loop().now(), room.loop().nanos());
        evictions.begin(pod.get(), event.instanceId(), notice);
        room.instances().look(event.instanceId(), room.avoid());
        return evictions.settled(pod.get());
    }
}
