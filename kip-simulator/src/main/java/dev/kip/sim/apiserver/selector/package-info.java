/** Label and field selectors of list, watch and delete requests. */
@NullMarked
package dev.kip.sim.apiserver.selector;

import org.jspecify.annotations.NullMarked;
