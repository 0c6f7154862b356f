/** A control plane that hosts itself, on machines that lose their power: the checkpointer's world. */
@NullMarked
package dev.kip.sim.selfhosted;

import org.jspecify.annotations.NullMarked;
