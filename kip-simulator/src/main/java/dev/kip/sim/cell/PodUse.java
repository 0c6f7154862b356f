package dev.kip.sim.cell;

import dev.kip.sim.cell.ContainerState.Running;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What a simulated cell's pod uses, as a kubelet tells it: what its {@link Behaviour} says, for as long as it runs. */
final class PodUse {

    private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000L);

    private PodUse() {}

    /** A {@code Summary} of kubelet's stats/v1alpha1. */
    static ObjectNode summary(Optional<KubeletFace.Held> held, Instant now) {
        ObjectNode summary = JsonNodeFactory.instance.objectNode();
        summary.putObject("node");
        ArrayNode pods = summary.putArray("pods");
        if (held.isPresent()) {
            add(pods.addObject(), held.get(), now);
        }
        return summary;
    }

    private static void add(ObjectNode pod, KubeletFace.Held held, Instant now) {
        pod.putObject("podRef").put("name", held.name()).put("namespace", held.namespace());
        ArrayNode containers = pod.putArray("containers");
        Instant since = now;
        BigDecimal cores = BigDecimal.ZERO;
        BigDecimal spent = BigDecimal.ZERO;
        BigDecimal memory = BigDecimal.ZERO;
        for (ContainerRun container : held.containers()) {
            if (container.state() instanceof Running running) {
                Behaviour behaviour = container.behaviour();
                BigDecimal nanos = behaviour
                        .cpu()
                        .multiply(BigDecimal.valueOf(
                                Duration.between(running.startedAt(), now).toNanos()));
                ObjectNode use = containers.addObject().put("name", container.name());
                use.put("startTime", running.startedAt().toString());
                use(use, now, behaviour.cpu(), nanos, behaviour.memory());
                since = running.startedAt().isBefore(since) ? running.startedAt() : since;
                cores = cores.add(behaviour.cpu());
                spent = spent.add(nanos);
                memory = memory.add(behaviour.memory());
            }
        }
        pod.put("startTime", since.toString());
        use(pod, now, cores, spent, memory);
    }

    private static void use(ObjectNode into, Instant now, BigDecimal cores, BigDecimal nanos, BigDecimal memory) {
        into.putObject("cpu")
                .put("time", now.toString())
                .put("usageNanoCores", cores.multiply(NANOS).longValue())
                .put("usageCoreNanoSeconds", nanos.longValue());
        into.putObject("memory")
                .put("time", now.toString())
                .put("usageBytes", memory.longValue())
                .put("workingSetBytes", memory.longValue())
                .put("rssBytes", memory.longValue());
    }
}
