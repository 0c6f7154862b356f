package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import dev.kip.entropy.Entropy;
import dev.kip.loop.Loop;
import dev.kip.sim.aws.Ids;
import dev.kip.sim.ec2.SimInstance.Launch;
import dev.kip.sim.ec2.SimInstance.Reason;
import dev.kip.sim.ec2.SimInstance.State;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The instances and their way from pending to forgotten. */
final class Instances {

    private static final DateTimeFormatter TRANSITION = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final TreeMap<Long, SimInstance> bySequence = new TreeMap<>();
    private final TreeMap<String, SimInstance> byId = new TreeMap<>();
    private final List<InstanceListener> listeners = new ArrayList<>();
    private final Loop loop;
    private final Entropy entropy;
    private final Ec2Settings settings;
    private final Network network;
    private final Types types;
    private final Capacity capacity;
    private final Tags tags;
    private Duration describeLag;

    Instances(
            Loop loop,
            Entropy entropy,
            Ec2Settings settings,
            Network network,
            Types types,
            Capacity capacity,
            Tags tags) {
        this.loop = loop;
        this.entropy = entropy;
        this.settings = settings;
        this.network = network;
        this.types = types;
        this.capacity = capacity;
        this.tags = tags;
        this.describeLag = settings.describeLag();
    }

    void lag(Duration most) {
        describeLag = most;
    }

    void listen(InstanceListener listener) {
        listeners.add(listener);
    }

    ImmutableList<SimInstance> all() {
        return ImmutableList.copyOf(bySequence.values());
    }

