package dev.kip.sim.embedded;

import com.google.common.collect.ImmutableList;
import dev.kip.loop.Loop;
import dev.kip.loop.system.ThreadOffload;
import dev.kip.sim.cell.SimCells;
import dev.kip.sim.ec2.InstanceListener;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.machine.Machines;
import java.io.IOException;
import java.nio.file.Path;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** What the instances of an embedded world are: played, or real machines of their own. */
sealed interface WorldCells {

    InstanceListener listener();

    /** On the loop. */
    void onShutdown(SimEc2 ec2);

    /** For a kept world. On the loop. */
    ArrayNode snapshot();

    /** On the loop, before any is started. */
    void restore(ArrayNode saved);

    /** Takes away what no instance needs any more. After the restore; not on the loop. */
    void sweep() throws IOException;

    /** Every one loses its power. Not on the loop. */
    void close(Loop loop);

    /** Simulated cells, all in this process. */
    record Played(SimCells cells) implements WorldCells {

        @Override
        public InstanceListener listener() {
            return cells;
        }

        @Override
        public void onShutdown(SimEc2 ec2) {
            cells.onShutdown(ec2::guestShutdown);
        }

        @Override
        public ArrayNode snapshot() {
            return cells.snapshot();
        }

        @Override
        public void restore(ArrayNode saved) {
            cells.restore(saved);
        }

        @Override
        public void sweep() {
            // nothing of a played cell is outside this process
        }

        @Override
        public void close(Loop loop) {
            OnLoop.run(loop, () -> {
                cells.close();
                return true;
            });
        }
    }

    /** Containerd, kubelet and the agent for each. What there is of them is on their disks. */
    record Real(Machines machines, ThreadOffload offload) implements WorldCells {

        private static final int SLOTS = 4;

        /** Blocks; not on the loop. */
        static Real create(Loop loop, EmbeddedWorld.RealCells wish, Path folder) throws IOException {
            ThreadOffload offload = new ThreadOffload(loop, "machines", SLOTS);
            return new Real(
                    Machines.create(loop, offload, wish.parts(), folder, wish.images(), ImmutableList.of()), offload);
        }

        @Override
        public InstanceListener listener() {
            return machines;
        }

        @Override
        public void onShutdown(SimEc2 ec2) {
            machines.onShutdown(ec2::guestShutdown);
        }

        @Override
        public ArrayNode snapshot() {
            return JsonNodeFactory.instance.arrayNode();
        }

        @Override
        public void restore(ArrayNode saved) {
            if (!saved.isEmpty()) {
                throw new IllegalArgumentException("its cells are simulated ones: --fresh begins anew with real ones");
            }
        }

        @Override
        public void sweep() throws IOException {
            machines.sweep();
        }

        @Override
        public void close(Loop loop) {
            // After what is under way on the loop, so that nothing is started behind its back.
            OnLoop.run(loop, () -> true);
            offload.close();
            machines.close();
        }
    }
}
