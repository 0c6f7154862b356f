package dev.kip.sim.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs of this machine that are run to their end. Blocks. */
final class Shell {

    private static final int PATIENCE_SECONDS = 30;

    private Shell() {}

    /** @throws IOException if it fails; the message is what it said */
    static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("\"" + String.join(" ", List.of(command)) + "\" failed: " + said);
            }
            return said;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
