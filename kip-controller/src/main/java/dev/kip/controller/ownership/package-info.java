/** Which incarnation may mutate, and which instances are provably ours. */
@NullMarked
package dev.kip.controller.ownership;

import org.jspecify.annotations.NullMarked;
