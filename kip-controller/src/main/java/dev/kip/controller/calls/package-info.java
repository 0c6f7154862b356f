/** Calls at the ports, counted, and forgotten when their incarnation is over. */
@NullMarked
package dev.kip.controller.calls;

import org.jspecify.annotations.NullMarked;
