/** One of several replicas leads: {@link dev.kip.kube.elect.LeaderElector}. */
@NullMarked
package dev.kip.kube.elect;

import org.jspecify.annotations.NullMarked;
