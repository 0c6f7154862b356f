/** Small records of what decisions read, and how they are read from the API's objects. */
@NullMarked
package dev.kip.controller.store;

import org.jspecify.annotations.NullMarked;
