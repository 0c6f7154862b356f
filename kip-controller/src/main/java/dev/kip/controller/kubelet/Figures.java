package dev.kip.controller.kubelet;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.controller.kubelet.CellKubelets.Place;
import dev.kip.http.Forwarder;
import dev.kip.http.Forwarder.Onward;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Resource use, asked of the cells' kubelets, some at a time, and told from memory for some seconds to whoever asks: however
 * many scrape, each cell is asked once. The node is the sum of its pods; its processor time never falls when a pod goes.
 * What a cell that is silent told last is told for a minute. Confined to the loop.
 */
final class Figures {

    private static final int AT_A_TIME = 32;
    private static final int MOST_BYTES = 4 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    /** Those who scrape wait for ten seconds. */
    private static final Duration IN_ALL = Duration.ofSeconds(8);

    /** Those who scrape at a time are answered alike; a pod that has just become ready is soon among them. */
    private static final Duration FRESH = Duration.ofSeconds(2);

    private static final Duration STALE = Duration.ofMinutes(1);
    private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000L);

    /** Families and how they are described, as kubelet does. */
    private static final ImmutableMap<String, String> FAMILIES = ImmutableMap.<String, String>builder()
            .put(
                    "container_cpu_usage_seconds_total",
                    "counter Cumulative cpu time consumed by the container in core-seconds")
            .put("container_memory_working_set_bytes", "gauge Current working set of the container in bytes")
            .put("container_start_time_seconds", "gauge Start time of the container since unix epoch in seconds")
            .put("container_swap_usage_bytes", "gauge Current amount of the container swap usage in bytes")
            .put("pod_cpu_usage_seconds_total", "counter Cumulative cpu time consumed by the pod in core-seconds")
            .put("pod_memory_working_set_bytes", "gauge Current working set of the pod in bytes")
            .put("pod_swap_usage_bytes", "gauge Current amount of the pod swap usage in bytes")
            .buildOrThrow();

    private final Loop loop;
    private final CellKubelets cells;
    private final String node;
    private final Pods pods;
    private final Map<String, Told> told = new LinkedHashMap<>();
    private final List<Consumer<Optional<String>>> waiting = new ArrayList<>();
    private Optional<Long> freshUntil = Optional.empty();
    private BigDecimal nodeSeconds = BigDecimal.ZERO;

    /** The node's pods, or why they cannot be had. */
    interface Pods {
        void list(Consumer<Outcome<ImmutableList<ObjectNode>, String>> found);
    }

    /** What a pod's cell told last, and when it was last asked; nothing yet if there are no figures. */
    private record Told(Optional<PodFigures> figures, Instant heard, long asked) {}

    /** A pod and where it is. */
    private record Located(String namespace, String name, String uid, Place place, Forwarder way) {}

    Figures(Loop loop, CellKubelets cells, String node, Pods pods) {
        this.loop = loop;
        this.cells = cells;
        this.node = node;
        this.pods = pods;
    }

    /** A {@code Summary} of kubelet's stats/v1alpha1, or why there is none. */
    void summary(Consumer<Outcome<String, String>> made) {
        gather(failure -> made.accept(
                failure.<Outcome<String, String>>map(Outcome::failed).orElseGet(() -> Outcome.ok(summarise()))));
    }

    /** In the text format of Prometheus. */
    void metrics(Consumer<Outcome<String, String>> made) {
        gather(failure -> made.accept(
                failure.<Outcome<String, String>>map(Outcome::failed).orElseGet(() -> Outcome.ok(write()))));
    }

    /** Calls back when what is known is fresh, with the reason if it cannot be. */
    private void gather(Consumer<Optional<String>> then) {
        if (freshUntil.filter(until -> until - loop.nanos() > 0).isPresent()) {
            then.accept(Optional.empty());
            return;
        }
        waiting.add(then);
        if (waiting.size() == 1) {
            pods.list(outcome -> outcome.on(this::ask, error -> done(Optional.of(error))));
        }
    }

    private void done(Optional<String> failure) {
        ImmutableList<Consumer<Optional<String>>> all = ImmutableList.copyOf(waiting);
        waiting.clear();
        if (failure.isEmpty()) {
            freshUntil = Optional.of(loop.nanos() + FRESH.toNanos());
        }
        all.forEach(then -> then.accept(failure));
    }

    private void ask(ImmutableList<ObjectNode> all) {
        List<Located> located = located(all);
        ImmutableSet<String> here = located.stream().map(Located::uid).collect(ImmutableSet.toImmutableSet());
        told.keySet().removeIf(uid -> !here.contains(uid));
        // Whoever was not reached the last time comes first.
        located.sort(Comparator.comparingLong(
                pod -> Optional.ofNullable(told.get(pod.uid())).map(Told::asked).orElse(Long.MIN_VALUE)));
        new Round(new ArrayDeque<>(located)).go();
    }

    private List<Located> located(ImmutableList<ObjectNode> all) {
        List<Located> found = new ArrayList<>();
        for (ObjectNode pod : all) {
            JsonNode metadata = pod.path("metadata");
            String uid = metadata.path("uid").asString("");
            String phase = pod.path("status").path("phase").asString("");
            Optional<Place> place = cells.find(uid);
            Optional<Forwarder> way = place.flatMap(cells::way);
            if (way.isPresent() && !phase.equals("Succeeded") && !phase.equals("Failed")) {
                found.add(new Located(
                        metadata.path("namespace").asString(""),
                        metadata.path("name").asString(""),
                        uid,
                        place.get(),
                        way.get()));
            }
        }
        return found;
    }

    private void answered(Located pod, Optional<byte[]> body) {
        Optional<Told> before = Optional.ofNullable(told.get(pod.uid()));
        Optional<PodFigures> had = before.flatMap(Told::figures);
        Optional<PodFigures> now = body.flatMap(bytes -> PodFigures.read(
                new String(bytes, UTF_8), pod.place().podName(), pod.namespace(), pod.name(), pod.uid()));
        // Time does not go backwards for those who compute a rate.
        boolean newer = now.isPresent()
                && had.filter(old -> old.at().isAfter(now.get().at())).isEmpty();
        Instant heard = newer ? loop.now() : before.map(Told::heard).orElse(loop.now());
        told.put(pod.uid(), new Told(newer ? now : had, heard, loop.nanos()));
        if (newer && had.isPresent()) {
            // One seen for the first time counts from there on; one that began anew has not given time back.
            nodeSeconds = nodeSeconds.add(
                    now.get().cpuSeconds().subtract(had.get().cpuSeconds()).max(BigDecimal.ZERO));
        }
    }

    private ImmutableList<PodFigures> known() {
        Instant oldest = loop.now().minus(STALE);
        return told.values().stream()
                .filter(each -> !each.heard().isBefore(oldest))
                .flatMap(each -> each.figures().stream())
                .collect(ImmutableList.toImmutableList());
    }

    private String summarise() {
        ImmutableList<PodFigures> known = known();
        String time = loop.now().toString();
        ObjectNode total = JsonNodeFactory.instance.objectNode().put("nodeName", node);
        total.putObject("cpu")
                .put("time", time)
                .put(
                        "usageNanoCores",
                        known.stream().mapToLong(PodFigures::nanoCores).sum())
                .put("usageCoreNanoSeconds", nodeSeconds.multiply(NANOS).longValue());
        total.putObject("memory")
                .put("time", time)
                .put(
                        "usageBytes",
                        known.stream().mapToLong(PodFigures::usageBytes).sum())
                .put("workingSetBytes", workingSet(known))
                .put("rssBytes", known.stream().mapToLong(PodFigures::rssBytes).sum());
        StringBuilder text = new StringBuilder("{\"node\":").append(total).append(",\"pods\":[");
        String before = "";
        for (PodFigures pod : known) {
            text.append(before).append(pod.json());
            before = ",";
        }
        return text.append("]}").toString();
    }

    private static long workingSet(ImmutableList<PodFigures> known) {
        return known.stream().mapToLong(PodFigures::workingSetBytes).sum();
    }

    private String write() {
        ImmutableList<PodFigures> known = known();
        StringBuilder text = new StringBuilder();
        FAMILIES.forEach((family, description) -> {
            int size = text.length();
            head(text, family, description);
            int begun = text.length();
            known.forEach(pod ->
                    pod.lines().get(family).forEach(line -> text.append(line).append('\n')));
            if (text.length() == begun) {
                text.setLength(size);
            }
        });
        head(text, "node_cpu_usage_seconds_total", "counter Cumulative cpu time consumed by the node in core-seconds");
        long now = loop.now().toEpochMilli();
        text.append("node_cpu_usage_seconds_total ")
                .append(nodeSeconds.toPlainString())
                .append(' ')
                .append(now)
                .append('\n');
        head(text, "node_memory_working_set_bytes", "gauge Current working set of the node in bytes");
        text.append("node_memory_working_set_bytes ")
                .append(workingSet(known))
                .append(' ')
                .append(now)
                .append('\n');
        return text.toString();
    }

    private static void head(StringBuilder text, String family, String description) {
        int space = description.indexOf(' ');
        text.append("# HELP ").append(family).append(description, space, description.length());
        text.append("\n# TYPE ")
                .append(family)
                .append(' ')
                .append(description, 0, space)
                .append('\n');
    }

    /** One gathering. */
    private final class Round {

        private final Deque<Located> left;
        private int underway;
        private boolean over;

        Round(Deque<Located> left) {
            this.left = left;
        }

        void go() {
            loop.after(IN_ALL, this::finish);
            next();
        }

        private void next() {
            while (!over && underway < AT_A_TIME && !left.isEmpty()) {
                underway++;
                Located pod = left.remove();
                Onward onward = Onward.to(
                        pod.place().host(),
                        pod.place().port(),
                        "/stats/summary",
                        "cell " + pod.place().instanceId());
                pod.way().fetch(onward, PATIENCE, MOST_BYTES).thenAccept(outcome -> {
                    underway--;
                    answered(pod, outcome.value());
                    next();
                });
            }
            if (underway == 0 && left.isEmpty()) {
                finish();
            }
        }

        private void finish() {
            if (!over) {
                over = true;
                done(Optional.empty());
            }
        }
    }
}
