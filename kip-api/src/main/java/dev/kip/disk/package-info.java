/** Files that survive a power cut: the operations that a disk offers, and how to combine them so that nothing is ever half there. */
@NullMarked
package dev.kip.disk;

import org.jspecify.annotations.NullMarked;
