/** From a pod of the API server, and what it refers to, to a static pod that needs neither. */
@NullMarked
package dev.kip.checkpointer.sanitise;

import org.jspecify.annotations.NullMarked;
