package dev.kip.sim.apiserver.managed;

/**
 * How an object is applied.
 *
 * @param subresource empty for the object itself
 * @param force whether fields that others own are taken from them
 */
public record Applied(String manager, String subresource, boolean force) {}
