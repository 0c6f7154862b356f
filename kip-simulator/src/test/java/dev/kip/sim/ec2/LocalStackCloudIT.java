package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableSet;
import dev.kip.sim.LocalStack;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The suite on LocalStack, if real-parts/build has installed it. */
class LocalStackCloudIT extends EmulatedCloudSuite {

    @TempDir
    private static Path directory;

    private static Optional<LocalStack> server = Optional.empty();

    private String account = "";

    @BeforeAll
    static void start() throws Exception {
        server = Optional.of(LocalStack.start(directory));
    }

    @AfterAll
    static void stop() {
        server.ifPresent(LocalStack::close);
    }

    @BeforeEach
    void takeAnotherAccount() {
        account = server.orElseThrow().freshAccount();
    }

    @Override
    String accessKey() {
        return account;
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
                Promise.VERSIONS_ARE_DELETED,
                Promise.INTERFACES_ARE_TAGGED,
                Promise.GROUPS_IN_USE,
                Promise.PAGES,
                Promise.TEMPLATES_ARE_CHECKED,
                Promise.IMAGES_ARE_CHECKED,
                Promise.SPOT_PRICES_ARE_NEW);
    }
}
