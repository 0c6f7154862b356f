package dev.kip.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Community LocalStack as a process, as real-parts/build makes it: another EC2 by people who are not us. */
public final class LocalStack implements AutoCloseable {

    private static final int TRIES = 240;
    private static final int PAUSE_MILLIS = 250;

    private final Process process;
    private final String url;
    private int accounts;

    private LocalStack(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    /** Where real-parts/build installs it. */
    private static Path program() {
        String cache = Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
                .orElse(System.getProperty("user.home") + "/.cache");
        return Path.of(Optional.ofNullable(System.getenv("KIP_PARTS")).orElse(cache + "/kip/parts"))
                .resolve("bin/localstack");
    }

    /** Skips the test if it is not there; in CI, where it must be, fails. */
    public static LocalStack start(Path directory) throws IOException, InterruptedException {
        Path program = program();
        if (System.getenv("CI") != null) {
            assertThat(program)
                    .as("in CI LocalStack must be there: real-parts/build localstack")
                    .exists();
        }
        assumeTrue(Files.isExecutable(program), "skipped: there is no LocalStack, see real-parts/build");
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path log = directory.resolve("localstack.log");
        Process process = new ProcessBuilder(program.toString(), String.valueOf(port), directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        LocalStack started = new LocalStack(process, "http://127.0.0.1:" + port);
        for (int tries = 0; tries < TRIES; tries++) {
            if (Files.readString(log).contains("Ready.")) {
                return started;
            }
            if (!process.isAlive()) {
                break;
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
        started.close();
        throw new IOException("LocalStack is not ready: " + Files.readString(log));
    }

    public String url() {
        return url;
    }

    /** A key id of twelve digits is an account: what one has made another does not see. */
    public String freshAccount() {
        accounts++;
        return String.format(Locale.ROOT, "%012d", accounts);
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
