package dev.kip.sim.world;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.config.ProviderConfig;
import dev.kip.controller.config.ProviderKeys;
import dev.kip.controller.config.ProviderYaml;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.controller.config.Surroundings;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.scenario.ConfigTree;
import dev.kip.sim.scenario.Given;
import dev.kip.sim.scenario.Globs;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The controller processes of a world, through all their incarnations. */
final class Replicas {

    private static final ImmutableMap<String, String> ROOMY =
            ImmutableMap.of("cpu", "100000", "memory", "1000Ti", "pods", "100000");

    private final Kernel kernel;
    private final SimNetwork network;
    private final Given given;
    private final Parts parts;
    private final Optional<String> anchor;
    private final Consumer<Replica> onChange;
    private final BiConsumer<Replica, String> onCollected;
    private final Map<String, Replica> replicas = new TreeMap<>();
    private final Map<String, Integer> incarnations = new TreeMap<>();
    private final Map<String, Duration> skews = new LinkedHashMap<>();

    /** @param onCollected told of each instance that garbage collection has ended */
    Replicas(
            Kernel kernel,
            SimNetwork network,
            Given given,
            Parts parts,
            Optional<String> anchor,
            Consumer<Replica> onChange,
            BiConsumer<Replica, String> onCollected) {
        this.kernel = kernel;
        this.network = network;
        this.given = given;
        this.parts = parts;
        this.anchor = anchor;
        this.onChange = onChange;
        this.onCollected = onCollected;
    }

    /**
     * One that is about to stop is followed by another once it has ended.
     *
     * @return whether it did not run before: the story and a fault may both want it to
     */
    boolean start(Actor actor, ImmutableMap<String, String> extra) {
        String name = actor.text();
        Replica before = replicas.get(name);
        if (before != null && before.stopping()) {
            before.process().onDeath(() -> kernel.schedule(Duration.ZERO, () -> start(actor, extra)));
            return true;
        }
        if (before != null && before.process().alive()) {
            return false;
        }
        int incarnation = incarnations.merge(name, 1, Integer::sum);
        SimProcess process = new SimProcess(kernel, name);
        skews.forEach((glob, skew) -> {
            if (Globs.matches(glob, name)) {
                process.skewClock(skew);
            }
        });
        replicas.put(
                name,
                new Replica(
                        kernel,
                        network,
                        process,
                        actor,
                        kernel.entropy(name).fork("incarnation " + incarnation),
                        config(actor, extra),
                        given.knobs(),
                        parts,
                        onChange,
                        onCollected));
        return true;
    }

    private ResolvedConfig config(Actor actor, ImmutableMap<String, String> extra) {
        ProviderConfig config = said(extra)
                .with(ProviderKeys.NODE_NAME, actor.node().isEmpty() ? given.node() : actor.node())
                .with(ProviderKeys.NODE_TAINT, given.taint())
                .with(ProviderKeys.CAPACITY, ROOMY)
                .with(ProviderKeys.REGION, Optional.of("us-east-1"))
                .with(ProviderKeys.ENDPOINT_URL, Optional.of("http://" + Places.EC2_HOST + ":" + Places.EC2_PORT))
                .with(ProviderKeys.IMAGE_OWNERS, Optional.of("amazon"))
                .with(ProviderKeys.IMAGE_FILTERS, Optional.of("name=al2023-ami-*"))
                .with(ProviderKeys.CONSISTENCY_WINDOW, Duration.ofMinutes(2));
        if (anchor.isPresent()) {
            config = config.with(ProviderKeys.ANCHOR, anchor)
                    .with(ProviderKeys.ANCHOR_ENDPOINT, Optional.of(Anchors.endpoint()));
        }
        return ResolvedConfig.of(
                        config,
                        new Surroundings(ImmutableMap.of(), actor.identity(), "0.1.0"),
                        "the world's configuration")
                .value()
                .orElseThrow(() -> new IllegalStateException("the world's own configuration is wrong"));
    }

    /** The keys that the story sets, for all or for this start. */
    private ProviderConfig said(ImmutableMap<String, String> extra) {
        Map<String, String> keys = new LinkedHashMap<>(given.config());
        keys.putAll(extra);
        return ProviderYaml.read("config", ConfigTree.of(keys).toString()).fold(config -> config, problems -> {
            throw new IllegalStateException("the story's configuration is wrong: " + problems);
        });
    }

    /** @param glob of their names */
    void skew(String glob, Duration by) {
        skews.put(glob, by);
        living(glob).forEach(one -> one.process().skewClock(by));
    }

    void killAll(String cluster) {
        replicas.values().stream()
                .filter(one -> one.actor().cluster().equals(cluster))
                .forEach(one -> one.process().kill());
    }

    Optional<Replica> find(String name) {
        return Optional.ofNullable(replicas.get(name));
    }

    /** Those that run and whose name is meant. */
    ImmutableList<Replica> living(String glob) {
        return replicas.entrySet().stream()
                .filter(entry -> Globs.matches(glob, entry.getKey()))
                .map(Map.Entry::getValue)
                .filter(one -> one.process().alive())
                .collect(ImmutableList.toImmutableList());
    }

    ImmutableList<String> leaders() {
        return replicas.entrySet().stream()
                .filter(entry -> entry.getValue().leading())
                .map(Map.Entry::getKey)
                .collect(ImmutableList.toImmutableList());
    }
}
