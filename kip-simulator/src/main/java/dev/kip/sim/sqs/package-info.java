/** A simulated SQS. */
@NullMarked
package dev.kip.sim.sqs;

import org.jspecify.annotations.NullMarked;
