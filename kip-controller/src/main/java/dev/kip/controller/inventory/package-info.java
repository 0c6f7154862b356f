/** What cluster and cloud hold, put side by side: every Cell and instance with its owner, age and price. */
@NullMarked
package dev.kip.controller.inventory;

import org.jspecify.annotations.NullMarked;
