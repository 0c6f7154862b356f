/** Kubernetes quantities, exactly. */
@NullMarked
package dev.kip.quantity;

import org.jspecify.annotations.NullMarked;
