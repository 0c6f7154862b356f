/** The one loop of a process and the only ways to wait or to block: {@link dev.kip.loop.Loop} and {@link dev.kip.loop.Offload}. */
@NullMarked
package dev.kip.loop;

import org.jspecify.annotations.NullMarked;