    Optional<SimInstance> find(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    long nextSequence() {
        return bySequence.isEmpty() ? 1 : bySequence.lastKey() + 1;
    }

    boolean memberOf(String group) {
        return bySequence.values().stream()
                .anyMatch(instance ->
                        instance.hasInterface() && instance.launch().groups().contains(group));
    }

    /** @throws Ec2Failure for the whole call, if one id is malformed or unknown */
    ImmutableList<SimInstance> require(List<String> ids) {
        for (String id : ids) {
            if (!Ids.wellFormed("i", id)) {
                throw Ec2Failure.malformed("InvalidInstanceID.Malformed", id, "i");
            }
        }
        ImmutableList<String> unknown =
                ids.stream().filter(id -> !byId.containsKey(id)).distinct().collect(ImmutableList.toImmutableList());
        if (!unknown.isEmpty()) {
            throw new Ec2Failure(
                    "InvalidInstanceID.NotFound",
                    unknown.size() == 1
                            ? "The instance ID '" + unknown.get(0) + "' does not exist"
                            : "The instance IDs '" + String.join(", ", unknown) + "' do not exist");
        }
        return ids.stream().distinct().map(id -> find(id).orElseThrow()).collect(ImmutableList.toImmutableList());
    }

    SimInstance add(Launch launch) {
        long lag = describeLag.toNanos();
        SimInstance instance =
                new SimInstance(launch, State.PENDING, loop.nanos() + (lag == 0 ? 0 : entropy.below(lag + 1)));
        put(instance);
        loop.after(drawn(settings.startsWithin()), () -> start(instance));
        return instance;
    }

    private void put(SimInstance instance) {
        bySequence.put(instance.launch().sequence(), instance);
        byId.put(instance.id(), instance);
    }

    private void start(SimInstance instance) {
        if (instance.state() == State.PENDING) {
            become(instance, State.RUNNING);
            boot(instance);
        }
    }

    private void become(SimInstance instance, State next) {
        instance.become(next);
        tell(listener -> listener.became(instance.id(), next.label()));
    }

    private void boot(SimInstance instance) {
        instance.booted(true);
        String userData =
                new String(Base64.getDecoder().decode(instance.launch().userData()), StandardCharsets.UTF_8);
        tell(listener -> listener.started(instance.id(), instance.launch().privateIp(), userData));
    }

    private void tell(Consumer<InstanceListener> news) {
        ImmutableList.copyOf(listeners).forEach(news);
    }

    /** No effect on one that has ended. */
    void terminate(SimInstance instance, Reason why) {
        if (instance.state().ended()) {
            return;
        }
        become(instance, State.SHUTTING_DOWN);
        String label = why.equals(Reason.USER)
                ? "User initiated"
                : why.code().startsWith("Server") ? why.code() : "Instance initiated";
        instance.end(why, label + " (" + TRANSITION.format(loop.now()) + ")", loop.now());
        finish(instance);
    }

    /** The operating system of the instance powers off. */
    void guestShutdown(SimInstance instance) {
        if (instance.state() != State.RUNNING) {
            return;
        }
        if (instance.launch().shutdownBehavior().equals("terminate")) {
            terminate(instance, Reason.INSTANCE);
        } else {
            instance.end(Reason.INSTANCE, "", loop.now());
            halt(instance);
            become(instance, State.STOPPED);
        }
    }

    /** No effect on one that does not run. */
    void stop(SimInstance instance) {
        if (instance.state() != State.RUNNING) {
            return;
        }
        instance.end(Reason.USER, "", loop.now());
        halt(instance);
        become(instance, State.STOPPING);
        loop.after(drawn(settings.endsWithin()), () -> {
            if (instance.state() == State.STOPPING) {
                become(instance, State.STOPPED);
            }
        });
    }

    private void finish(SimInstance instance) {
        Duration takes = drawn(settings.endsWithin());
        loop.after(takes.dividedBy(2), () -> halt(instance));
        loop.after(takes, () -> terminated(instance));
    }

    private void halt(SimInstance instance) {
        if (instance.booted()) {
            instance.booted(false);
            tell(listener -> listener.ended(instance.id()));
        }
    }

    private void terminated(SimInstance instance) {
        become(instance, State.TERMINATED);
        types.find(instance.launch().type())
                .ifPresent(type -> capacity.release(type, instance.launch().spot()));
        tags.forget(instance.launch().volumeId());
        loop.after(drawn(settings.interfaceLingers()), () -> loseInterface(instance));
        fade(instance);
    }

    private void loseInterface(SimInstance instance) {
        instance.loseInterface();
        network.require(instance.launch().subnetId()).give(instance.launch().privateIp());
        tags.forget(instance.launch().interfaceId());
    }

    private void fade(SimInstance instance) {
        loop.after(settings.tagsLostAfter(), () -> tags.forget(instance.id()));
        loop.after(settings.rememberedFor(), () -> {
            bySequence.remove(instance.launch().sequence());
            byId.remove(instance.id());
            tags.forget(instance.id());
        });
    }

    private Duration drawn(Duration most) {
        long nanos = most.toNanos();
        return Duration.ofNanos(nanos / 4 + (nanos == 0 ? 0 : entropy.below(nanos - nanos / 4 + 1)));
    }

    Instant now() {
        return loop.now();
    }

    /** Takes up what was saved: transitions under way begin anew, running machines boot. */
    void restore(List<SimInstance.Saved> saved) {
        for (SimInstance.Saved one : saved) {
            SimInstance instance = SimInstance.restore(one, loop.nanos());
            put(instance);
            if (instance.state() != State.TERMINATED) {
                network.require(instance.launch().subnetId())
                        .hold(instance.launch().privateIp());
                types.find(instance.launch().type())
                        .ifPresent(type -> capacity.hold(type, instance.launch().spot(), 1));
            }
            switch (instance.state()) {
                case PENDING -> loop.after(drawn(settings.startsWithin()), () -> start(instance));
                case RUNNING -> loop.post(() -> boot(instance));
                case SHUTTING_DOWN -> {
                    instance.booted(true); // whoever plays the machine may still have it
                    finish(instance);
                }
                case TERMINATED -> fade(instance);
                case STOPPING, STOPPED -> instance.become(State.STOPPED);
            }
        }
    }
}
