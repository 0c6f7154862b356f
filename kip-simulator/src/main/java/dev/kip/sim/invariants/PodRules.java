package dev.kip.sim.invariants;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.cell.GroundTruth;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What must hold of the status of pods, which only a controller writes, and of their end. */
final class PodRules {

    private PodRules() {}

    static ImmutableList<Invariant> all(Eyes eyes) {
        return ImmutableList.of(
                new RunningIsTrue(eyes),
                new ReadyIsTrue(eyes),
                new AddressIsTheCells(eyes),
                new ConditionsAgree(eyes),
                new RestartCountsNeverFall(eyes),
                new StartTimeIsKept(eyes),
                new PhaseFollowsExitCodes(eyes),
                new NoLivingPodIsRemoved(eyes),
                new OnlyOwnPods(eyes));
    }

    /** Compares what is written of a pod on a virtual node with what was written before. */
    private abstract static class OfStatus extends Invariant {

        private final Map<String, ObjectNode> before = new LinkedHashMap<>();
        private final Eyes eyes;

        OfStatus(Eyes eyes, String name, String why) {
            super(name, why);
            this.eyes = eyes;
        }

        final Eyes eyes() {
            return eyes;
        }

        @Override
        final void changed(String cluster, String event, String kind, ObjectNode object) {
            if (!kind.equals("pod")) {
                return;
            }
            String key = cluster + "/" + uid(object);
            if (event.equals("DELETED")) {
                before.remove(key);
                return;
            }
            Optional<ObjectNode> previous = Optional.ofNullable(before.put(key, object));
            JsonNode was = previous.<JsonNode>map(pod -> pod.path("status")).orElse(object.path("nothing"));
            if (!was.equals(object.path("status"))
                    && !object.at("/spec/nodeName").asString("").isEmpty()) {
                written(object, was);
            }
        }

        @Override
        final void replaced(String cluster) {
            before.clear();
        }

        /** @param was its status before; missing if there was none */
        abstract void written(ObjectNode pod, JsonNode was);

        static String uid(ObjectNode pod) {
            return pod.at("/metadata/uid").asString("");
        }

        static String name(ObjectNode pod) {
            return pod.at("/metadata/namespace").asString("") + "/"
                    + pod.at("/metadata/name").asString("");
        }

        static String phase(JsonNode status) {
            return status.path("phase").asString("");
        }

        static boolean is(JsonNode status, String condition) {
            for (JsonNode one : status.path("conditions")) {
                if (one.path("type").asString("").equals(condition)) {
                    return one.path("status").asString("").equals("True");
                }
            }
            return false;
        }
    }

    static final class RunningIsTrue extends OfStatus {
        RunningIsTrue(Eyes eyes) {
            super(
                    eyes,
                    "I21 Running is true",
                    "A pod that is called Running before a container ever started hides that its cell does not come.");
        }

        @Override
        void written(ObjectNode pod, JsonNode was) {
            if (phase(pod.path("status")).equals("Running")
                    && !phase(was).equals("Running")
                    && !eyes().truth().everStarted(uid(pod))) {
                violate(name(pod) + " is called Running, and no container of it has ever started");
            }
        }
    }

    static final class ReadyIsTrue extends OfStatus {
        ReadyIsTrue(Eyes eyes) {
            super(
                    eyes,
                    "I22 Ready is true",
                    "Traffic is sent to what is called Ready: it must run when it is first called so.");
        }

        @Override
        void written(ObjectNode pod, JsonNode was) {
            if (is(pod.path("status"), "Ready")
                    && !is(was, "Ready")
                    && !eyes().truth().everStarted(uid(pod))) {
                violate(name(pod) + " is called Ready, and nothing of it has ever run");
            }
        }
    }

    static final class AddressIsTheCells extends OfStatus {
        AddressIsTheCells(Eyes eyes) {
            super(
                    eyes,
                    "I23 a pod's address is its cell's",
                    "Endpoints are made of it: a wrong one sends a service's traffic to somebody else.");
        }

        @Override
        void written(ObjectNode pod, JsonNode was) {
            String told = pod.at("/status/podIP").asString("");
            Optional<GroundTruth.Run> run = CellRules.running(eyes(), uid(pod));
            if (told.isEmpty() || run.isEmpty()) {
                return;
            }
            for (SimEc2.Sight one : eyes().instances()) {
                if (one.id().equals(run.get().instanceId()) && !one.privateIp().equals(told)) {
                    violate(name(pod) + " is said to be at " + told + ", and runs at " + one.privateIp());
                }
            }
        }
    }

    static final class ConditionsAgree extends OfStatus {
        ConditionsAgree(Eyes eyes) {
            super(
                    eyes,
                    "I24 conditions agree",
                    "A pod cannot be Ready while its containers are not, or while it does not run.");
        }

