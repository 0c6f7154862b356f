/** The way to a real API server: {@link dev.kip.kube.vertx.KubeClients}. */
@NullMarked
package dev.kip.kube.vertx;

import org.jspecify.annotations.NullMarked;
