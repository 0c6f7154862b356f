package dev.kip.bench.adopt;

import dev.kip.entropy.Entropy;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import dev.kip.sim.cell.CellHost;
import dev.kip.sim.cell.CellTimes;
import dev.kip.sim.cell.GroundTruth;
import dev.kip.sim.cell.SimCells;
import dev.kip.sim.ec2.Ec2Settings;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.s3.SimS3;
import tools.jackson.databind.node.ObjectNode;

/** EC2, an anchor store and the agents of the instances. Confined to the loop. */
public final class ServedCloud implements HttpService {

    private final SimEc2 ec2;
    private final SimS3 s3;
    private final SimCells cells;
    private final GroundTruth truth = new GroundTruth();

    public ServedCloud(Loop loop, Entropy entropy, CellHost agents, Ec2Settings settings, CellTimes times) {
        ec2 = new SimEc2(loop, entropy.fork("ec2"), settings);
        s3 = new SimS3(loop, entropy.fork("s3"));
        cells = new SimCells(agents, loop, entropy, times, truth);
        ec2.listen(cells);
    }

    /** EC2 is asked at its root, S3 below the name of a bucket. */
    @Override
    public void handle(HttpCall call) {
        if (call.rawPath().equals("/")) {
            ec2.handle(call);
        } else {
            s3.handle(call);
        }
    }

    public void createBucket(String name) {
        s3.createBucket(name);
    }

    /** Takes up what {@link #save} wrote. */
    void restore(ObjectNode world) {
        cells.restore(world.withArrayProperty("cells"));
        ec2.restore(world.withObjectProperty("ec2"));
        s3.restore(world.withObjectProperty("s3"));
    }

    void save(ObjectNode world) {
        world.set("ec2", ec2.snapshot());
        world.set("s3", s3.snapshot());
        world.set("cells", cells.snapshot());
    }

    /** Containers that have been started. */
    int starts() {
        return truth.startsFrom(0).size();
    }

    /** Instances that run. */
    public int running() {
        return (int) ec2.instances().stream()
                .filter(instance -> instance.state().equals("running"))
                .count();
    }

    public void close() {
        cells.close();
    }
}
