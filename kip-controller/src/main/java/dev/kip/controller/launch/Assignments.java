package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.cells.PodCells;
import dev.kip.crd.LaunchBatchSpec.PlannedPod;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.function.Consumer;

/** Gives the instances that came of a launch call to its pods, and ends those that nobody wants. Confined to the loop. */
final class Assignments {

    private static final Duration AGAIN = Duration.ofSeconds(5);

    private final Loop loop;
    private final Calls calls;
    private final PodCells cells;
    private final Terminations terminations;
    private final Duration consistency;
    private final Consumer<Batch> step;

    /** @param step takes a batch's next step, if there is one now */
    Assignments(
            Loop loop,
            Calls calls,
            PodCells cells,
            Terminations terminations,
            Duration consistency,
            Consumer<Batch> step) {
        this.loop = loop;
        this.calls = calls;
        this.cells = cells;
        this.terminations = terminations;
        this.consistency = consistency;
        this.step = step;
    }

    /** Cells of one launch are alike until they are bound: their order is only a hint. */
    void assign(Batch batch, ImmutableList<InstanceFacts> instances) {
        Iterator<PlannedPod> pods = wanted(batch).iterator();
        ImmutableList<InstanceFacts> inOrder =
                ImmutableList.sortedCopyOf(Comparator.comparingInt(InstanceFacts::launchIndex), instances);
        for (InstanceFacts instance : inOrder) {
            boolean isNew = !instance.id().isEmpty() && batch.learn(instance);
            if (!isNew || instance.state().ended() || cells.podOf(instance.id()).isPresent()) {
                continue;
            }
            if (batch.warmPool().isPresent()) {
                batch.keep(instance);
            } else if (pods.hasNext()) {
                PlannedPod pod = pods.next();
                batch.assigned(pod.uid(), instance);
                cells.learn(pod.uid(), new CellFact.Assigned(batch.name(), instance));
            } else {
                batch.unwanted(instance.id());
                release(batch, instance.id());
            }
        }
    }

    /** Pods of the batch that still want an instance of it; the places of a warm pool always do. */
    ImmutableList<PlannedPod> wanted(Batch batch) {
        if (batch.warmPool().isPresent()) {
            return batch.waiting();
        }
        return batch.waiting().stream()
                .filter(pod -> cells.get(pod.uid())
                        .filter(CellFacts::wantsToRun)
                        .filter(cell -> cell.launchingIn(batch.name()))
                        .isPresent())
                .collect(ImmutableList.toImmutableList());
    }

    /** No more instances come: who has none waits for another call. */
    void leaveRestOut(Batch batch) {
        for (PlannedPod pod : batch.waiting()) {
            batch.leaveOut(pod.uid());
            cells.learn(pod.uid(), new CellFact.LeftOut(batch.name()));
        }
    }

    /** Ends an instance that no pod wants. */
    void release(Batch batch, String instanceId) {
        release(batch, instanceId, loop.nanos());
    }

    private void release(Batch batch, String instanceId, long since) {
        terminations.end(instanceId, new Terminations.Ending() {
            @Override
            public void accepted() {
                batch.ended(instanceId);
                step.accept(batch);
            }

            @Override
            public void unknown() {
                if (loop.nanos() - since >= consistency.toNanos()) {
                    accepted();
                } else {
                    undone(); // just launched: EC2 will know it soon
                }
            }

            @Override
            public void undone() {
                calls.after(AGAIN, "release", () -> release(batch, instanceId, since));
            }
        });
    }
}
