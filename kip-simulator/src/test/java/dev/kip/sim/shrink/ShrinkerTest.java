package dev.kip.sim.shrink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.sim.fuzz.Fuzz;
import dev.kip.sim.replay.Failures;
import dev.kip.sim.replay.JUnitTest;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.shrink.Shrinker.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShrinkerTest {

    @TempDir
    Path folder;

    private static Replay planted(String story, String bug) throws Exception {
        return new Replay(StoryFile.find(story), 1, Optional.of(bug), Optional.empty());
    }

    @Test
    void a_planted_bugs_story_becomes_short_and_fails_by_the_same_invariant_and_only_with_the_bug() throws Exception {
        Result result = Shrinker.shrink(planted("pod-to-gone", "no-write-ahead"), () -> false)
                .orElseThrow();

        assertThat(result.whole()).isTrue();
        assertThat(result.stepsAfter()).isLessThanOrEqualTo(3).isLessThan(result.stepsBefore());
        assertThat(result.replay().fails().orElseThrow().id()).startsWith("I9");
        assertThat(result.replay().reproducedBy(result.replay().tell(false))).isTrue();
        assertThat(result.replay().withoutPlant().tell(false).passed()).isTrue();
        assertThat(result.replay().story().text()).doesNotContain("expect:").doesNotContain("faults:");
    }

    @Test
    void a_drawn_history_loses_its_knobs_and_most_of_its_steps() {
        Replay drawn = Fuzz.replay(Fuzz.SWARM, "2", Optional.of("no-write-ahead"));
        Result result = Shrinker.shrink(drawn, () -> false).orElseThrow();

        assertThat(result.stepsAfter()).isLessThanOrEqualTo(4);
        assertThat(result.replay().story().text()).doesNotContain("knobs:");
    }

    @Test
    void nothing_is_cut_when_there_is_no_time_and_the_story_still_fails() throws Exception {
        Result result = Shrinker.shrink(planted("pod-to-gone", "no-write-ahead"), () -> true)
                .orElseThrow();

        assertThat(result.whole()).isFalse();
        assertThat(result.stepsAfter()).isEqualTo(result.stepsBefore());
    }

    @Test
    void what_does_not_fail_is_not_shrunk() throws Exception {
        Replay right = new Replay(StoryFile.find("pod-to-gone"), 1, Optional.empty(), Optional.empty());
        assertThat(Shrinker.shrink(right, () -> false)).isEmpty();
    }

    @Test
    void the_test_that_is_written_compiles_and_catches_the_bug() throws Exception {
        Result result = Shrinker.shrink(planted("pod-to-gone", "no-write-ahead"), () -> false)
                .orElseThrow();
        Failures.Shortened files = new Failures(folder).keepShort(result.replay());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

        int errors = compiler.run(
                null,
                null,
                null,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                files.test().toString());

        assertThat(errors).isZero();
        assertThat(files.test().getFileName().toString()).startsWith("NoWriteAheadI9");
        try (java.net.URLClassLoader loader = new java.net.URLClassLoader(
                new java.net.URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            Class<?> test =
                    loader.loadClass(files.test().getFileName().toString().replace(".java", ""));
            var method = test.getDeclaredMethod("the_planted_bug_is_caught");
            var constructor = test.getDeclaredConstructor();
            constructor.setAccessible(true);
            method.setAccessible(true);
            method.invoke(constructor.newInstance()); // throws what it asserts
        }
        assertThat(Replay.read("again.yaml", Files.readString(files.story())).text())
                .isEqualTo(result.replay().text());
    }

    @Test
    void quotes_and_backslashes_survive_the_text_block() throws Exception {
        Replay replay = Replay.read("a.yaml", "scenario: 'a \"\"\" and a \\ b'\nsteps: [{wait: 1s}]\n");
        assertThat(JUnitTest.source(replay, "ATest")).contains("a \\\\\"\\\\\"");
    }
}
