/** What cells cost an hour, and the ceiling on it. */
@NullMarked
package dev.kip.controller.cost;

import org.jspecify.annotations.NullMarked;
