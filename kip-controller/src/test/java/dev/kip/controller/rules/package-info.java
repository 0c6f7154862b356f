/** What must hold of the module as a whole: arrows, names, manifests. */
@NullMarked
package dev.kip.controller.rules;

import org.jspecify.annotations.NullMarked;
