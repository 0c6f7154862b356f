package dev.kip.sim.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** kubectl against an embedded world. */
final class KubectlRun {

    private static final int SECONDS = 150;

    private KubectlRun() {}

    /** How it ended, and what it said, errors included. */
    record Ended(int code, String text) {}

    /** What it says, errors included. */
    static String kubectl(Path kubeconfig, String... arguments) throws IOException, InterruptedException {
        Ended ended = run(kubeconfig, arguments);
        assertThat(ended.code()).as(List.of(arguments) + ": " + ended.text()).isZero();
        return ended.text();
    }

    /** What it says once it succeeds, which it must within so many seconds. */
    static String until(Path kubeconfig, int seconds, String... arguments) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        Ended ended = run(kubeconfig, arguments);
        while (ended.code() != 0 && System.nanoTime() - end < 0) {
            TimeUnit.MILLISECONDS.sleep(500);
            ended = run(kubeconfig, arguments);
        }
        assertThat(ended.code()).as(List.of(arguments) + ": " + ended.text()).isZero();
        return ended.text();
    }

    /** Whether it fails or not. */
    static Ended run(Path kubeconfig, String... arguments) throws IOException, InterruptedException {
        return run(kubeconfig, "", arguments);
    }

    /** {@code kubectl edit} with this program for an editor. */
    static String edit(Path kubeconfig, String editor, String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("edit"));
        all.addAll(List.of(arguments));
        return run(kubeconfig, editor, all.toArray(String[]::new)).text();
    }

    private static Ended run(Path kubeconfig, String editor, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("kubectl", "--kubeconfig", kubeconfig.toString()));
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile("kubectl", ".txt");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
            if (!editor.isEmpty()) {
                builder.environment().put("KUBE_EDITOR", editor);
            }
            Process process = builder.start();
            assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS))
                    .as(command + " ends")
                    .isTrue();
            return new Ended(process.exitValue(), Files.readString(out, StandardCharsets.UTF_8));
        } finally {
            Files.delete(out);
        }
    }
}
