package dev.kip.sim.workloads;

import dev.kip.entropy.Entropy;
import dev.kip.loop.Loop;
import dev.kip.sim.apiserver.ApiClient;

/** The scheduler and the controller manager of a cluster, against its API server. */
public final class Workloads {

    private final Cluster cluster;
    private final NodeLifecycle nodeLifecycle;
    private final PodGarbageCollector podGarbageCollector;
    private final OwnerGarbageCollector ownerGarbageCollector;

    /** For an API server without certificates. */
    public Workloads(ApiClient api, Loop loop, Entropy entropy) {
        this(api, loop, entropy, "");
    }

    /** @param certificates in PEM, by which pods are to know the API server: they go into every namespace */
    public Workloads(ApiClient api, Loop loop, Entropy entropy, String certificates) {
        cluster = new Cluster(api, loop, entropy.fork("workloads"));
        new Scheduler(cluster);
        new DeploymentController(cluster);
        new ReplicaSetController(cluster);
        new DaemonSetController(cluster);
        new JobController(cluster);
        new TaintEviction(cluster);
        new NamespaceController(cluster);
        new NamespaceDefaults(cluster, certificates);
        new EndpointsController(cluster);
        new DisruptionController(cluster);
        new CertificateSigner(cluster);
        nodeLifecycle = new NodeLifecycle(cluster);
        podGarbageCollector = new PodGarbageCollector(cluster);
        ownerGarbageCollector = new OwnerGarbageCollector(cluster);
    }

    /** Begins, once, on the loop. They never stop. */
    public void start() {
        cluster.start();
        nodeLifecycle.start();
        podGarbageCollector.start();
        ownerGarbageCollector.start();
    }
}
