/** Takes a virtual node, or the whole installation, down until nothing of it is left. */
@NullMarked
package dev.kip.controller.drain;

import org.jspecify.annotations.NullMarked;
