/** The same stories on real parts: kube-apiserver, etcd, moto and the controller's jar as processes of their own. */
@NullMarked
package dev.kip.real;

import org.jspecify.annotations.NullMarked;
