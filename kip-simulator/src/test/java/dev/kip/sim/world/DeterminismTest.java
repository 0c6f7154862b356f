package dev.kip.sim.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.scenario.Library;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Runner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** One seed means one history, whatever the JVM does: the hash covers every byte that crossed a seam. */
class DeterminismTest {

    private static final ImmutableList<String> SETTINGS =
            ImmutableList.of("-XX:+UseSerialGC", "-XX:hashCode=2", "-Duser.language=tr");

    @Test
    void the_same_seed_gives_the_same_hash_and_another_seed_another() throws Exception {
        Outcomes once = run(7);
        assertThat(once.problems()).isEmpty();
        assertThat(run(7).hash()).isEqualTo(once.hash());
        assertThat(run(8).hash()).isNotEqualTo(once.hash());
    }

    @Test
    void other_jvm_settings_change_nothing() throws Exception {
        Set<String> hashes = new TreeSet<>();
        hashes.add(run(7).hash());
        for (String setting : SETTINGS) {
            hashes.add(fork(setting, "story"));
        }
        assertThat(hashes).as("hashes of seed 7 under %s", SETTINGS).hasSize(1);
    }

    @Test
    void a_canary_that_leaks_identity_into_the_history_is_caught() throws Exception {
        Set<String> hashes = new TreeSet<>();
        for (String setting : ImmutableList.of("-XX:hashCode=2", "-XX:hashCode=3", "-XX:hashCode=5")) {
            hashes.add(fork(setting, "leak"));
        }
        assertThat(hashes).as("the planted leak must show").hasSizeGreaterThan(1);
    }

    private static Outcomes run(long seed) throws Exception {
        return new Runner(SimWorld::make).run(Library.find("pod-to-gone"), seed, false);
    }

    /** Runs {@link #main} in another JVM of the same kind. */
    private static String fork(String setting, String what) throws IOException, InterruptedException {
        Path out = Files.createTempFile("kip-determinism", ".txt");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UnlockExperimentalVMOptions",
                        setting,
                        "-cp",
                        System.getProperty("java.class.path"),
                        DeterminismTest.class.getName(),
                        what))
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.waitFor(4, TimeUnit.MINUTES))
                .as("the forked JVM ends")
                .isTrue();
        assertThat(process.exitValue()).isZero();
        String hash = Files.readString(out, StandardCharsets.UTF_8).strip();
        Files.delete(out);
        return hash;
    }

    /** Prints the hash of seed 7; with {@code leak}, after a planted leak of an identity hash code. */
    public static void main(String[] arguments) throws Exception {
        SimWorld world = SimWorld.make(Library.find("pod-to-gone"), 7, false);
        if (arguments[0].equals("leak")) {
            world.kernel().trace().mix(System.identityHashCode(new Object()));
        }
        System.out.println(new Runner(SimWorld::make)
                .run(Library.find("pod-to-gone"), 7, world)
                .hash());
    }
}
