/** What a cell reports, as the status that users see on the pod. */
@NullMarked
package dev.kip.controller.podstatus;

import org.jspecify.annotations.NullMarked;
