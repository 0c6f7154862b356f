/** The node agent of a cell: takes the pod that is granted to its instance, lets kubelet run it, and tells how it fares. */
@NullMarked
package dev.kip.checkpointer.agent;

import org.jspecify.annotations.NullMarked;
