/** Judges whether an installation has all that it needs, and says how to mend what it lacks. */
@NullMarked
package dev.kip.controller.doctor;

import org.jspecify.annotations.NullMarked;
