/**
 * The simulated S3: buckets of small objects with conditional writes, behind the HTTP surface of the real one. Made by
 * {@code new SimS3(loop, entropy)}, filled with buckets by {@link dev.kip.sim.s3.SimS3#createBucket}.
 */
@NullMarked
package dev.kip.sim.s3;

import org.jspecify.annotations.NullMarked;
