/** The command line of the checkpointer's jar. */
@NullMarked
package dev.kip.checkpointer.cli;

import org.jspecify.annotations.NullMarked;
