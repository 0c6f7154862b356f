package dev.kip.sim.anchor;

import dev.kip.sim.Moto;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** The suite on moto, if {@code moto_server} is there. */
@Tag("real")
class MotoS3AnchorsTest extends SocketSuite {

    private static Optional<Moto> moto = Optional.empty();

    @BeforeAll
    static void start() throws Exception {
        moto = Optional.of(Moto.start());
    }

    @AfterAll
    static void stop() {
        moto.ifPresent(Moto::close);
    }

    @BeforeEach
    void begin() throws Exception {
        moto.orElseThrow().forget();
        moto.orElseThrow().createBucket("kip-anchors");
    }

    @Override
    String location() {
        return "s3://kip-anchors/team";
    }

    @Override
    String nowhereLocation() {
        return "s3://kip-lost";
    }

    @Override
    String endpoint() {
        return moto.orElseThrow().url();
    }
}
