/** Where facts come from: the runtime and the API server, each with a third answer, which is that nothing is known. */
@NullMarked
package dev.kip.checkpointer.source;

import org.jspecify.annotations.NullMarked;
