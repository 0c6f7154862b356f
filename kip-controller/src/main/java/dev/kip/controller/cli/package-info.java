/** The command line, and the wiring of a real controller process. */
@NullMarked
package dev.kip.controller.cli;

import org.jspecify.annotations.NullMarked;
