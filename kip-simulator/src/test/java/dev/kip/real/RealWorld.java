package dev.kip.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.real.Bounded.Look;
import dev.kip.sim.scenario.World;
import dev.kip.sim.wall.AdminApi;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.Instance;
import software.amazon.awssdk.services.ec2.model.Tag;
import tools.jackson.databind.node.ObjectNode;

/** A scenario's words on real parts: the API server and EC2 as anyone sees them, controllers as processes. */
final class RealWorld implements World, AutoCloseable {
    private final long began = System.nanoTime();
    private ImmutableSet<String> earlier = ImmutableSet.of();
    private final AdminApi api;
    private final Ec2Client ec2;
    private final Map<String, ControllerProcess> controllers = new TreeMap<>();
    private final CallCounter counter;

    RealWorld(RealCluster cluster, AdminApi api, List<ControllerProcess> controllers, CallCounter counter) {
        this.api = api;
        this.counter = counter;
        for (int i = 0; i < controllers.size(); i++) {
            this.controllers.put("kip-" + i, controllers.get(i));
        }
        this.ec2 = Ec2Client.builder()
                .region(Region.US_EAST_1)
                .endpointOverride(cluster.ec2())
                .httpClient(UrlConnectionHttpClient.create())
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("testing", "testing")))
                .build();
    }

    @Override
    public Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    @Override
    public void create(String cluster, ObjectNode object) {
        api.create(object);
    }

    @Override
    public void delete(String cluster, String kind, String namespace, String name, Optional<Long> graceSeconds) {
        api.delete(kind, namespace, name, graceSeconds);
    }

    @Override
    public void scale(String cluster, String kind, String namespace, String name, int replicas) {
        api.scale(kind, namespace, name, replicas);
    }

    @Override
    public ImmutableList<ObjectNode> objects(String cluster, String kind) {
        return api.list(kind);
    }

    @Override
    public void startController(String replica, ImmutableMap<String, String> config) {
        controllers.get(replica).start();
    }

    @Override
    public void killController(String replica) {
        controllers.get(replica).kill9();
    }

    @Override
    public void pauseController(String replica, Duration length) {
        controllers.get(replica).pause(length);
    }

    /** Who holds the lease and has renewed it within its duration, by the name of its replica. */
    @Override
    public ImmutableList<String> leaders() {
        return api.get("lease", "kip", "kip-virtual-kubelet")
                .filter(lease -> {
                    String renewed = lease.at("/spec/renewTime").asString("");
                    long seconds = lease.at("/spec/leaseDurationSeconds").asLong(0);
                    return !renewed.isEmpty()
                            && Instant.parse(renewed).plusSeconds(seconds).isAfter(Instant.now());
                })
                .map(lease -> lease.at("/spec/holderIdentity").asString(""))
                .flatMap(holder ->
                        controllers.keySet().stream().filter(holder::startsWith).findFirst())
                .map(ImmutableList::of)
                .orElse(ImmutableList.of());
    }

    @Override
    public Optional<String> installationOf(String cluster) {
        return api.list("installation").stream()
                .map(installation -> installation.at("/spec/installationID").asString(""))
                .findFirst();
    }

    /** Those launched since the last {@link #clear}, terminated ones too: a story must know whose they were. */
    @Override
    public ImmutableList<Machine> machines() {
        return instances().stream()
                .filter(instance -> !earlier.contains(instance.instanceId()))
                .map(instance ->
                        new Machine(instance.instanceId(), instance.state().nameAsString(), tags(instance), true))
                .collect(ImmutableList.toImmutableList());
    }

    /** Ends whatever an earlier story left, so that the next one begins with nothing. */
    void clear() {
        controllers.values().forEach(ControllerProcess::kill9);
        deleteAll("deployment");
        for (String kind : List.of("cell", "launchbatch", "installation", "node")) {
            for (ObjectNode object : api.list(kind)) {
                api.deleteByForce(kind, "", object.at("/metadata/name").asString());
            }
        }
        api.delete("lease", "kip", "kip-virtual-kubelet", Optional.empty());
        api.delete("secret", "kip", "kip-installation", Optional.empty());
        ImmutableList<Instance> instances = instances();
        earlier = instances.stream().map(Instance::instanceId).collect(ImmutableSet.toImmutableSet());
        List<String> left = instances.stream()
                .filter(instance -> !instance.state().nameAsString().equals("terminated"))
                .map(Instance::instanceId)
                .toList();
        if (!left.isEmpty()) {
            ec2.terminateInstances(request -> request.instanceIds(left));
        }
        // A controller manager that has not yet heard of a restored etcd makes pods anew until it has.
        Bounded.await("a cluster without pods", Duration.ofMinutes(4), () -> {
            int found = deleteAll("pod");
            return Look.holds(found == 0, found + " pods");
        });
    }

    /** @return how many there were */
    private int deleteAll(String kind) {
        List<ObjectNode> found = api.list(kind);
        for (ObjectNode object : found) {
            api.delete(
                    kind,
                    object.at("/metadata/namespace").asString(),
                    object.at("/metadata/name").asString(),
                    Optional.of(0L));
        }
        return found.size();
    }

    private ImmutableList<Instance> instances() {
        return ec2.describeInstancesPaginator(request -> request.maxResults(1000)).reservations().stream()
                .flatMap(reservation -> reservation.instances().stream())
                .collect(ImmutableList.toImmutableList());
    }

    private static ImmutableMap<String, String> tags(Instance instance) {
        return instance.tags().stream().collect(ImmutableMap.toImmutableMap(Tag::key, Tag::value));
    }

    @Override
    public void terminate(String instanceId) {
        ec2.terminateInstances(request -> request.instanceIds(instanceId));
    }

    /** Every counted call is a controller's, and was counted since the last {@link #clear}. */
    @Override
    public long calls(String from, String to, String action, Optional<String> since) {
        return counter.seen().stream()
                .filter(call -> matches(to, call.server())
                        && (action.equals("mutating")
                                ? !call.what().contains("/events ")
                                : matches(action, call.what())))
                .count();
    }

    private static boolean matches(String glob, String text) {
        return text.matches(("\\Q" + glob + "\\E").replace("*", "\\E.*\\Q"));
    }

    @Override
    public void close() {
        ec2.close();
        controllers.values().forEach(ControllerProcess::close);
    }
}
