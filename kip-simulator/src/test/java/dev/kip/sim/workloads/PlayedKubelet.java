package dev.kip.sim.workloads;

import dev.kip.loop.Loop;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiFailure;
import dev.kip.sim.apiserver.ResourceType;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A node that is ready and renews its lease, whose pods run a second after they are bound and stop a second after they are deleted. */
final class PlayedKubelet {

    private final ApiClient api;
    private final Loop loop;
    private final String name;
    private final ResourceType pods;
    private final ResourceType nodes;
    private final ResourceType leases;
    private final TreeSet<String> busy = new TreeSet<>();
    private boolean alive = true;
    private int addresses;

    PlayedKubelet(ApiClient api, Loop loop, String name) {
        this.api = api;
        this.loop = loop;
        this.name = name;
        pods = api.resource("", "pods");
        nodes = api.resource("", "nodes");
        leases = api.resource("coordination.k8s.io", "leases");
    }

    void start() {
        ObjectNode node = object("Node", "v1", name, "");
        node.withObjectProperty("metadata").putObject("labels").put("kubernetes.io/hostname", name);
        api.create(nodes, "", node);
        ObjectNode lease = object("Lease", "coordination.k8s.io/v1", name, "kube-node-lease");
        lease.putObject("spec").put("holderIdentity", name).put("leaseDurationSeconds", 40);
        api.create(leases, "kube-node-lease", lease);
        beReady();
        api.onChange(pods, (event, pod) -> {
            if (!event.equals("DELETED") && PodFacts.node(pod).equals(name)) {
                act(pod);
            }
        });
        renew();
    }

    /** Falls silent: its pods neither start nor stop any more. */
    void die() {
        alive = false;
    }

    private void beReady() {
        ObjectNode node = api.get(nodes, "", name).orElseThrow();
        ObjectNode status = Objects.child(node, "status");
        for (String field : new String[] {"capacity", "allocatable"}) {
            status.putObject(field).put("cpu", "4").put("memory", "8Gi").put("pods", "110");
        }
        status.putObject("nodeInfo").put("kubeletVersion", "v1.34.4").put("osImage", "Played");
        status.putArray("addresses").addObject().put("type", "InternalIP").put("address", "10.9.9.9");
        Objects.setCondition(node, "Ready", "True", "KubeletReady", "kubelet is posting ready status", loop.now());
        api.update(nodes, "status", node);
    }

    private void renew() {
        if (alive) {
            ObjectNode lease = api.get(leases, "kube-node-lease", name).orElseThrow();
            Objects.child(lease, "spec").put("renewTime", micro(loop.now()));
            api.update(leases, "", lease);
            loop.after(Duration.ofSeconds(10), this::renew);
        }
    }

    private static String micro(Instant now) {
        return now.truncatedTo(ChronoUnit.SECONDS).plusNanos(1000).toString();
    }

    private void act(ObjectNode pod) {
        String what = Cache.key(pod) + Objects.uid(pod) + Objects.isLeaving(pod);
        if (busy.add(what)) {
            loop.after(Duration.ofSeconds(1), () -> {
                if (alive) {
                    api.get(pods, Objects.namespace(pod), Objects.name(pod))
                            .filter(now -> Objects.uid(now).equals(Objects.uid(pod)))
                            .ifPresent(this::settle);
                }
            });
        }
    }

    private void settle(ObjectNode pod) {
        if (Objects.isLeaving(pod)) {
            if (!PodFacts.hasEnded(pod)) {
                Objects.child(pod, "status").put("phase", "Failed");
                update(pod, "status");
                if (api.get(pods, Objects.namespace(pod), Objects.name(pod)).isEmpty()) {
                    return;
                }
            }
            ObjectNode options = JsonNodeFactory.instance.objectNode().put("gracePeriodSeconds", 0);
            api.delete(pods, Objects.namespace(pod), Objects.name(pod), options);
            return;
        }
        if (PodFacts.phase(pod).equals("Pending")) {
            ObjectNode status = Objects.child(pod, "status");
            String end = Objects.annotation(pod, "played/ends");
            String ip = "10.1.0." + ++addresses;
            status.put("phase", end.isEmpty() ? "Running" : end)
                    .put("podIP", ip)
                    .put("hostIP", "10.9.9.9");
            status.putArray("podIPs").addObject().put("ip", ip);
            boolean ready =
                    end.isEmpty() && Objects.annotation(pod, "played/unready").isEmpty();
            Objects.setCondition(pod, "Ready", ready ? "True" : "False", "", "", loop.now());
            ObjectNode container = status.putArray("containerStatuses").addObject();
            container
                    .put("name", pod.at("/spec/containers/0/name").asString())
                    .put("image", pod.at("/spec/containers/0/image").asString())
                    .put("imageID", "")
                    .put("ready", ready)
                    .put("restartCount", 0);
            if (end.isEmpty()) {
                container.putObject("state").putObject("running").put("startedAt", Objects.stamp(loop.now()));
            } else {
                container
                        .putObject("state")
                        .putObject("terminated")
                        .put("exitCode", end.equals("Failed") ? 1 : 0)
                        .put("finishedAt", Objects.stamp(loop.now()));
            }
            update(pod, "status");
        }
    }

    private void update(ObjectNode pod, String subresource) {
        try {
            api.update(pods, subresource, pod);
        } catch (ApiFailure conflict) {
            Optional<ObjectNode> again = api.get(pods, Objects.namespace(pod), Objects.name(pod));
            again.ifPresent(this::settle);
        }
    }

    private static ObjectNode object(String kind, String apiVersion, String name, String namespace) {
        ObjectNode object =
                JsonNodeFactory.instance.objectNode().put("kind", kind).put("apiVersion", apiVersion);
        ObjectNode metadata = object.putObject("metadata").put("name", name);
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        return object;
    }
}
