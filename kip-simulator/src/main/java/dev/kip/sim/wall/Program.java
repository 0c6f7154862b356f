package dev.kip.sim.wall;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** A process that was started here, its output in a log file of its own. */
public final class Program implements AutoCloseable {
    private static final long SECONDS_TO_END = 20;
    private static final long SECONDS_TO_RUN = 120;
    private static final Executor THREADS = task -> new Thread(task, "reads a program's output").start();

    private final String name;
    private final Process process;
    private final Path log;

    private Program(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    public static Program start(String name, Path log, Map<String, String> environment, List<String> command) {
        try {
            Files.createDirectories(log.getParent());
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            builder.environment().putAll(environment);
            Process process = builder.start();
            // Also when the test run itself is ended from outside.
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            return new Program(name, process, log);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + name + ": " + command, e);
        }
    }

    /** A command's exit code and all its output. */
    public record Result(int code, String output) {
        /** The output, if it exited 0. */
        public String orFail() {
            if (code != 0) {
                throw new IllegalStateException("exit code " + code + ": " + output);
            }
            return output;
        }
    }

    /** Runs a command to its end, at most two minutes. */
    public static Result run(Map<String, String> environment, Path input, List<String> command) {
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectInput(input.toFile()).redirectErrorStream(true);
            builder.environment().putAll(environment);
            Process process = builder.start();
            try {
                String output = CompletableFuture.supplyAsync(() -> read(process.getInputStream()), THREADS)
                        .get(SECONDS_TO_RUN, TimeUnit.SECONDS);
                return new Result(process.waitFor(), output);
            } catch (TimeoutException e) {
                process.destroyForcibly();
                throw new IllegalStateException("does not end within " + SECONDS_TO_RUN + " s: " + command, e);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command, e);
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String read(InputStream stream) {
        try {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** SIGSTOP, and after a while SIGCONT. */
    public void pause(Duration length) {
        signal("-STOP");
        Thread later = new Thread(
                () -> {
                    LockSupport.parkNanos(length.toNanos());
                    signal("-CONT");
                },
                "goes on later");
        later.setDaemon(true);
        later.start();
    }

    private void signal(String signal) {
        run(ImmutableMap.of(), Path.of("/dev/null"), List.of("kill", signal, Long.toString(process.pid())));
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL, and waits until it is dead. */
    public void kill9() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** SIGTERM; does not wait. */
    void askToEnd() {
        process.destroy();
    }

    /** SIGTERM; its exit code. */
    public int terminate() {
        process.destroy();
        return awaitEnd();
    }

    /** Waits until it ends by itself, and ends it with SIGTERM if it does not; its exit code. */
    public int end(Duration limit) {
        try {
            if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
                terminate();
                throw new IllegalStateException(name + " did not end within " + limit + "; its log: " + log);
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    int awaitEnd() {
        try {
            if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException(name + " did not end within " + SECONDS_TO_END + " s; its log: " + log);
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The last lines of its log, for messages. */
    public String lastWords() {
        try {
            List<String> lines = Files.readAllLines(log);
            return name + " (" + log + "):\n"
                    + String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
        } catch (IOException e) {
            return name + ": no log: " + e;
        }
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill9();
        }
    }
}
