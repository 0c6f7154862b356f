/** The OpenAPI documents that kubectl needs to apply, edit and explain. */
@NullMarked
package dev.kip.sim.apiserver.openapi;

import org.jspecify.annotations.NullMarked;
