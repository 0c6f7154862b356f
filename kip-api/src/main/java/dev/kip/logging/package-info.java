/** The log of a real process. */
@NullMarked
package dev.kip.logging;

import org.jspecify.annotations.NullMarked;
