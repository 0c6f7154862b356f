package dev.kip.bundle;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * A pod made self-contained, or why not.
 *
 * @param bundle empty if a refusal stops the pod
 * @param refusals in the order of {@link SanitisingTable}
 */
public record Bundled(Optional<PodBundle> bundle, ImmutableList<Refusal> refusals) {}
