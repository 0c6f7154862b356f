/** The agent's wire protocol: messages, keys, the proof of a cell's identity and the client. See docs/reference/cell-protocol.md. */
@NullMarked
package dev.kip.cell.wire;

import org.jspecify.annotations.NullMarked;
