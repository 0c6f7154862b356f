/** Which instance a pod gets, which pods share a launch call, and what became of each call. */
@NullMarked
package dev.kip.controller.launch;

import org.jspecify.annotations.NullMarked;
