/** Health, readiness and metrics of the controller process. */
@NullMarked
package dev.kip.controller.telemetry;

import org.jspecify.annotations.NullMarked;
