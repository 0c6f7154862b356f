package dev.kip.sim.junit;

import com.google.common.collect.ImmutableList;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.KubeApi;
import dev.kip.loop.Loop;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiServer;
import dev.kip.sim.apiserver.ApiServerSettings;
import dev.kip.sim.apiserver.ResourceType;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimHttpClient;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.report.HtmlReport;
import dev.kip.sim.report.Recording;
import dev.kip.sim.workloads.Workloads;
import dev.kip.sim.world.Requests;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import dev.kip.yaml.YamlReader;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/**
 * A world for a controller of your own: an API server, a network, and whatever the seed lets go wrong. Virtual time, one
 * thread; one seed is one history.
 */
public final class Simulation {

    private static final Instant BEGINNING = Instant.parse("2030-01-01T00:00:00Z");
    private static final URI KUBERNETES = URI.create("https://kubernetes.sim:443");
    private static final Duration KUBE_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration RESTART = Duration.ofSeconds(2);

    private final long seed;
    private final ImmutableList<Trouble> troubles;
    private final Kernel kernel;
    private final SimNetwork network;
    private final SimProcess server;
    private final ApiClient api;
    private final Recording recording = new Recording();
    private final Map<String, Start> controllers = new LinkedHashMap<>();
    private final Map<String, SimProcess> processes = new LinkedHashMap<>();
    private final Map<String, Supplier<Optional<String>>> invariants = new LinkedHashMap<>();
    private Optional<String> violated = Optional.empty();
    private boolean calm;
    private boolean changed;
    private int mutating;

    Simulation(long seed, ImmutableList<Trouble> troubles) {
        this.seed = seed;
        this.troubles = troubles;
        this.kernel = new Kernel(seed, BEGINNING, new Trace(true));
        kernel.trace().witness(recording);
        if (troubles.stream().anyMatch(Trouble.Order.class::isInstance)) {
            kernel.drawOrder();
        }
        this.network = new SimNetwork(kernel, Requests::describe);
        network.faults(this::fateOf);
        this.server = new SimProcess(kernel, "kubernetes");
        ApiServer kubernetes = new ApiServer(server, kernel.entropy("kubernetes"), ApiServerSettings.DEFAULT);
        this.api = kubernetes.client();
        network.listen(KUBERNETES.getHost(), KUBERNETES.getPort(), "kubernetes", server, kubernetes);
        api.resources().forEach(this::follow);
        kernel.afterEach(this::look);
        for (Trouble trouble : troubles) {
            if (trouble instanceof Trouble.Lasting lasting) {
                kernel.schedule(lasting.at(), () -> strike(lasting));
            }
        }
    }

    /** A world in which nothing goes wrong. */
    public static Simulation calm(long seed) {
        return new Simulation(seed, ImmutableList.of());
    }

    /** Starts a process of a controller. Called for each of its lives, on its loop. */
    public interface Start {
        void start(Loop loop, KubeApi kube);
    }

    public long seed() {
        return seed;
    }

    /** Since the world began. */
    public Duration elapsed() {
        return kernel.elapsed();
    }

    /** The API server from inside, for tests to look and to act: at once, and never in trouble. */
    public ApiClient api() {
        return api;
    }

    /** Scheduler, Deployments, Jobs, garbage collection and the other controllers that every cluster has. */
    public Simulation withBuiltInControllers() {
        new Workloads(api, server, kernel.entropy("workloads")).start();
        return this;
    }

    /** A controller that runs from now on; 2 s after it has died it is started again, as a new process. */
    public Simulation controller(String name, Start start) {
        controllers.put(name, start);
        start(name);
        return this;
    }

    /** Kills its process; it is started again after 2 s. */
    public void kill(String name) {
        kernel.trace().line(kernel.elapsed(), "world", "kill " + name);
        die(name);
    }

    private void start(String name) {
        SimProcess process = new SimProcess(kernel, name);
        processes.put(name, process);
        KubeApi kube = new HttpKubeApi(
                new SimHttpClient(network, process, Optional.empty()),
                KUBERNETES,
                process,
                Runnable::run,
                KUBE_TIMEOUT);
        kernel.trace().line(kernel.elapsed(), "world", "start " + name);
        process.post(() -> controllers.getOrDefault(name, (loop, api) -> {}).start(process, kube));
    }

    private void die(String name) {
        Optional.ofNullable(processes.get(name)).ifPresent(SimProcess::kill);
        kernel.schedule(RESTART, () -> {
            if (!Optional.ofNullable(processes.get(name)).map(SimProcess::alive).orElse(false)) {
                start(name);
            }
        });
    }

    /** Creates the objects of this YAML, one document or several. */
    public void apply(String yaml) {
        try {
            for (Yaml document : YamlReader.readAll("apply", yaml)) {
                ObjectNode object = (ObjectNode) dev.kip.sim.report.Json.of(document);
                api.create(type(object), object.at("/metadata/namespace").asString("default"), object);
            }
        } catch (YamlProblem e) {
            throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
        }
    }

