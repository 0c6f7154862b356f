/** A cell as the controller sees it: {@link dev.kip.cell.CellApi} and the messages of the wire protocol. */
@NullMarked
package dev.kip.cell;

import org.jspecify.annotations.NullMarked;
