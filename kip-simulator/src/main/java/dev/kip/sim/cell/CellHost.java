package dev.kip.sim.cell;

import dev.kip.cell.wire.Wire;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import java.io.IOException;

/** What cells run on: how their time passes, and how their agent is reached. Called on the loop of the world. */
public interface CellHost {

    /** Power for the instance; what its disk says of earlier boots is kept. */
    Machine power(CellInstance instance, CellDisk disk);

    /** An instance while it has power. */
    interface Machine {

        /** Ends with the power. */
        Loop loop();

        /** Of the agent's certificate. */
        String fingerprint();

        /** @throws IOException if its address cannot be had */
        void serve(HttpService agent) throws IOException;

        /** Where what is served answers to those who look for a kubelet: a kubelet's usual port, unless it is served elsewhere. */
        default int kubeletPort() {
            return Wire.KUBELET_PORT;
        }

        /** From now on nothing of it runs or answers. */
        void off();
    }
}
