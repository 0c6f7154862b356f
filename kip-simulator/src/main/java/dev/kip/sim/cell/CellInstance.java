package dev.kip.sim.cell;

/**
 * The instance behind a cell.
 *
 * @param userData as the launch template has it, plain
 */
public record CellInstance(String instanceId, String privateIp, String userData) {}
