/** Request bodies in Kubernetes' protobuf encoding, which kubectl 1.32 and later send. */
@NullMarked
package dev.kip.sim.apiserver.protobuf;

import org.jspecify.annotations.NullMarked;
