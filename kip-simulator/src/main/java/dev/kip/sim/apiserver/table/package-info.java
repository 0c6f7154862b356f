/** Lists as the rows that kubectl prints. */
@NullMarked
package dev.kip.sim.apiserver.table;

import org.jspecify.annotations.NullMarked;
