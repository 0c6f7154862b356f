/** What is wrong with the cloud, said once where people look: event, condition, metric. */
@NullMarked
package dev.kip.controller.trouble;

import org.jspecify.annotations.NullMarked;
