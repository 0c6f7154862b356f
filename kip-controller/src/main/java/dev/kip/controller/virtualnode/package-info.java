/** The virtual node in the API: its object, its status and its lease. */
@NullMarked
package dev.kip.controller.virtualnode;

import org.jspecify.annotations.NullMarked;
