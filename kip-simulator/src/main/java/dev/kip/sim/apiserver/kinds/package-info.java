/** What is particular to each kind: defaults, which fields a client may set, what must hold. */
@NullMarked
package dev.kip.sim.apiserver.kinds;

import org.jspecify.annotations.NullMarked;
