package dev.kip.checkpointer.sanitise;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * A pod made fit to run with no API server, or why not.
 *
 * @param pod empty if a finding stops it
 * @param findings what was done to which field, in the order of the table
 */
public record Sanitised(Optional<StaticPod> pod, ImmutableList<Finding> findings) {}
