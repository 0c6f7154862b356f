/** Cells and instances side by side. */
@NullMarked
package dev.kip.controller.inventory;

import org.jspecify.annotations.NullMarked;
