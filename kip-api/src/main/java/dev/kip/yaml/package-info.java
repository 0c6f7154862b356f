/** YAML that knows its lines, so that an error about a file can say where. */
@NullMarked
package dev.kip.yaml;

import org.jspecify.annotations.NullMarked;
