/** Tells in plain words what becomes of a pod, a Cell or an instance, and why. */
@NullMarked
package dev.kip.controller.explain;

import org.jspecify.annotations.NullMarked;
