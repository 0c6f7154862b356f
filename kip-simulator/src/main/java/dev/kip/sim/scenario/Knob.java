package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * What a world leaves open and a story may set: how slow things are at most, how services behave where they are free to,
 * and who runs first of those that could run at the same moment. All values are within what production must bear.
 */
public enum Knob {
    NETWORK("network", Kind.DURATION, "2ms", "one way of a request takes up to this", "500us", "20ms", "120ms"),
    GRAIN(
            "network.grain",
            Kind.DURATION,
            "0ms",
            "arrivals fall on multiples of this, so that more of them coincide",
            "1ms",
            "5ms",
            "25ms"),
    CLOUD("cloud", Kind.DURATION, "600ms", "a call of the cloud takes up to this", "20ms", "2s", "5s"),
    CLOUD_SLOTS(
            "cloud.slots",
            Kind.NUMBER,
            "16",
            "calls of the cloud that a controller has under way at once",
            "1",
            "2",
            "4"),
    DESCRIBE_LAG(
            "ec2.describeLag",
            Kind.DURATION,
            "3s",
            "an instance may stay unseen by Describe for up to this",
            "0ms",
            "1s",
            "5s"),
    STARTS("ec2.starts", Kind.DURATION, "20s", "from pending to running, at most", "2s", "60s"),
    ENDS("ec2.ends", Kind.DURATION, "40s", "from shutting-down to terminated, at most", "1s", "90s"),
    INTERFACE_LINGERS(
            "ec2.interfaceLingers",
            Kind.DURATION,
            "10s",
            "a network interface outlives its instance by up to this",
            "0ms",
            "60s"),
    ENDED_TOKEN(
            "ec2.endedTokenFails",
            Kind.SWITCH,
            "on",
            "a launch token whose instances have all ended fails, as since 2025",
            "off"),
    EXPIRED_WATCH(
            "kubernetes.expiredWatch",
            Kind.WAY,
            "as-event",
            "how a watch of forgotten history is refused: as-event, as-status, either",
            "as-status",
            "either"),
    HISTORY(
            "kubernetes.history",
            Kind.NUMBER,
            "100000",
            "changes kept for each kind, for watches to go on from",
            "50",
            "1000"),
    BOOT("cells.boot", Kind.DURATION, "14s", "a cell boots within this", "6s", "60s"),
    PULL("cells.pull", Kind.DURATION, "4s", "an image is pulled within this", "1s", "40s"),
    TYPES(
            "ec2.types",
            Kind.TYPES,
            "all",
            "instance types on offer: all of the price table, or those with one or two vCPUs, which are told faster",
            "small"),
    ORDER(
            "order",
            Kind.ORDER,
            "fifo",
            "who runs first of those that are due at one moment: fifo, or as drawn",
            "drawn");

    private final String word;
    private final Kind kind;
    private final String usual;
    private final String what;
    private final ImmutableList<String> others;

    Knob(String word, Kind kind, String usual, String what, String... others) {
        this.word = word;
        this.kind = kind;
        this.usual = usual;
        this.what = what;
        this.others = ImmutableList.copyOf(others);
    }

    /** How values are written. */
    public enum Kind {
        DURATION("\\d{1,9}(us|ms|s|m)", "a time such as 500us, 20ms, 5s or 2m"),
        NUMBER("[1-9]\\d{0,8}", "a whole number from 1 on"),
        SWITCH("on|off", "on or off"),
        WAY("as-event|as-status|either", "as-event, as-status or either"),
        TYPES("all|small", "all or small"),
        ORDER("fifo|drawn", "fifo or drawn");

        private final String pattern;
        private final String words;

        Kind(String pattern, String words) {
            this.pattern = pattern;
            this.words = words;
        }

        public String pattern() {
            return pattern;
        }
    }

    public String word() {
        return word;
    }

    public Kind kind() {
        return kind;
    }

    /** The value where a story says nothing. */
    public String usual() {
        return usual;
    }

    /** What it is, in a few words. */
    public String what() {
        return what;
    }

    /** Values beside the usual one from which a seed draws. */
    public ImmutableList<String> others() {
        return others;
    }

    public static Optional<Knob> of(String word) {
        for (Knob knob : values()) {
            if (knob.word.equals(word)) {
                return Optional.of(knob);
            }
        }
        return Optional.empty();
    }

    /** What is wrong with this value; empty if nothing is. */
    public Optional<String> refused(String value) {
        return value.matches(kind.pattern)
                ? Optional.empty()
                : Optional.of("must be " + kind.words + ", not \"" + value + "\"");
    }
}
