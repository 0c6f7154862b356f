/** The three patch formats that change a JSON tree without managed fields: merge, JSON and strategic merge patch. */
@NullMarked
package dev.kip.sim.apiserver.patch;

import org.jspecify.annotations.NullMarked;
