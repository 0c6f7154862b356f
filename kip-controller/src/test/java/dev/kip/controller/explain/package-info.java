/** What is told of pods, Cells and instances. */
@NullMarked
package dev.kip.controller.explain;

import org.jspecify.annotations.NullMarked;
