package dev.kip.checkpointer.cri;

import com.google.common.collect.ImmutableList;
import java.io.IOException;

/** The container runtime. Each method blocks and sends one request: called inside an offloaded call only. */
public interface Cri {

    /** What has a sandbox. */
    ImmutableList<Sandbox> sandboxes() throws IOException;

    ImmutableList<Container> containers() throws IOException;

    /**
     * A pod in the runtime.
     *
     * @param uid of the pod
     * @param ready false once it was stopped, and for all after a reboot
     */
    record Sandbox(String id, String namespace, String name, String uid, boolean ready) {}

    /**
     * A container.
     *
     * @param sandbox id of its sandbox
     * @param attempt counts its restarts
     */
    record Container(String id, String sandbox, String name, int attempt, boolean running) {}

    /** The runtime answers, but not as a runtime that we can speak with. */
    final class Incompatible extends IOException {

        private static final long serialVersionUID = 1L;

        public Incompatible(String message) {
            super(message);
        }
    }
}
