/** HTTP served on real sockets: {@link dev.kip.http.vertx.VertxHttpServer}. */
@NullMarked
package dev.kip.http.vertx;

import org.jspecify.annotations.NullMarked;
