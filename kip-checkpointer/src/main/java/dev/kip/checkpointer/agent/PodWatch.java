package dev.kip.checkpointer.agent;

import dev.kip.loop.Loop;
import dev.kip.loop.Offload;
import dev.kip.loop.Offload.Abandoned;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Looks again and again at how kubelet has the pod. Confined to the loop. */
final class PodWatch {

    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final Loop loop;
    private final Offload offload;
    private final KubeletPods kubelet;
    private final String uid;
    private final Supplier<Duration> pause;
    private final Consumer<Sight> told;
    private Optional<Loop.Timer> next = Optional.empty();
    private boolean underway;
    private boolean stopped;

    /** How kubelet has the pod. */
    sealed interface Sight {

        record Seen(ObjectNode pod) implements Sight {}

        /** Kubelet answers, and has no such pod. */
        record Absent() implements Sight {}

        record NoAnswer(String why) implements Sight {}
    }

    /** @param pause until the next look */
    PodWatch(
            Loop loop,
            Offload offload,
            KubeletPods kubelet,
            String uid,
            Supplier<Duration> pause,
            Consumer<Sight> told) {
        this.loop = loop;
        this.offload = offload;
        this.kubelet = kubelet;
        this.uid = uid;
        this.pause = pause;
        this.told = told;
    }

    /** Looks after {@code delay}, and from then on. */
    void look(Duration delay) {
        next.ifPresent(Loop.Timer::cancel);
        next = Optional.of(loop.after(delay, this::ask));
    }

    void stop() {
        stopped = true;
        next.ifPresent(Loop.Timer::cancel);
    }

    private void ask() {
        if (underway || stopped) {
            return;
        }
        underway = true;
        offload.call("kubelet.pods", DEADLINE, kubelet::pods).thenAccept(outcome -> {
            underway = false;
            if (!stopped) {
                told.accept(outcome.fold(this::find, abandoned -> new Sight.NoAnswer(why(abandoned))));
            }
            if (!stopped) {
                look(pause.get());
            }
        });
    }

    private Sight find(ObjectNode list) {
        for (JsonNode pod : list.path("items")) {
            if (pod instanceof ObjectNode object
                    && pod.path("metadata").path("uid").asString("").equals(uid)) {
                return new Sight.Seen(object);
            }
        }
        return new Sight.Absent();
    }

    private static String why(Abandoned abandoned) {
        return abandoned instanceof Abandoned.Threw threw
                ? String.valueOf(threw.exception().getMessage())
                : "no answer within " + DEADLINE.toSeconds() + " s";
    }
}
