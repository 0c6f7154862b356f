/** Ends instances that are provably ours and that nothing claims, behind gates that must all agree. */
@NullMarked
package dev.kip.controller.gc;

import org.jspecify.annotations.NullMarked;
