package dev.kip.real;

import dev.kip.sim.LocalStack;
import dev.kip.sim.scenario.Library;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The main job with the controller's jar, on an EC2 of LocalStack. */
final class MainJobOnLocalStackIT {
    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    @TempDir
    static Path directory;

    private static Optional<LocalStack> localStack = Optional.empty();
    private static Optional<Stage> stage = Optional.empty();

    @BeforeAll
    static void prepare() throws Exception {
        LocalStack started = LocalStack.start(directory);
        localStack = Optional.of(started);
        CLUSTER.useEc2(URI.create(started.url()));
        stage = Optional.of(new Stage(CLUSTER, line -> System.out.println("real-parts: " + line)));
    }

    @AfterAll
    static void end() throws Exception {
        if (stage.isPresent()) {
            stage.get().close();
        }
        localStack.ifPresent(LocalStack::close);
    }

    @Test
    void a_pod_becomes_a_cell_and_is_gone_again() throws Exception {
        stage.orElseThrow().tell(Library.find("pod-to-gone"));
    }
}
