package dev.kip.sim.replay;

import java.util.Locale;
import java.util.stream.Collectors;

/** A kept run as the source of a test that stands for itself. */
public final class JUnitTest {

    private JUnitTest() {}

    /** For a class in the unnamed package; the file is named {@code className}.java. */
    public static String source(Replay replay, String className) {
        String asserts = replay.plant().isPresent() ? """
                assertThat(replay.reproducedBy(replay.tell(false))).isTrue();
                assertThat(replay.withoutPlant().tell(false).problems()).isEmpty();
                """ : """
                assertThat(replay.tell(false).problems()).isEmpty();
                """;
        return String.format(
                Locale.ROOT,
                """
                import static org.assertj.core.api.Assertions.assertThat;

                import dev.kip.sim.replay.Replay;
                import org.junit.jupiter.api.Test;

                /** %s. */
                class %s {

                    @Test
                    void %s() throws Exception {
                        Replay replay = Replay.read("%s.yaml", \"""
                %s                \""");
                %s    }
                }
                """,
                comment(replay),
                className,
                replay.plant().isPresent() ? "the_planted_bug_is_caught" : "the_story_ends_well",
                className,
                block(replay.text()),
                asserts.indent(8));
    }

    /** {@code I9LaunchesPerAttempt1f0c22abTest}. */
    public static String className(String slug) {
        StringBuilder name = new StringBuilder();
        for (String word :
                com.google.common.base.Splitter.on('-').omitEmptyStrings().split(slug)) {
            name.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
        }
        return (Character.isDigit(name.charAt(0)) ? "Story" : "") + name + "Test";
    }

    private static String comment(Replay replay) {
        return replay.fails()
                .map(problem -> (problem.id() + ": " + problem.text()).replace("*/", "* /"))
                .orElse("A story.")
                .replaceAll("[.\\s]+$", "");
    }

    /** The inside of a text block. */
    private static String block(String text) {
        return text.lines()
                .map(line -> "                " + line.replace("\\", "\\\\").replace("\"\"\"", "\\\"\"\"") + "\n")
                .collect(Collectors.joining());
    }
}
