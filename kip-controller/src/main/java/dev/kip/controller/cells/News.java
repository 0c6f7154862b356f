package dev.kip.controller.cells;

import dev.kip.cell.CellReport.PodReport;
import dev.kip.controller.podstatus.StatusView;
import java.util.Optional;

/**
 * What the cell's agent last said.
 *
 * @param sequence 0 before it has said anything
 * @param foreign it holds another pod, or another attempt
 * @param pod empty while it is inert
 * @param view the pod's status, if it makes sense
 * @param since when the status became this
 */
record News(long sequence, boolean foreign, Optional<PodReport> pod, Optional<StatusView> view, long since) {

    static final News NONE = new News(0, false, Optional.empty(), Optional.empty(), 0);

    boolean answered() {
        return sequence > 0;
    }

    boolean inert() {
        return answered() && !foreign && pod.isEmpty();
    }

    boolean ended() {
        return pod.isPresent() && pod.get().ended();
    }

    boolean started() {
        return view.isPresent() && view.get().started();
    }
}
