package dev.kip.sim.mock;

import dev.kip.crd.CrdManifests;
import dev.kip.entropy.SecureEntropy;
import dev.kip.loop.system.SystemLoop;
import dev.kip.sim.embedded.OnLoop;
import dev.kip.sim.workloads.Workloads;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import java.net.InetAddress;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.logging.Level;
import java.util.logging.Logger;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** fabric8's mock server over plain HTTP on loopback, with the built-in controllers working on it. */
public final class MockServer implements AutoCloseable {

    /** Each request is a line of it otherwise. */
    private static final Logger QUIET = Logger.getLogger(MockWebServer.class.getName());

    private final SystemLoop loop = SystemLoop.start("mock");
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "watches");
        thread.setDaemon(true);
        return thread;
    });
    private final KubernetesMockServer server;
    private final MockDispatcher dispatcher;

    private final Map<String, Snapshot> backups = new LinkedHashMap<>();

    private MockServer() {
        QUIET.setLevel(Level.WARNING);
        SecureEntropy entropy = new SecureEntropy();
        dispatcher = new MockDispatcher(new Kinds(), new Admitting(entropy), new WatchHub(clock));
        server = new KubernetesMockServer(new Context(), new MockWebServer(), new LinkedHashMap<>(), dispatcher, false);
        server.init(InetAddress.getLoopbackAddress(), 0);
    }

    /** Starts it; Kip's kinds are defined. */
    public static MockServer start() {
        MockServer started = new MockServer();
        started.define();
        SystemLoop loop = started.loop;
        OnLoop.run(loop, () -> {
            new Workloads(new MockClient(started.dispatcher, loop), loop, new SecureEntropy()).start();
            return true;
        });
        return started;
    }

    private void define() {
        for (ObjectNode definition : CrdManifests.all()) {
            post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
        }
        for (String namespace : new String[] {"default", "kube-system", "kube-node-lease"}) {
            ObjectNode object = JsonMapper.shared().createObjectNode();
            object.put("apiVersion", "v1").put("kind", "Namespace");
            object.putObject("metadata").put("name", namespace);
            post("/api/v1/namespaces", object);
        }
    }

    private void post(String path, ObjectNode object) {
        dispatcher.answer("POST", Target.parse(path), "application/json", Optional.of(object));
    }

    /** Keeps all objects under a name. */
    public void backup(String name) {
        backups.put(name, dispatcher.snapshot());
    }

    /** The objects are those that were kept; watches end, and begin with a list again. */
    public void restore(String name) {
        Snapshot kept = backups.get(name);
        if (kept == null) {
            throw new IllegalStateException("there is no backup " + name + ", only " + backups.keySet());
        }
        dispatcher.restore(kept);
    }

    /** As new. */
    public void recreate() {
        dispatcher.restore(Snapshot.EMPTY);
        define();
    }

    public URI address() {
        return URI.create("http://127.0.0.1:" + server.getPort());
    }

    @Override
    public void close() {
        loop.close();
        server.destroy();
        clock.shutdownNow();
    }
}
