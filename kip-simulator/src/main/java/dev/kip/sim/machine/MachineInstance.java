package dev.kip.sim.machine;

/**
 * The instance that a machine is.
 *
 * @param userData as the launch template has it, plain
 */
record MachineInstance(String instanceId, String privateIp, String userData) {}
