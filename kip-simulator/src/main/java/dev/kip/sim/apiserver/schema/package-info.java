/** What fields an object may have: the field trees of built-in kinds and the structural schemas of custom ones. */
@NullMarked
package dev.kip.sim.apiserver.schema;

import org.jspecify.annotations.NullMarked;
