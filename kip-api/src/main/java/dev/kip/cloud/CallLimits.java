package dev.kip.cloud;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/**
 * How often a cloud lets itself be called, by kind of call. A kind without a limit may be called at will.
 *
 * @param costs what one call of a kind takes
 */
public record CallLimits(ImmutableMap<CallKind, Cost> costs) {

    /** Everything at will. */
    public static final CallLimits NONE = new CallLimits(ImmutableMap.of());

    /**
     * What one call takes: one token of {@code requests}, and of {@code resources} one for each thing it is about.
     */
    public record Cost(Bucket requests, Optional<Bucket> resources) {}

    /**
     * Tokens that come back with time. Kinds that name an equal bucket share it.
     *
     * @param burst as many are there when none has been taken for long
     * @param perSecond as many come back
     */
    public record Bucket(String name, int burst, int perSecond) {}
}
