package dev.kip.controller.drain;

import dev.kip.cloud.AnchorStore;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.PodCells;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.gc.Audit;
import dev.kip.controller.launch.LaunchDesk;
import dev.kip.controller.launch.Survey;
import dev.kip.controller.launch.Terminations;
import dev.kip.controller.ownership.Mandate;
import dev.kip.controller.ownership.RecordKeeper;
import dev.kip.controller.ownership.Standing;
import dev.kip.controller.virtualnode.VirtualNode;
import dev.kip.kube.KubeApi;
import dev.kip.loop.Loop;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a drain works with.
 *
 * @param letAnchorGo the anchor is not renewed from now on
 */
public record Room(
        Loop loop,
        KubeApi kube,
        Calls calls,
        CloudEffects cloud,
        Optional<AnchorStore> anchors,
        PodCells cells,
        LaunchDesk launches,
        Terminations terminations,
        Survey survey,
        VirtualNode node,
        RecordKeeper record,
        Audit audit,
        Standing standing,
        ControllerSettings settings,
        Supplier<Mandate> kubeMandate,
        Supplier<Mandate> cloudMandate,
        Runnable letAnchorGo) {

    /** Whether an object of the cluster may be changed now. */
    boolean mayWrite() {
        return !kubeMandate.get().expired(loop.nanos());
    }

    String nodeName() {
        return settings.node().name();
    }
}
