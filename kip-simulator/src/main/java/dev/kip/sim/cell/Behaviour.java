package dev.kip.sim.cell;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * How a simulated container behaves: by annotations of the pod, each with the container's name behind the dot. An
 * ordinary container runs until it is ended, an init container succeeds after a second.
 *
 * <pre>
 * sim.kip.elotl.co/exit-after.C: "5"     ends by itself after so many seconds
 * sim.kip.elotl.co/exit-code.C: "3"      with this code (0); alone, after a second
 * sim.kip.elotl.co/exits.C: "2"          only so many times, then it runs on
 * sim.kip.elotl.co/ignore-term.C: "true" must be killed
 * sim.kip.elotl.co/never-ready.C: "true" its readiness probe never succeeds
 * sim.kip.elotl.co/pull-error.C: "text"  its image cannot be pulled
 * sim.kip.elotl.co/cpu.C: "250m"         what it uses all the time it runs (1m)
 * sim.kip.elotl.co/memory.C: "64Mi"      (8Mi)
 * </pre>
 *
 * @param exitAfter empty to run on
 * @param cpu in cores
 * @param memory in bytes
 */
record Behaviour(
        Optional<Duration> exitAfter,
        int exitCode,
        int exits,
        boolean ignoresTerm,
        boolean neverReady,
        Optional<String> pullError,
        Duration startedAfter,
        Duration readyAfter,
        Duration preStop,
        BigDecimal cpu,
        BigDecimal memory) {

    private static final String PREFIX = "sim.kip.elotl.co/";
    private static final Duration MOMENT = Duration.ofSeconds(1);

    static Behaviour of(JsonNode manifest, JsonNode container, boolean runsToCompletion) {
        Annotations annotations = new Annotations(
                manifest.path("metadata").path("annotations"),
                container.path("name").asString(""));
        Optional<Duration> after = annotations.text("exit-after").map(text -> seconds(text, "exit-after"));
        Optional<String> code = annotations.text("exit-code");
        if (after.isEmpty() && (code.isPresent() || runsToCompletion)) {
            after = Optional.of(MOMENT);
        }
        return new Behaviour(
                after,
                code.map(Integer::parseInt).orElse(0),
                annotations.text("exits").map(Integer::parseInt).orElse(Integer.MAX_VALUE),
                annotations.flag("ignore-term"),
                annotations.flag("never-ready"),
                annotations.text("pull-error"),
                probe(container.path("startupProbe")),
                probe(container.path("readinessProbe")),
                Duration.ofSeconds(
                        container.at("/lifecycle/preStop/sleep/seconds").asLong(0)),
                quantity(annotations.text("cpu").orElse("1m"), "cpu"),
                quantity(annotations.text("memory").orElse("8Mi"), "memory"));
    }

    /** When a probe that always succeeds has succeeded often enough. */
    private static Duration probe(JsonNode probe) {
        if (!probe.isObject()) {
            return Duration.ZERO;
        }
        long successes = Math.max(1, probe.path("successThreshold").asLong(1));
        long period = Math.max(1, probe.path("periodSeconds").asLong(10));
        return Duration.ofSeconds(probe.path("initialDelaySeconds").asLong(0) + (successes - 1) * period);
    }

    private static Duration seconds(String text, String name) {
        try {
            return Duration.ofMillis(Math.round(Double.parseDouble(text) * 1000));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(PREFIX + name + ": wanted seconds, found \"" + text + "\"", e);
        }
    }

    private static BigDecimal quantity(String text, String name) {
        try {
            return Quantity.getAmountInBytes(Quantity.parse(text));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(PREFIX + name + ": wanted a quantity, found \"" + text + "\"", e);
        }
    }

    private record Annotations(JsonNode all, String container) {
        Optional<String> text(String name) {
            JsonNode value = all.path(PREFIX + name + "." + container);
            return value.isString() ? Optional.of(value.stringValue()) : Optional.empty();
        }

        boolean flag(String name) {
            return text(name).filter("true"::equals).isPresent();
        }
    }
}
