/** Objects by key and revision: one global revision, history for watches and exact reads, compaction, snapshots. */
@NullMarked
package dev.kip.sim.apiserver.store;

import org.jspecify.annotations.NullMarked;
