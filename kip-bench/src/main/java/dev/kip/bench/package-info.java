/** Benchmarks. */
@NullMarked
package dev.kip.bench;

import org.jspecify.annotations.NullMarked;
