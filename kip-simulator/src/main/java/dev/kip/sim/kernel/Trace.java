package dev.kip.sim.kernel;

import com.google.common.collect.ImmutableList;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What happened, twice: as one 64-bit hash over the content of everything that crossed a seam, and as lines for people.
 * Two runs with equal hashes sent and received the same bytes at the same virtual times in the same order.
 */
public final class Trace {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int CHECKPOINT_EVERY = 1_000;

    private final List<Line> lines = new ArrayList<>();
    private final List<Long> checkpoints = new ArrayList<>();
    private final boolean keepLines;
    private Witness witness = Witness.NOBODY;
    private long hash = 0x6b69705f73696dL;
    private long mixed;

    /** @param keepLines false for bulk runs that only want the hash */
    public Trace(boolean keepLines) {
        this.keepLines = keepLines;
    }

    /** Mixes content into the hash. */
    public void mix(long value) {
        hash = SeededEntropy.mix(hash ^ value) + 0x9e3779b97f4a7c15L;
        if (++mixed % CHECKPOINT_EVERY == 0) {
            checkpoints.add(hash);
        }
    }

    public void mix(String text) {
        mix(text.getBytes(StandardCharsets.UTF_8));
    }

    public void mix(byte[] content) {
        long digest = content.length;
        int i = 0;
        for (; i + Long.BYTES <= content.length; i += Long.BYTES) {
            digest = (digest ^ (long) LONGS.get(content, i)) * 0xff51afd7ed558ccdL;
            digest ^= digest >>> 32;
        }
        for (; i < content.length; i++) {
            digest = (digest ^ content[i]) * 0xff51afd7ed558ccdL;
        }
        mix(digest);
    }

    /** A line of the story; part of the hash too. */
    public void line(Duration at, String actor, String text) {
        mix(at.toNanos());
        mix(actor);
        mix(text);
        Line line = new Line(at, actor, text);
        witness.line(line);
        if (keepLines) {
            lines.add(line);
        }
    }

    /** It hears of everything from now on. */
    public void witness(Witness hears) {
        witness = hears;
    }

    /** Who hears of everything. */
    public Witness witness() {
        return witness;
    }

    public ImmutableList<Line> lines() {
        return ImmutableList.copyOf(lines);
    }

    /** The hash after every 1,000 contents, to find the first divergence of two runs by bisection. */
    public ImmutableList<Long> checkpoints() {
        return ImmutableList.copyOf(checkpoints);
    }

    /** 16 hexadecimal digits. */
    public String hash() {
        return String.format(Locale.ROOT, "%016x", SeededEntropy.mix(hash ^ mixed));
    }

    /** One line of the story. */
    public record Line(Duration at, String actor, String text) {}
}
