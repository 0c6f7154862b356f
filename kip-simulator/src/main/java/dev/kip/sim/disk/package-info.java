/** A disk that forgets what was not synced, fills up, becomes read-only, and rots. */
@NullMarked
package dev.kip.sim.disk;

import org.jspecify.annotations.NullMarked;