        @Override
        void written(ObjectNode pod, JsonNode was) {
            JsonNode status = pod.path("status");
            if (is(status, "Ready")
                    && !failedByKubernetes(status)
                    && (!is(status, "ContainersReady") || !phase(status).equals("Running"))) {
                violate(name(pod) + " is Ready, " + phase(status) + ", its containers ready: "
                        + is(status, "ContainersReady"));
            }
        }
    }

    /** Kubernetes' own garbage collection calls a pod Failed whose node is gone, and leaves its other conditions. */
    private static boolean failedByKubernetes(JsonNode status) {
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("reason").asString("").equals("DeletionByPodGC")) {
                return true;
            }
        }
        return false;
    }

    static final class RestartCountsNeverFall extends OfStatus {
        RestartCountsNeverFall(Eyes eyes) {
            super(eyes, "I25 restart counts never fall", "A count that begins anew hides a pod that keeps failing.");
        }

        @Override
        void written(ObjectNode pod, JsonNode was) {
            for (JsonNode now : pod.at("/status/containerStatuses")) {
                for (JsonNode earlier : was.path("containerStatuses")) {
                    if (earlier.path("name").equals(now.path("name"))
                            && now.path("restartCount").asInt(0)
                                    < earlier.path("restartCount").asInt(0)) {
                        violate(name(pod) + " counted " + earlier.path("restartCount") + " restarts, and now "
                                + now.path("restartCount"));
                    }
                }
            }
        }
    }

    static final class StartTimeIsKept extends OfStatus {
        StartTimeIsKept(Eyes eyes) {
            super(eyes, "I26 the start time is kept", "A pod was acknowledged once: deadlines are counted from then.");
        }

        @Override
        void written(ObjectNode pod, JsonNode was) {
            String before = was.path("startTime").asString("");
            String now = pod.at("/status/startTime").asString("");
            if (!before.isEmpty()
                    && !now.isEmpty()
                    && !before.equals(now)
                    && attempt(was).equals(attempt(pod.path("status")))) {
                violate(name(pod) + " had started at " + before + " and now at " + now);
            }
        }

        /** Another attempt has another address. */
        private static String attempt(JsonNode status) {
            return status.path("podIP").asString("");
        }
    }

    static final class PhaseFollowsExitCodes extends OfStatus {
        PhaseFollowsExitCodes(Eyes eyes) {
            super(
                    eyes,
                    "I28 the phase follows exit codes",
                    "A Job believes the phase: work that failed must not count as done.");
        }

        @Override
        void written(ObjectNode pod, JsonNode was) {
            boolean succeeded = phase(pod.path("status")).equals("Succeeded");
            for (JsonNode container : pod.at("/status/containerStatuses")) {
                if (succeeded && container.at("/state/terminated/exitCode").asInt(0) != 0) {
                    violate(name(pod) + " is called Succeeded, and "
                            + container.path("name").asString("") + " ended with "
                            + container.at("/state/terminated/exitCode"));
                }
            }
        }
    }

    static final class NoLivingPodIsRemoved extends Invariant {

        private final Eyes eyes;

        NoLivingPodIsRemoved(Eyes eyes) {
            super(
                    "I29 no pod that lives is removed",
                    "Its object is all that says that it runs: who removes it, and nobody asked, leaves containers that nobody knows of.");
            this.eyes = eyes;
        }

        @Override
        void sent(Call call, Fate fate) {
            Optional<Eyes.Sender> sender = eyes.sender(call.from());
            if (!call.action().equals("DELETE pods") || sender.isEmpty()) {
                return;
            }
            for (ObjectNode pod : eyes.objects(sender.get().cluster(), "pod")) {
                if (!call.target().equals(OfStatus.name(pod))
                        || pod.path("metadata").has("deletionTimestamp")) {
                    continue;
                }
                CellRules.running(eyes, OfStatus.uid(pod))
                        .filter(run -> eyes.instances().stream()
                                .anyMatch(one -> one.id().equals(run.instanceId())
                                        && one.state().equals("running")))
                        .ifPresent(run -> violate(call.from() + " removes " + call.target() + ", whose "
                                + run.container() + " still runs on " + run.instanceId()));
            }
        }
    }

    static final class OnlyOwnPods extends Invariant {

        private final Eyes eyes;

        OnlyOwnPods(Eyes eyes) {
            super("I30 only own pods", "Two nodes that write one pod's status contradict each other for ever.");
            this.eyes = eyes;
        }

        @Override
        void sent(Call call, Fate fate) {
            Optional<Eyes.Sender> sender = eyes.sender(call.from());
            if (!call.action().equals("PATCH pods/status") || sender.isEmpty()) {
                return;
            }
            for (ObjectNode pod : eyes.objects(sender.get().cluster(), "pod")) {
                String node = pod.at("/spec/nodeName").asString("");
                if (call.target().equals(OfStatus.name(pod))
                        && !node.equals(sender.get().node())) {
                    violate(call.from() + " of node " + sender.get().node() + " writes " + call.target()
                            + ", which is bound to " + (node.isEmpty() ? "no node" : node));
                }
            }
        }
    }
}
