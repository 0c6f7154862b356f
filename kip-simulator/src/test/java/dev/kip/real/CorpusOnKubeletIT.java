package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.wall.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The verdicts of {@code kip-checkpointer lint} for the pods of its corpus are what a real kubelet 1.34 makes of them. */
class CorpusOnKubeletIT {

    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    private static final Duration LIMIT = Duration.ofMinutes(8);
    private static final int AT_LEAST = 60;

    @Test
    void every_pod_fares_as_lint_says() throws IOException {
        Path log = RealCluster.TREE.resolve("kip-simulator/target/corpus.log");
        Files.deleteIfExists(log);
        try (Program corpus = Program.start(
                "corpus",
                log,
                ImmutableMap.of(),
                ImmutableList.of(RealCluster.TREE.resolve("real-parts/corpus").toString()))) {
            assertThat(corpus.end(LIMIT)).as(() -> read(log)).isZero();
        }

        List<String> pods = Files.readAllLines(log).stream()
                .filter(line -> line.contains(".yaml\t"))
                .toList();
        assertThat(pods).hasSizeGreaterThanOrEqualTo(AT_LEAST).noneMatch(line -> line.contains("lint says"));
    }

    private static String read(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
