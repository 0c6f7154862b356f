package dev.kip.controller.cells;

import dev.kip.controller.ControllerSettings.Timing;
import java.util.Optional;

/**
 * What does not change while one incarnation reigns.
 *
 * @param skipDaemonSets pods of DaemonSets get no cell
 * @param agentPort where a cell's agent answers
 * @param hostIp of the node, as its pods show it; each cell's own if empty
 */
public record Policy(
        String node,
        String installationId,
        long epoch,
        boolean skipDaemonSets,
        int agentPort,
        Optional<String> hostIp,
        Timing timing) {}
