/** The self-contained pod: a pod with everything that it refers to. */
@NullMarked
package dev.kip.bundle;

import org.jspecify.annotations.NullMarked;
