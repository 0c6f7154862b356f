/** The objects of ours in the Kubernetes API: Cell, Installation, LaunchBatch (group kip.elotl.co). */
@NullMarked
package dev.kip.crd;

import org.jspecify.annotations.NullMarked;
