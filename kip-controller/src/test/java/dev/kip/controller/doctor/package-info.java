/** Findings from what cluster and cloud show. */
@NullMarked
package dev.kip.controller.doctor;

import org.jspecify.annotations.NullMarked;
