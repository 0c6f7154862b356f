package dev.kip.sim.world;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.dynamodb.SimDynamoDb;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.s3.SimS3;
import dev.kip.sim.scenario.Given;
import java.util.Optional;
import java.util.function.Supplier;

/** The store of a world's anchor: S3, DynamoDB, or none. */
final class Anchors {

    private static final String HOST = "anchor.sim";
    private static final int PORT = 4566;
    private static final String BUCKET = "kip-anchor";
    private static final String PREFIX = "world";

    private final Optional<String> location;
    private final Supplier<ImmutableList<String>> keys;
    private final Runnable lose;

    private Anchors(Optional<String> location, Supplier<ImmutableList<String>> keys, Runnable lose) {
        this.location = location;
        this.keys = keys;
        this.lose = lose;
    }

    static Anchors in(Kernel kernel, SimNetwork network, Given.Anchor kind) {
        SimProcess process = new SimProcess(kernel, kind.word());
        return switch (kind) {
            case NONE -> new Anchors(Optional.empty(), ImmutableList::of, () -> {});
            case S3 -> {
                SimS3 s3 = new SimS3(process, kernel.entropy("s3"));
                s3.createBucket(BUCKET);
                network.listen(HOST, PORT, process.name(), process, s3);
                yield new Anchors(
                        Optional.of("s3://" + BUCKET + "/" + PREFIX),
                        () -> s3.contents(BUCKET).keySet().asList(),
                        () -> s3.removeFromOutside(BUCKET, ""));
            }
            case DYNAMODB -> {
                SimDynamoDb dynamoDb = new SimDynamoDb(process, kernel.entropy("dynamodb"));
                dynamoDb.createTable(BUCKET);
                network.listen(HOST, PORT, process.name(), process, dynamoDb);
                yield new Anchors(
                        Optional.of("dynamodb://" + BUCKET),
                        () -> dynamoDb.contents(BUCKET).keySet().asList(),
                        () -> dynamoDb.removeFromOutside(BUCKET, ""));
            }
        };
    }

    /** As {@code ownership.anchor} names it; empty if there is none. */
    Optional<String> location() {
        return location;
    }

    static String endpoint() {
        return "http://" + HOST + ":" + PORT;
    }

    ImmutableList<String> objects() {
        return keys.get();
    }

    /** Someone deletes all of it. */
    void lose() {
        lose.run();
    }
}
