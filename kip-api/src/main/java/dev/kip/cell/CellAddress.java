package dev.kip.cell;

/**
 * Where a cell's agent answers, and who it must prove to be.
 *
 * @param host address or name to dial
 */
public record CellAddress(String instanceId, String host, int port) {}
