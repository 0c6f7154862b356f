/** How long a controller that starts beside thousands of running cells takes to adopt them all. */
@NullMarked
package dev.kip.bench.adopt;

import org.jspecify.annotations.NullMarked;
