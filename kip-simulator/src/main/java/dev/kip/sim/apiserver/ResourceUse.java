package dev.kip.sim.apiserver;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a node tells at {@code /metrics/resource}, kept as metrics-server keeps it: the last two samples of each container,
 * whose difference is the use. A container that has just begun has a first sample of nothing at its start.
 */
final class ResourceUse {

    private static final Pattern LINE = Pattern.compile("(\\w+)(?:\\{(.*)})? (\\S+)(?: (\\d+))?");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    /** Of a container that began so recently what it used since is its use. */
    private static final Duration YOUNG = Duration.ofSeconds(30);

    private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000L);
    private static final String NODE = "";

    private Map<String, Series> series = new LinkedHashMap<>();
    private ImmutableListMultimap<String, String> containers = ImmutableListMultimap.of();

    /**
     * One measurement.
     *
     * @param start of the container; the epoch for a node
     */
    private record Sample(Instant at, Instant start, BigDecimal cpuSeconds, long memoryBytes) {}

    private record Series(Optional<Sample> before, Sample last) {}

    /** What was used between two samples. */
    record Use(Instant at, Duration window, long nanoCores, long bytes) {}

    /** What is being read of one container. */
    private static final class Reading {
        Instant at;
        Instant start = Instant.EPOCH;
        Optional<BigDecimal> cpu = Optional.empty();
        Optional<BigDecimal> memory = Optional.empty();

        Reading(Instant at) {
            this.at = at;
        }
    }

    /** Takes up an answer. What is no longer in it is forgotten. */
    void take(byte[] text, Instant now) {
        Map<String, Reading> readings = new LinkedHashMap<>();
        for (String line : Splitter.on('\n').omitEmptyStrings().split(new String(text, UTF_8))) {
            Matcher matcher = LINE.matcher(line);
            if (!line.startsWith("#") && matcher.matches()) {
                read(readings, matcher, now);
            }
        }
        Map<String, Series> next = new LinkedHashMap<>();
        readings.forEach((key, reading) -> {
            if (reading.cpu.isPresent() && reading.memory.isPresent()) {
                Sample sample = new Sample(
                        reading.at,
                        reading.start,
                        reading.cpu.get(),
                        reading.memory.get().longValue());
                next.put(key, follow(Optional.ofNullable(series.get(key)), sample));
            }
        });
        series = next;
        ImmutableListMultimap.Builder<String, String> found = ImmutableListMultimap.builder();
        for (String key : next.keySet()) {
            if (!key.equals(NODE)) {
                int slash = key.lastIndexOf('/');
                found.put(key.substring(0, slash), key.substring(slash + 1));
            }
        }
        containers = found.build();
    }

    private static void read(Map<String, Reading> readings, Matcher matcher, Instant now) {
        ImmutableMap<String, String> labels = matcher.group(2) == null ? ImmutableMap.of() : labels(matcher.group(2));
        String family = matcher.group(1);
        String key = NODE;
        if (family.startsWith("container_")) {
            key = key(
                    labels.getOrDefault("namespace", ""),
                    labels.getOrDefault("pod", ""),
                    labels.getOrDefault("container", ""));
        } else if (!family.startsWith("node_")) {
            return;
        }
        Reading reading = readings.computeIfAbsent(key, absent -> new Reading(now));
        BigDecimal value = new BigDecimal(matcher.group(3));
        String what = family.substring(family.indexOf('_') + 1);
        switch (what) {
            case "cpu_usage_seconds_total" -> {
                reading.cpu = Optional.of(value);
                if (matcher.group(4) != null) {
                    reading.at = Instant.ofEpochMilli(Long.parseLong(matcher.group(4)));
                }
            }
            case "memory_working_set_bytes" -> reading.memory = Optional.of(value);
            case "start_time_seconds" ->
                reading.start = Instant.EPOCH.plusMillis(value.movePointRight(3)
                        .setScale(0, RoundingMode.HALF_UP)
                        .longValue());
            default -> {}
        }
    }

    private static ImmutableMap<String, String> labels(String text) {
        ImmutableMap.Builder<String, String> labels = ImmutableMap.builder();
        Matcher matcher = LABEL.matcher(text);
        while (matcher.find()) {
            labels.put(matcher.group(1), matcher.group(2));
        }
        return labels.buildKeepingLast();
    }

    private static String key(String namespace, String pod, String container) {
        return namespace + "/" + pod + "/" + container;
    }

    private static Series follow(Optional<Series> had, Sample now) {
        Optional<Sample> last = had.map(Series::last);
        if (last.isPresent() && last.get().start().equals(now.start())) {
            // The same measurement once more says nothing new; one whose counter fell was begun anew unseen.
            if (!now.at().isAfter(last.get().at())) {
                return had.get();
            }
            if (now.cpuSeconds().compareTo(last.get().cpuSeconds()) >= 0) {
                return new Series(last, now);
            }
        }
        boolean young = now.start().isAfter(Instant.EPOCH)
                && now.at().isAfter(now.start())
                && Duration.between(now.start(), now.at()).compareTo(YOUNG) < 0;
        return new Series(
                young ? Optional.of(new Sample(now.start(), now.start(), BigDecimal.ZERO, 0)) : Optional.empty(), now);
    }

    /** Of the whole node; empty until there are two samples. */
    Optional<Use> node() {
        return use(NODE);
    }

    Optional<Use> container(String namespace, String pod, String container) {
        return use(key(namespace, pod, container));
    }

    /** Its containers that are measured, in the order told. */
    ImmutableList<String> containersOf(String namespace, String pod) {
        return containers.get(namespace + "/" + pod);
    }

    private Optional<Use> use(String key) {
        Optional<Series> found = Optional.ofNullable(series.get(key));
        if (found.flatMap(Series::before).isEmpty()) {
            return Optional.empty();
        }
        Sample before = found.get().before().get();
        Sample last = found.get().last();
        Duration window = Duration.between(before.at(), last.at());
        BigDecimal nanoCores = last.cpuSeconds()
                .subtract(before.cpuSeconds())
                .multiply(NANOS)
                .multiply(NANOS)
                .divide(BigDecimal.valueOf(window.toNanos()), 0, RoundingMode.HALF_UP);
        return Optional.of(new Use(last.at(), window, nanoCores.longValue(), last.memoryBytes()));
    }
}
