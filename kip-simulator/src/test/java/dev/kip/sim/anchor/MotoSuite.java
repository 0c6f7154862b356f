package dev.kip.sim.anchor;

import dev.kip.sim.Moto;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** The suite on moto, if {@code moto_server} is there. */
@Tag("real")
abstract class MotoSuite extends SocketSuite {

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
        makeStore(moto.orElseThrow());
    }

    /** Makes what {@link #location} names. */
    abstract void makeStore(Moto in) throws Exception;

    @Override
    String endpoint() {
        return moto.orElseThrow().url();
    }
}
