package dev.kip.sim.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The code of docs/tutorial.md is compiled and run; its race is found, shrunk and shown, and gone when it is mended. */
class TutorialTest {

    private static final Pattern BLOCK = Pattern.compile("```java\n// (\\w+)\\.java[^\n]*\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path folder;

    private static String block(String name) throws Exception {
        Matcher matcher = BLOCK.matcher(Files.readString(Path.of("..", "docs", "tutorial.md")));
        while (matcher.find()) {
            if (matcher.group(1).equals(name)) {
                return matcher.group(2);
            }
        }
        throw new IllegalStateException("the tutorial has no code " + name);
    }

    private TestExecutionSummary run(String controller, String test) throws Exception {
        Files.writeString(folder.resolve("TokenGiver.java"), controller);
        Files.writeString(folder.resolve("TokenGiverTest.java"), test);
        int errors = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        folder.toString(),
                        folder.resolve("TokenGiver.java").toString(),
                        folder.resolve("TokenGiverTest.java").toString());
        assertThat(errors).isZero();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            SummaryGeneratingListener listener = new SummaryGeneratingListener();
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(selectClass(loader.loadClass("TokenGiverTest")))
                                    .build(),
                            listener);
            return listener.getSummary();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static List<String> messages(TestExecutionSummary summary) {
        return summary.getFailures().stream()
                .map(failure -> String.valueOf(failure.getException().getMessage()))
                .toList();
    }

    @Test
    void the_race_is_found_shrunk_and_shown_and_what_is_told_again_fails_again() throws Exception {
        TestExecutionSummary summary = run(block("TokenGiver"), block("TokenGiverTest"));

        assertThat(summary.getTestsStartedCount()).isEqualTo(200);
        assertThat(summary.getTestsFailedCount()).isBetween(1L, 199L);
        String first = messages(summary).get(0);
        assertThat(first)
                .startsWith("one token for each: app-")
                .containsPattern("seed \\d+, 1 of its \\d+ troubles matter");
        assertThat(Files.readString(Path.of("..", "docs", "tutorial.md")))
                .as("the failure as the tutorial shows it")
                .contains(first.substring(0, first.indexOf("  report:")));
        Matcher again = Pattern.compile("again: {2}(@Simulated\\(.*\\))").matcher(first);
        assertThat(again.find()).isTrue();
        Matcher page = Pattern.compile("report: (.*)").matcher(first);
        assertThat(page.find()).isTrue();
        assertThat(Files.readString(Path.of(page.group(1)))).contains("one token for each", "giver");

        TestExecutionSummary once =
                run(block("TokenGiver"), block("TokenGiverTest").replace("@Simulated(seeds = 200)", again.group(1)));
        assertThat(once.getTestsStartedCount()).isEqualTo(1);
        assertThat(messages(once)).singleElement().asString().startsWith(first.substring(0, first.indexOf('\n')));
    }

    @Test
    void the_mended_controller_passes_every_seed() throws Exception {
        String mended = block("TokenGiver").replace("                .withGenerateName(\"token-\")\n", block("Mended"));

        TestExecutionSummary summary = run(mended, block("TokenGiverTest"));

        assertThat(messages(summary)).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isEqualTo(200);
    }
}
