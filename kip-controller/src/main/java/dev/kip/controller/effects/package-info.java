/** Carries intents out at the ports and turns every answer into a fact. */
@NullMarked
package dev.kip.controller.effects;

import org.jspecify.annotations.NullMarked;
