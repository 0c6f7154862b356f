package dev.kip.sim.selfhosted;

import com.google.common.collect.ImmutableList;
import dev.kip.disk.Disk.Access;
import dev.kip.sim.kubelet.SimKubelet;
import dev.kip.sim.kubelet.SimNode;
import dev.kip.sim.scenario.Outcomes.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** All that must hold on the machines of a plane, looked at twice a second of its time. */
final class NodeRules {

    private static final Duration LOOK = Duration.ofMillis(500);

    private final Plane plane;
    private final ImmutableList<NodeRule> all;
    private final ImmutableList<Sight.Looker> lookers;
    private final List<Problem> violations = new ArrayList<>();
    private final Set<String> given = new LinkedHashSet<>();
    private Duration next = Duration.ZERO;

    /** @param ours whether the checkpointer is ours; of the original only what everybody would notice is asked */
    NodeRules(Plane plane, boolean ours) {
        this.plane = plane;
        this.all = ours
                ? ImmutableList.<NodeRule>builder()
                        .addAll(ConductOnNodes.all(plane))
                        .addAll(CopyRules.all(plane))
                        .addAll(StoreRules.all(plane))
                        .build()
                : ImmutableList.of(new ConductOnNodes.OneLiveCopy());
        this.lookers = plane.nodes.stream().map(Sight.Looker::new).collect(ImmutableList.toImmutableList());
        all.forEach(one -> one.reportTo(text -> violated(one, text)));
    }

    /** As soon as there is such a directory. Kubelet takes no notice of the file, and nobody has a reason to touch it. */
    private void putFileOfSomebody(SimNode node) {
        try {
            if (node.disk().as("somebody").look(SimKubelet.MANIFESTS).isEmpty() || !given.add(node.name())) {
                return;
            }
            node.disk()
                    .as("somebody")
                    .create(
                            SimKubelet.MANIFESTS.resolve(StoreRules.OF_SOMEBODY),
                            "notes".getBytes(StandardCharsets.UTF_8),
                            Access.root(0644));
            node.disk().as("somebody").sync(SimKubelet.MANIFESTS.resolve(StoreRules.OF_SOMEBODY));
            node.disk().as("somebody").sync(SimKubelet.MANIFESTS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ImmutableList<NodeRule> all() {
        return all;
    }

    void look() {
        Duration now = plane.kernel().elapsed();
        if (now.compareTo(next) < 0) {
            return;
        }
        next = now.plus(LOOK);
        plane.nodes.forEach(this::putFileOfSomebody);
        for (Sight.Looker looker : lookers) {
            Sight sight = looker.look(now);
            all.forEach(one -> one.look(sight));
        }
    }

    private void violated(NodeRule rule, String text) {
        Problem problem = new Problem(rule.name(), text);
        violations.add(problem);
        plane.kernel().trace().line(plane.kernel().elapsed(), "invariant", problem.id() + ": " + problem.text());
    }

    ImmutableList<Problem> violations() {
        return ImmutableList.copyOf(violations);
    }
}
