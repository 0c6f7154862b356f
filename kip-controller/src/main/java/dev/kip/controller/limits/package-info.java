/** Calls to the cloud as often as it lets them through, the urgent ones first. */
@NullMarked
package dev.kip.controller.limits;

import org.jspecify.annotations.NullMarked;
