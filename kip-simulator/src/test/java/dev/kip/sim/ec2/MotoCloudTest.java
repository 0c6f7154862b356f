package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableSet;
import dev.kip.sim.Moto;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** The suite on moto, if {@code moto_server} is there: the same class on an EC2 that none of us wrote. */
@Tag("real")
class MotoCloudTest extends EmulatedCloudSuite {

    private static Optional<Moto> server = Optional.empty();

    @BeforeAll
    static void start() throws Exception {
        server = Optional.of(Moto.start());
    }

    @AfterAll
    static void stop() {
        server.ifPresent(Moto::close);
    }

    @BeforeEach
    void forget() throws Exception {
        server.orElseThrow().forget();
    }

    @Override
    String url() {
        return server.orElseThrow().url();
    }

    @Override
    ImmutableSet<Promise> broken() {
        return ImmutableSet.of(
                Promise.TOKENS_ARE_REMEMBERED,
                Promise.PARTS_OF_A_LAUNCH,
                Promise.PENDING_FIRST,
                Promise.VERSIONS_ARE_DELETED,
                Promise.INTERFACES_ARE_TAGGED,
                Promise.GROUPS_IN_USE,
                Promise.PAGES,
                Promise.TEMPLATES_ARE_CHECKED,
                Promise.IMAGES_ARE_CHECKED,
                Promise.SPOT_PRICES_ARE_NEW);
    }
}
