/** Watches: which changes a client sees, and the stream or WebSocket that carries them. */
@NullMarked
package dev.kip.sim.apiserver.watch;

import org.jspecify.annotations.NullMarked;
