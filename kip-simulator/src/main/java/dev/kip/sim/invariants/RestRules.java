package dev.kip.sim.invariants;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.ec2.SimEc2;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** What must not last: looked at every ten minutes of a world's time, with bounds that no fault of a story reaches. */
final class RestRules {

    private static final Duration PAUSE = Duration.ofMinutes(10);
    private static final Duration BOUND = Duration.ofHours(3);

    private RestRules() {}

    static ImmutableList<Invariant> all(Eyes eyes) {
        return ImmutableList.of(
                new OrphansAreEnded(eyes),
                new BatchesAreClosed(eyes),
                new CellsGoWithTheirPods(eyes),
                new DeletedPodsGo(eyes));
    }

    /** Something that may be so for a while. */
    private abstract static class Lasting extends Invariant {

        private final Eyes eyes;
        private final Map<String, Duration> since = new LinkedHashMap<>();
        private Duration next = PAUSE;

        Lasting(Eyes eyes, String name, String why) {
            super(name, why);
            this.eyes = eyes;
        }

        final Eyes eyes() {
            return eyes;
        }

        /** What is so now, each as a sentence. */
        abstract ImmutableList<String> now();

        @Override
        final void look() {
            Duration elapsed = eyes.elapsed();
            if (elapsed.compareTo(next) < 0) {
                return;
            }
            next = elapsed.plus(PAUSE);
            ImmutableList<String> found = now();
            since.keySet().retainAll(found);
            for (String text : found) {
                if (elapsed.minus(since.computeIfAbsent(text, any -> elapsed)).compareTo(BOUND) > 0) {
                    since.put(text, elapsed);
                    violate(text + ", for " + BOUND.toHours() + " hours");
                }
            }
        }

        @Override
        final void replaced(String cluster) {
            since.clear();
        }
    }

    static final class OrphansAreEnded extends Lasting {
        OrphansAreEnded(Eyes eyes) {
            super(
                    eyes,
                    "I44 orphans are ended",
                    "An instance that no Cell names costs money for nobody, until somebody ends it.");
        }

        @Override
        ImmutableList<String> now() {
            return eyes().instances().stream()
                    .filter(one -> one.state().equals("running") && eyes().isCell(one))
                    .map(SimEc2.Sight::id)
                    .filter(id -> !Pods.isBound(eyes(), id))
                    .map(id -> id + " runs and no Cell names it")
                    .collect(ImmutableList.toImmutableList());
        }
    }

    /** Objects of a kind. */
    private abstract static class OfObjects extends Lasting {

        private final String kind;

        OfObjects(Eyes eyes, String kind, String name, String why) {
            super(eyes, name, why);
            this.kind = kind;
        }

        abstract boolean left(String cluster, ObjectNode object);

        abstract String text();

        @Override
        final ImmutableList<String> now() {
            ImmutableList.Builder<String> found = ImmutableList.builder();
            for (String cluster : eyes().clusters()) {
                for (ObjectNode object : eyes().objects(cluster, kind)) {
                    if (left(cluster, object)) {
                        found.add(kind + " " + cluster + "/"
                                + object.at("/metadata/name").asString("") + " " + text());
                    }
                }
            }
            return found.build();
        }
    }

    static final class BatchesAreClosed extends OfObjects {
        BatchesAreClosed(Eyes eyes) {
            super(
                    eyes,
                    "launchbatch",
                    "I45 batches are closed",
                    "A journal that is never closed is read at each start, for ever.");
        }

        @Override
        boolean left(String cluster, ObjectNode object) {
            return true;
        }

        @Override
        String text() {
            return "is still open";
        }
    }

    static final class CellsGoWithTheirPods extends OfObjects {
        CellsGoWithTheirPods(Eyes eyes) {
            super(
                    eyes,
                    "cell",
                    "I46 Cells go with their pods",
                    "A Cell whose pod is gone keeps an instance from being collected.");
        }

        @Override
        boolean left(String cluster, ObjectNode cell) {
            String uid = cell.at("/status/podUID").asString("");
            return eyes().objects(cluster, "pod").stream()
                    .noneMatch(pod -> pod.at("/metadata/uid").asString("").equals(uid));
        }

        @Override
        String text() {
            return "is of a pod that is gone";
        }
    }

    static final class DeletedPodsGo extends OfObjects {
        DeletedPodsGo(Eyes eyes) {
            super(
                    eyes,
                    "pod",
                    "I47 deleted pods go",
                    "A pod that stays Terminating blocks its namespace, its StatefulSet and its drain.");
        }

        @Override
        boolean left(String cluster, ObjectNode pod) {
            return pod.path("metadata").has("deletionTimestamp")
                    && !pod.at("/spec/nodeName").asString("").isEmpty();
        }

        @Override
        String text() {
            return "is still Terminating";
        }
    }
}
