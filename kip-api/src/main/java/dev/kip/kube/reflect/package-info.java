/** A local picture of the objects of one kind, kept true by list and watch: {@link dev.kip.kube.reflect.Reflector}. */
@NullMarked
package dev.kip.kube.reflect;

import org.jspecify.annotations.NullMarked;
