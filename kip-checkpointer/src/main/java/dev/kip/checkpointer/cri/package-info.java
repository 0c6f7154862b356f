/** The container runtime of the node, asked over the Container Runtime Interface. */
@NullMarked
package dev.kip.checkpointer.cri;

import org.jspecify.annotations.NullMarked;
