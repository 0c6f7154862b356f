package dev.kip.cell.wire;

import dev.kip.cell.CellAddress;

/** Where a cell is dialled instead of at its own address, for places where that is not reachable. Called on the loop. */
public interface AddressMap {

    /** The address to dial; {@code cell} itself unless the map knows better. */
    CellAddress resolve(CellAddress cell);

    /** Every cell at its own address. */
    static AddressMap none() {
        return cell -> cell;
    }
}
