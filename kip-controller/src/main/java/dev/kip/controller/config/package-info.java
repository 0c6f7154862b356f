/** provider.yaml: one table of keys drives reading, checking, explaining and the reference. */
@NullMarked
package dev.kip.controller.config;

import org.jspecify.annotations.NullMarked;
