package dev.kip.controller.drain;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.ownership.Conditions;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec.Shard;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes down all that a virtual node has, and with the last virtual node all that the installation has: one step after the
 * other, each tried until nothing of it is left, from the first again after every wait. Nothing is remembered: whoever leads
 * next goes on from what is there. The record goes last, so that an interrupted drain is known to be one. Confined to the
 * loop.
 *
 * <p>A record that somebody takes away meanwhile, or our virtual node's part of it, is written anew by the
 * {@link dev.kip.controller.ownership.RecordKeeper}: what is taken down is still there, whatever the record says.
 */
public final class Drain {

    private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
    private static final Duration PAUSE = Duration.ofSeconds(2);

    private final Room room;
    private final Runnable drained;
    private final RecordStep last;
    private final ImmutableList<Step> steps;
    private boolean running;
    private boolean over;
    private String shown = "";

    /** @param drained hears of it once, when nothing is left */
    public Drain(Room room, Runnable drained) {
        this.room = room;
        this.drained = drained;
        this.last = new RecordStep(room);
        this.steps = ImmutableList.of(
                new PodsStep(room),
                new InstancesStep(room),
                new TemplatesStep(room),
                new LeftoversStep(room),
                new GroupsStep(room),
                new ObjectsStep(room),
                new NodeStep(room),
                new AnchorStep(room),
                last);
    }

    /** Begins, or goes on where an earlier incarnation stopped. Called once. */
    public void begin() {
        if (!running) {
            running = true;
            LOG.info("draining virtual node {}", room.nodeName());
            room.node().cordon();
            room.survey().stop();
            room.launches().hold();
            readRecord();
        }
    }

    private void readRecord() {
        room.calls()
                .on(
                        "kube",
                        "get installations",
                        room.kube()
                                .get(
                                        CrdKinds.INSTALLATIONS,
                                        ObjectRef.cluster(room.settings().installation())),
                        this::check,
                        error -> {
                            if (error instanceof KubeError.NotFound) {
                                attempt(new Scope(room.record().installation(), room.nodeName()), 0);
                            } else {
                                again("Record", "the Installation could not be read: " + error.message());
                            }
                        });
    }

    /** What another incarnation, or another installation, has is not ours to take down. */
    private void check(Installation record) {
        Optional<Shard> shard = record.spec().shard(room.nodeName());
        if (!record.spec().installationID().equals(room.standing().installationId())) {
            again("Record", "the Installation is of " + record.spec().installationID());
        } else if (shard.isEmpty() && last.begun()) {
            finish(); // we took it out ourselves: it was the last thing to do
        } else if (shard.isEmpty()) {
            again("Record", "the Installation lacks virtual node " + room.nodeName() + "; it is written into it anew");
        } else if (shard.get().epoch() != room.standing().epoch()) {
            again("Record", "the Installation names epoch " + shard.get().epoch());
        } else {
            attempt(new Scope(record, room.nodeName()), 0);
        }
    }

    private void attempt(Scope scope, int number) {
        if (number == steps.size()) {
            finish();
            return;
        }
        Step step = steps.get(number);
        step.attempt(scope, new Step.Verdict() {
            @Override
            public void done() {
                attempt(scope, number + 1);
            }

            @Override
            public void waiting(String forWhat) {
                again(step.name(), forWhat);
            }
        });
    }

    private void again(String step, String forWhat) {
        String now = step + ": " + forWhat;
        if (!now.equals(shown)) {
            shown = now;
            LOG.info("draining {}: {}", room.nodeName(), now);
            room.record().show(Conditions.drained(room.nodeName()), false, step, forWhat);
        }
        room.calls().after(PAUSE, "drain", this::readRecord);
    }

    private void finish() {
        if (!over) {
            over = true;
            LOG.info("drained virtual node {}: nothing of it is left", room.nodeName());
            drained.run();
        }
    }
}
