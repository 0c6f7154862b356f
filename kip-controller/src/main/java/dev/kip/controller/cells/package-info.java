/** Where each pod's cell stands and what is to be done next: pure decisions from facts. */
@NullMarked
package dev.kip.controller.cells;

import org.jspecify.annotations.NullMarked;
