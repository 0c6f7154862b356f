/** A small world for the controller's tests: virtual time and a fake behind each port, with a fault at any call. */
@NullMarked
package dev.kip.controller.world;

import org.jspecify.annotations.NullMarked;
