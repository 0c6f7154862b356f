/** Who set which field of an object: managed fields and server-side apply (sigs.k8s.io/structured-merge-diff). */
@NullMarked
package dev.kip.sim.apiserver.managed;

import org.jspecify.annotations.NullMarked;
