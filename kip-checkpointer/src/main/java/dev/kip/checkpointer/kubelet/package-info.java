/** Which static pods a kubelet runs, version by version, as rules with kubelet's own messages. */
@NullMarked
package dev.kip.checkpointer.kubelet;

import org.jspecify.annotations.NullMarked;
