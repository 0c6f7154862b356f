/** The Kubernetes API as one asynchronous port: {@link dev.kip.kube.KubeApi}. */
@NullMarked
package dev.kip.kube;

import org.jspecify.annotations.NullMarked;
