/** What must hold of the bytecode of every module. */
@NullMarked
package dev.kip.sim.rules;

import org.jspecify.annotations.NullMarked;
