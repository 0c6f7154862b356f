package dev.kip.crd;

/**
 * The columns of the original, and what binds the pod attempt to the instance.
 *
 * @param node the virtual node
 * @param controllerID the installation id
 * @param launchType {@code On-Demand} or {@code Spot}
 * @param ip the instance's private address
 * @param attempt number of the cell tried for the pod uid, from 0
 * @param epoch of the controller that bound it
 * @param batch the LaunchBatch it came from
 * @param clientToken the instance's own client token
 */
public record CellStatus(
        String podName,
        String podNamespace,
        String node,
        String controllerID,
        String launchType,
        String instanceType,
        String instanceID,
        String ip,
        String podUID,
        int attempt,
        long epoch,
        String batch,
        String clientToken) {}
