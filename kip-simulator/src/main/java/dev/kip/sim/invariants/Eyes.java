package dev.kip.sim.invariants;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.cell.GroundTruth;
import dev.kip.sim.ec2.SimEc2;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** What invariants see of a world: all of it, and not what any controller believes. */
public interface Eyes {

    Duration elapsed();

    ImmutableList<String> clusters();

    /** Every object of the kind, in the order of names. */
    ImmutableList<ObjectNode> objects(String cluster, String kind);

    /** Every instance that the cloud has not forgotten, in the order of launches. */
    ImmutableList<SimEc2.Sight> instances();

    /** Whether a controller launched it, and not someone else. */
    boolean isCell(SimEc2.Sight instance);

    GroundTruth truth();

    /** The controller process of that name; empty if it is none. */
    Optional<Sender> sender(String process);

    /**
     * A controller process.
     *
     * @param node its virtual node
     * @param epoch the last one under which it led; 0 if it never did
     * @param installation whose record its cluster has, or had last; empty if none yet
     */
    record Sender(String process, String cluster, String node, long epoch, String installation) {

        /** What only one incarnation may mutate at a time. */
        public String shard() {
            return installation + " node " + node;
        }
    }
}
