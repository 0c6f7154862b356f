package dev.kip.checkpointer.source;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import dev.kip.checkpointer.cri.Cri;
import dev.kip.checkpointer.cri.Cri.Container;
import dev.kip.checkpointer.cri.Cri.Incompatible;
import dev.kip.checkpointer.cri.Cri.Sandbox;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.standing.RuntimeSight;
import dev.kip.checkpointer.standing.RuntimeSight.Run;
import dev.kip.loop.Offload;
import dev.kip.loop.Offload.Abandoned;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Asks the container runtime what runs. Called on the loop; answers on it. */
public final class RuntimePoll {

    private final Cri cri;
    private final Offload offload;
    private final Duration timeout;

    public RuntimePoll(Cri cri, Offload offload, Duration timeout) {
        this.cri = cri;
        this.offload = offload;
        this.timeout = timeout;
    }

    public CompletionStage<RuntimeSight> ask() {
        return ask(1);
    }

    /** @param versions how many other versions of the interface may be tried at once */
    private CompletionStage<RuntimeSight> ask(int versions) {
        return call("cri.ListPodSandbox", cri::sandboxes).thenCompose(sandboxes -> {
            boolean another = sandboxes.error().map(RuntimePoll::isIncompatible).orElse(false) && versions > 0;
            return another
                    ? ask(versions - 1)
                    : sandboxes.fold(this::withContainers, failure -> done(unknown(failure)));
        });
    }

    private CompletionStage<RuntimeSight> withContainers(ImmutableList<Sandbox> sandboxes) {
        return call("cri.ListContainers", cri::containers)
                .thenApply(containers -> containers.fold(
                        (Function<ImmutableList<Container>, RuntimeSight>) found -> join(sandboxes, found),
                        RuntimePoll::unknown));
    }

    private <T> CompletionStage<Outcome<T, Abandoned>> call(String name, Callable<T> call) {
        return offload.call(name, timeout, call);
    }

    private static boolean isIncompatible(Abandoned failure) {
        return failure instanceof Abandoned.Threw threw && threw.exception() instanceof Incompatible;
    }

    private static RuntimeSight unknown(Abandoned failure) {
        if (failure instanceof Abandoned.Threw threw) {
            return new RuntimeSight.Unknown(String.valueOf(threw.exception().getMessage()));
        }
        return new RuntimeSight.Unknown("no answer in time");
    }

    private static CompletionStage<RuntimeSight> done(RuntimeSight sight) {
        return CompletableFuture.completedFuture(sight);
    }

    private static RuntimeSight join(ImmutableList<Sandbox> sandboxes, ImmutableList<Container> containers) {
        Map<PodKey, Run> runs = new TreeMap<>();
        for (Sandbox sandbox : sandboxes) {
            if (sandbox.ready()) {
                Run run = run(sandbox, containers);
                // Of two pods of one name, as when one is ending, the one that does more counts.
                runs.merge(
                        new PodKey(sandbox.namespace(), sandbox.name()),
                        run,
                        (one, other) ->
                                one.containers().size() >= other.containers().size() ? one : other);
            }
        }
        return new RuntimeSight.Known(ImmutableSortedMap.copyOf(runs));
    }

    private static Run run(Sandbox sandbox, ImmutableList<Container> containers) {
        ImmutableList<Container> running = containers.stream()
                .filter(container -> container.sandbox().equals(sandbox.id()) && container.running())
                .sorted(Comparator.comparing(Container::id))
                .collect(ImmutableList.toImmutableList());
        ImmutableSortedSet<String> names = running.stream()
                .map(Container::name)
                .collect(ImmutableSortedSet.toImmutableSortedSet(Comparator.naturalOrder()));
        String instance = running.stream().map(Container::id).reduce(sandbox.id(), (all, id) -> all + " " + id);
        boolean begun =
                containers.stream().anyMatch(container -> container.sandbox().equals(sandbox.id()));
        return new Run(sandbox.uid(), names, instance, begun);
    }
}
