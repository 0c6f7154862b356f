/** Makes a story that fails as short as it can be while it fails the same way. */
@NullMarked
package dev.kip.sim.shrink;

import org.jspecify.annotations.NullMarked;
