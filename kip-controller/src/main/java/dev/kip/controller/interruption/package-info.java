/** What the cloud tells by itself: instances that it is about to take back, and those that have changed. */
@NullMarked
package dev.kip.controller.interruption;

import org.jspecify.annotations.NullMarked;
