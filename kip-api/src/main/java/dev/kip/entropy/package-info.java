/** Random bytes for ids, nonces and jitter: {@link dev.kip.entropy.Entropy}. */
@NullMarked
package dev.kip.entropy;

import org.jspecify.annotations.NullMarked;
