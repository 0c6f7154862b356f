/** Pods through a real API server: Kip, and another that plays nodes beside it. */
@NullMarked
package dev.kip.bench.system;

import org.jspecify.annotations.NullMarked;
