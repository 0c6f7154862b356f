/** The disk of a real machine. */
@NullMarked
package dev.kip.disk.nio;

import org.jspecify.annotations.NullMarked;
