package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * The knobs that a story sets.
 *
 * @param set those that differ from what is usual; values are as {@link Knob#refused} allows them
 */
public record Knobs(ImmutableMap<Knob, String> set) {

    /** As usual. */
    public static final Knobs USUAL = new Knobs(ImmutableMap.of());

    public Knobs {
        Map<Knob, String> ordered = new EnumMap<>(Knob.class); // as declared, not as the JVM hashes constants
        ordered.putAll(set);
        set = Maps.immutableEnumMap(ordered);
    }

    public boolean isSet(Knob knob) {
        return set.containsKey(knob);
    }

    public String text(Knob knob) {
        return set.getOrDefault(knob, knob.usual());
    }

    public boolean on(Knob knob) {
        return text(knob).equals("on");
    }

    public int number(Knob knob) {
        return Integer.parseInt(text(knob));
    }

    public Duration time(Knob knob) {
        String text = text(knob);
        int digits = 0;
        while (Character.isDigit(text.charAt(digits))) {
            digits++;
        }
        long amount = Long.parseLong(text.substring(0, digits));
        return switch (text.substring(digits)) {
            case "us" -> Duration.ofNanos(amount * 1_000);
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            default -> Duration.ofMinutes(amount);
        };
    }

    public boolean drawsOrder() {
        return text(Knob.ORDER).equals("drawn");
    }
}
