package dev.kip.checkpointer.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.Hashing;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class RunCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        CommandLine line = KipCheckpointer.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    @ParameterizedTest
    @CsvSource({"90s, PT1M30S", "1m30s, PT1M30S", "2h, PT2H", "500ms, PT0.5S", "0, PT0S", "5m, PT5M"})
    void times_are_taken_as_the_original_took_them(String text, Duration time) {
        assertThat(new RunCommand.GoDuration().convert(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @CsvSource({"5", "5x", "m", "-5s"})
    void what_is_no_time_is_wrong_usage(String text) {
        int code =
                execute("run", "--node-name=n", "--namespace=ns", "--pod-name=p", "--checkpoint-grace-period=" + text);

        assertThat(code).isEqualTo(2);
        assertThat(err.toString()).contains("wanted one like 90s, 1m30s or 2h");
    }

    @Test
    void who_it_is_must_be_said() {
        assertThat(execute("run", "--node-name=n", "--namespace=ns", "--pod-name="))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--pod-name or $POD_NAME");
    }

    @Test
    void dockershim_is_wrong_usage() {
        int code = execute(
                "run",
                "--node-name=n",
                "--namespace=ns",
                "--pod-name=p",
                "--container-runtime-endpoint=unix:///var/run/dockershim.sock");

        assertThat(code).isEqualTo(2);
        assertThat(err.toString()).contains("gone since Kubernetes 1.24");
    }

    @Test
    void the_originals_flags_are_all_there() {
        execute("run", "--help");

        assertThat(out.toString())
                .contains(
                        "--lock-file",
                        "--kubeconfig",
                        "--container-runtime-endpoint",
                        "--runtime-request-timeout",
                        "--checkpoint-grace-period");
    }

    @Test
    void the_status_of_a_node_without_checkpoints_says_so(@TempDir Path directory) {
        int code = execute(
                "status",
                "--node-name=n",
                "--state-dir=" + directory.resolve("state"),
                "--static-pod-path=" + directory.resolve("manifests"));

        assertThat(code).isZero();
        assertThat(out.toString()).contains("Nothing is checkpointed on node n", "No checkpointer has reported yet");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "run", "status", "lint", "convert"})
    void help_has_examples_and_exit_codes(String command) {
        String[] words = command.isEmpty() ? new String[] {"--help"} : new String[] {command, "--help"};

        assertThat(execute(words)).isZero();
        assertThat(out.toString())
                .contains("Exit codes:", "Examples:")
                .contains("  kip-checkpointer " + command)
                .containsPattern("(?m)^  0 +\\S");
    }

    @Test
    void a_report_that_is_old_is_told(@TempDir Path directory) throws IOException {
        String body = "{\"at\": \"2026-01-01T00:00:00Z\"}";
        Files.writeString(
                directory.resolve("report"),
                "kip-checkpoint 1 " + body.length() + " " + Hashing.sha256().hashString(body, US_ASCII) + "\n" + body);

        execute("status", "--node-name=n", "--state-dir=" + directory, "--static-pod-path=" + directory.resolve("m"));

        assertThat(out.toString()).contains("No checkpointer seems to be at work here");
    }
}
