package dev.kip.controller.explain;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.inventory.Holdings;
import dev.kip.crd.Cell;
import dev.kip.kube.ObjectRef;
import dev.kip.yaml.Suggestion;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** What a name means. */
public sealed interface Subject {

    record OfPod(ObjectNode pod) implements Subject {}

    record OfCell(Cell cell) implements Subject {}

    record OfInstance(InstanceFacts instance) implements Subject {}

    /** Nothing, or more than one thing; {@code message} says what to do. */
    record Unclear(String message) implements Subject {}

    /**
     * @param name an instance id; {@code namespace/name} of a pod, or its name if only one namespace has it, or its uid;
     *     the name of a Cell
     */
    static Subject of(Holdings holdings, String name) {
        Optional<InstanceFacts> instance = holdings.instance(name);
        if (instance.isPresent()) {
            return new OfInstance(instance.get());
        }
        Optional<Cell> cell = holdings.cells().stream()
                .filter(found -> found.metadata().name().equals(name)
                        || found.status().instanceID().equals(name))
                .findFirst();
        if (cell.isPresent()) {
            return new OfCell(cell.get());
        }
        int slash = name.indexOf('/');
        if (slash > 0) {
            ObjectRef ref = new ObjectRef(name.substring(0, slash), name.substring(slash + 1));
            return holdings.pod(ref).<Subject>map(OfPod::new).orElseGet(() -> unknown(holdings, name));
        }
        ImmutableList<ObjectNode> pods = holdings.pods().stream()
                .filter(pod -> Holdings.refOf(pod).name().equals(name)
                        || pod.path("metadata").path("uid").asString("").equals(name))
                .collect(ImmutableList.toImmutableList());
        if (pods.size() > 1) {
            return new Unclear(name + ": there are " + pods.size() + " pods of that name: "
                    + pods.stream().map(pod -> Holdings.refOf(pod).toString()).collect(Collectors.joining(", "))
                    + ". Name one of them.");
        }
        return pods.isEmpty() ? unknown(holdings, name) : new OfPod(pods.get(0));
    }

    private static Subject unknown(Holdings holdings, String name) {
        ImmutableSet<String> known = Stream.of(
                        holdings.pods().stream().map(pod -> Holdings.refOf(pod).toString()),
                        holdings.pods().stream().map(pod -> Holdings.refOf(pod).name()),
                        holdings.cells().stream().map(cell -> cell.metadata().name()),
                        holdings.instances().stream().map(InstanceFacts::id))
                .flatMap(names -> names)
                .collect(ImmutableSet.toImmutableSet());
        return new Unclear(name + ": no pod, no Cell and no instance is called that."
                + Suggestion.didYouMean(name, known) + " Known ones: kubectl get pods -A, kip cells --all");
    }
}
