package dev.kip.controller;

import dev.kip.cell.CellApi;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.CloudApi;
import dev.kip.entropy.Entropy;
import dev.kip.kube.KubeApi;
import dev.kip.loop.Loop;
import java.util.function.Function;

/**
 * The controller of one virtual node: from the moment it leads, every pod bound to the node runs on an instance of its own.
 * Confined to its loop: construct and call on it.
 */
public final class Controller {

    private final Loop loop;
    private final ControllerListener listener;

    /** @param cells opens the way to cells, once leading has shown the installation's keys */
    public Controller(
            Loop loop,
            KubeApi kube,
            CloudApi cloud,
            Function<InstallationKeys, CellApi> cells,
            Entropy entropy,
            ControllerSettings settings,
            ControllerListener listener) {
        this.loop = loop;
        this.listener = listener;
    }

    /** Begins to compete for leadership. */
    public void start() {
        loop.post(() -> listener.leading(false, 0));
    }

    /** Gives up leadership and forgets everything; what is in flight is ignored when it comes back. */
    public void stop() {
        listener.leading(false, 0);
    }
}
