package dev.kip.sim.world;

import dev.kip.cell.CellApi;
import dev.kip.checkpointer.cri.Cri;
import dev.kip.checkpointer.sanitise.ManifestCheck;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.standing.Policy;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudApi;
import dev.kip.controller.gc.Gates;
import dev.kip.disk.Disk;
import dev.kip.entropy.Entropy;
import dev.kip.kube.KubeApi;
import dev.kip.loop.Loop;
import dev.kip.sim.kernel.SimNetwork;
import java.util.Optional;

/**
 * What the controllers and checkpointers of a world are made of, handed to them by their constructor. As in production unless a planted bug
 * overrides something. Asked once for each process.
 */
public interface Parts {

    /** As in production. */
    Parts RIGHT = new Parts() {};

    default Gates gates() {
        return Gates.standard();
    }

    default Loop loop(Loop process) {
        return process;
    }

    default Entropy entropy(Entropy own) {
        return own;
    }

    /** @param loop of the process */
    default KubeApi kube(KubeApi real, Loop loop) {
        return real;
    }

    default CloudApi cloud(CloudApi real) {
        return real;
    }

    default CellApi cells(CellApi real) {
        return real;
    }

    /** What becomes of requests on their way; those of a right controller arrive as they were sent. */
    default SimNetwork.Filter wire() {
        return (call, http, service) -> service.handle(http);
    }

    default Optional<AnchorStore> anchor(Optional<AnchorStore> real) {
        return real;
    }

    /** A checkpointer's. */
    default Sanitiser sanitiser(Sanitiser real) {
        return real;
    }

    /** A checkpointer's. */
    default ManifestCheck check(ManifestCheck real) {
        return real;
    }

    /** A checkpointer's. */
    default Disk disk(Disk real) {
        return real;
    }

    /** A checkpointer's. */
    default Cri runtime(Cri real) {
        return real;
    }

    /** A checkpointer's. */
    default Policy policy(Policy real) {
        return real;
    }
}
