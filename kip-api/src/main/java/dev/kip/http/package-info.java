/** HTTP served: one small interface behind real sockets and inside the simulator. */
@NullMarked
package dev.kip.http;

import org.jspecify.annotations.NullMarked;
