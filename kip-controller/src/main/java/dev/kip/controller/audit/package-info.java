/** Reads back what was recorded when an instance was ended: from events of the cluster, or from log files. */
@NullMarked
package dev.kip.controller.audit;

import org.jspecify.annotations.NullMarked;
