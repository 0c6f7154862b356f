package dev.kip.sim.cell;

import com.google.common.collect.ImmutableList;
import dev.kip.cell.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Every cell on its instance's own private address, which is added to the loopback interface. Needs root; in a network namespace of its own it disturbs nobody. */
public final class OwnAddresses implements CellAddresses {

    private static final Logger LOG = LoggerFactory.getLogger(OwnAddresses.class);
    private static final int PATIENCE_SECONDS = 5;

    private final TreeSet<String> added = new TreeSet<>();

    @Override
    public Where open(CellInstance instance) throws IOException {
        if (added.add(instance.privateIp())) {
            try {
                ip("replace", instance.privateIp());
            } catch (IOException e) {
                added.remove(instance.privateIp());
                throw e;
            }
        }
        return new Where(instance.privateIp(), Wire.PORT);
    }

    @Override
    public void listening(CellInstance instance, int port) {
        // found at its own address
    }

    @Override
    public void closed(CellInstance instance) {
        if (added.remove(instance.privateIp())) {
            try {
                ip("del", instance.privateIp());
            } catch (IOException e) {
                LOG.warn("{}", e.getMessage());
            }
        }
    }

    private static void ip(String verb, String address) throws IOException {
        ImmutableList<String> command = ImmutableList.of("ip", "addr", verb, address + "/32", "dev", "lo");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("\"" + String.join(" ", command) + "\" failed: " + said
                        + " (it needs root, or use an address map)");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            process.destroy();
        }
    }
}
