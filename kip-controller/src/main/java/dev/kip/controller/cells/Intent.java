package dev.kip.controller.cells;

import dev.kip.cell.CellAddress;
import dev.kip.cell.EndOrder;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.store.PodFacts;
import dev.kip.crd.CellStatus;
import dev.kip.kube.ObjectRef;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Something to be done for one pod. Handed out once: what it asks for is under way until its answer is a fact. */
public sealed interface Intent {

    /** What is under way from now on; empty if it is done at once. */
    default Optional<Errand> errand() {
        return Optional.empty();
    }

    /** The pod's cell stands here from now on. Nothing leaves the process. */
    record Become(CellPhase phase) implements Intent {}

    /** The instance that the batch has for the pod is not wanted. Nothing leaves the process. */
    record Decline(String batch) implements Intent {}

    /** Let the pod wait for an instance, together with its like. */
    record AskForInstance(PodFacts pod, int attempt) implements Intent {
        @Override
        public Optional<Errand> errand() {
            return Optional.of(Errand.LAUNCH);
        }
    }

    /** Say in the pod's status, and in an event, why it gets no instance. */
    record Explain(PodFacts pod, Problem problem) implements Intent {
        @Override
        public Optional<Errand> errand() {
            return Optional.of(Errand.EXPLAIN);
        }
    }

    /** Write the Cell object: from then on this instance is the pod's. */
    record BindCell(String name, CellStatus cell) implements Intent {
        @Override
        public Optional<Errand> errand() {
            return Optional.of(Errand.BIND);
        }
    }

    /** Ask the cell for news, for as long as it takes. */
    record WatchCell(CellAddress address, long seen) implements Intent {
        @Override
        public Optional<Errand> errand() {
            return Optional.of(Errand.WATCH);
        }
    }

    /** Collect what the pod refers to and hand it to the cell. */
    record GrantPod(PodFacts pod, CellAddress address, int attempt, long generation) implements Intent {
        @Override
        public Optional<Errand> errand() {
            return Optional.of(Errand.GRANT);
        }
    }

    record EndPod(CellAddress address, EndOrder order) implements Intent {
        @Override
        public Optional<Errand> errand() {
            return Optional.of(Errand.END);
        }
    }

    /** @param digest of the status that the patch makes */
    record PatchPodStatus(PodFacts pod, ObjectNode patch, String digest) implements Intent {
        @Override
        public Optional<Errand> errand() {
            return Optional.of(Errand.STATUS);
        }
    }

    /** The pod failed with its cell, for this reason. */
    record FailPod(PodFacts pod, Problem problem) implements Intent {
        @Override
        public Optional<Errand> errand() {
            return Optional.of(Errand.STATUS);
        }
    }

    /** Remove the pod, whose end was asked for, from the API. */
    record RemovePod(ObjectRef pod, String uid) implements Intent {
        @Override
        public Optional<Errand> errand() {
            return Optional.of(Errand.REMOVE_POD);
        }
    }

    /**
     * End the instance.
     *
     * @param absent the pod by whose absence it is to end: what a list or a watch does not show is looked for by its name
     *     first (elotl/kip#107). Empty if the pod itself is the reason
     */
    record TerminateInstance(String instanceId, Optional<ObjectRef> absent) implements Intent {
        @Override
        public Optional<Errand> errand() {
            return Optional.of(Errand.TERMINATE);
        }
    }

    /** @param uid empty if it is not known: the name alone says which */
    record RemoveCell(String name, String uid) implements Intent {
        @Override
        public Optional<Errand> errand() {
            return Optional.of(Errand.REMOVE_CELL);
        }
    }

    /** An event for the pod's users. */
    record Tell(PodFacts pod, boolean warning, String reason, String message) implements Intent {}
}
