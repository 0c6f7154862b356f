package dev.kip.controller.gc;

import dev.kip.cell.CellAddress;
import dev.kip.cell.CellApi;
import dev.kip.cell.CellReport;
import dev.kip.cell.EndOrder;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.effects.CloudEffects;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Looks at an instance by its id, and asks its agent. Confined to the loop. */
public final class LastLooks {

    private final CloudEffects cloud;
    private final CellApi cells;
    private final Calls calls;
    private final int agentPort;
    private final Duration patience;

    /** @param patience how long a silent agent is given */
    public LastLooks(CloudEffects cloud, CellApi cells, Calls calls, int agentPort, Duration patience) {
        this.cloud = cloud;
        this.cells = cells;
        this.calls = calls;
        this.agentPort = agentPort;
        this.patience = patience;
    }

    /** @param ending how long ago its agent was told to end its pod */
    void look(InstanceFacts instance, Optional<Duration> ending, Consumer<LastLook> then) {
        cloud.describeOne(
                instance.id(),
                found -> ask(found, ending, then),
                () -> then.accept(unseen(ending)),
                error -> then.accept(unseen(ending)));
    }

    private LastLook unseen(Optional<Duration> ending) {
        return new LastLook(Optional.empty(), Optional.empty(), Optional.empty(), patience, ending);
    }

    private void ask(InstanceFacts found, Optional<Duration> ending, Consumer<LastLook> then) {
        Optional<CellAddress> address = address(found);
        if (address.isEmpty()) {
            then.accept(silent(found, "it is " + found.state() + " and has no address", ending));
            return;
        }
        calls.on(
                "cell",
                "watch",
                cells.watch(address.get(), 0, Duration.ZERO),
                report -> then.accept(
                        new LastLook(Optional.of(found), Optional.of(report), Optional.empty(), patience, ending)),
                error -> then.accept(silent(found, error.message(), ending)));
    }

    private LastLook silent(InstanceFacts found, String why, Optional<Duration> ending) {
        return new LastLook(Optional.of(found), Optional.empty(), Optional.of(why), patience, ending);
    }

    /** Tells the agent to end the pod that it holds. A lost order is given again in the next round's stead by the end itself. */
    void endPod(InstanceFacts instance, CellReport report, long epoch, Duration grace) {
        address(instance)
                .flatMap(address -> report.pod()
                        .map(pod -> new EndOrder(epoch, pod.uid(), grace))
                        .map(order -> cells.end(address, order)))
                .ifPresent(call -> calls.on("cell", "end", call, done -> {}, error -> {}));
    }

    private Optional<CellAddress> address(InstanceFacts found) {
        boolean up = found.state() == InstanceState.RUNNING || found.state() == InstanceState.PENDING;
        return up ? found.privateIp().map(ip -> new CellAddress(found.id(), ip, agentPort)) : Optional.empty();
    }
}