    private ResourceType type(ObjectNode object) {
        String version = object.path("apiVersion").asString("");
        String group = version.contains("/") ? version.substring(0, version.indexOf('/')) : "";
        String kind = object.path("kind").asString("");
        return api.resources().stream()
                .filter(type -> type.group().equals(group) && type.kind().equals(kind))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the API server knows no " + kind + " of " + version));
    }

    /**
     * Every object of a kind.
     *
     * @param group empty for the core group
     */
    public ImmutableList<ObjectNode> objects(String group, String plural) {
        return api.list(api.resource(group, plural), "");
    }

    /**
     * Something that must hold at every moment; looked at whenever an object has changed.
     *
     * @param broken what is the case instead; empty while it holds
     */
    public Simulation always(String name, Supplier<Optional<String>> broken) {
        invariants.put(name, broken);
        return this;
    }

    /** @throws Violation if an invariant breaks */
    public void runFor(Duration time) {
        kernel.runUntil(() -> violated.isPresent(), time);
        judge();
    }

    /**
     * @param within at most so long
     * @throws Violation if it does not become so in time, or an invariant breaks
     */
    public void runUntil(String what, BooleanSupplier done, Duration within) {
        boolean reached = kernel.runUntil(() -> violated.isPresent() || done.getAsBoolean(), within);
        judge();
        if (!reached) {
            throw new Violation(what, "not within " + within.toSeconds() + " s");
        }
    }

    /** Nothing more goes wrong from now on: what must happen in the end is expected after this. */
    public void troublesEnd() {
        calm = true;
        kernel.trace().line(kernel.elapsed(), "world", "troubles end");
    }

    private void judge() {
        if (violated.isPresent()) {
            String text = violated.get();
            int colon = text.indexOf(": ");
            throw new Violation(text.substring(0, colon), text.substring(colon + 2));
        }
    }

    private void look() {
        if (changed && violated.isEmpty()) {
            changed = false;
            invariants.forEach((name, broken) -> {
                if (violated.isEmpty()) {
                    broken.get().ifPresent(text -> violate(name + ": " + text));
                }
            });
        }
    }

    private void violate(String text) {
        violated = Optional.of(text);
        kernel.trace().line(kernel.elapsed(), "invariant", text);
    }

    private void follow(ResourceType type) {
        String kind = type.kind().toLowerCase(Locale.ROOT);
        api.onChange(type, (event, object) -> {
            changed = true;
            if (kind.equals("lease") || kind.equals("event")) {
                return;
            }
            recording.object(kernel.elapsed(), "a", event, kind, object);
            kernel.trace()
                    .line(
                            kernel.elapsed(),
                            "kubernetes",
                            event + " " + kind + " "
                                    + object.at("/metadata/name").asString(""));
        });
    }

    private Fate fateOf(Call call) {
        if (calm || !call.mutating() || !controllers.containsKey(call.from())) {
            return Fate.ARRIVES;
        }
        mutating++;
        for (Trouble trouble : troubles) {
            if (trouble instanceof Trouble.OfRequest struck && struck.nth() == mutating) {
                if (struck.fate() == Fate.SENDER_DIES_BEFORE || struck.fate() == Fate.SENDER_DIES_AFTER) {
                    kernel.schedule(RESTART, () -> {
                        SimProcess process = processes.get(call.from());
                        if (process != null && !process.alive()) {
                            start(call.from());
                        }
                    });
                }
                return struck.fate();
            }
        }
        return Fate.ARRIVES;
    }

    private void strike(Trouble.Lasting lasting) {
        if (calm) {
            return;
        }
        kernel.trace().line(kernel.elapsed(), "fault", lasting.toString());
        processes.forEach((name, process) -> {
            if (lasting.word().equals("pause")) {
                process.pause(lasting.length());
            } else {
                network.holdWatches(name, lasting.length());
            }
        });
    }

    /** What goes wrong, as {@link Simulated#troubles} takes it. */
    ImmutableList<Trouble> troubles() {
        return troubles;
    }

    /** Of everything that crossed the network and was told. */
    public String hash() {
        return kernel.trace().hash();
    }

    /** What happened, as a page that opens from disk. */
    public String report(String name, Optional<Throwable> failure) {
        return HtmlReport.page(
                name,
                troubles.isEmpty() ? "nothing went wrong" : "under " + troubles,
                seed,
                failure.map(Throwable::getMessage).orElse(""),
                kernel.elapsed().toNanos() / 1_000,
                hash(),
                recording);
    }

    /** Something that must hold did not. */
    public static final class Violation extends AssertionError {

        private static final long serialVersionUID = 1L;

        Violation(String what, String found) {
            super(what + ": " + found);
        }
    }
}
