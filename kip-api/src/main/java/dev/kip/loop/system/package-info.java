/** The loop and the offload of a real process: one thread, a bounded pool, the system's clocks. */
@NullMarked
package dev.kip.loop.system;

import org.jspecify.annotations.NullMarked;
