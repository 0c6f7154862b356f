/** The kubelet API of the virtual node: who may ask, and which cell's kubelet answers. */
@NullMarked
package dev.kip.controller.kubelet;

import org.jspecify.annotations.NullMarked;
