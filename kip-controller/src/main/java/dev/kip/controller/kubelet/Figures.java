package dev.kip.controller.kubelet;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import dev.kip.controller.kubelet.CellKubelets.Place;
import dev.kip.http.Forwarder;
import dev.kip.http.Forwarder.Onward;
import dev.kip.loop.Loop;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Resource use, asked of the cells' kubelets, some at a time. The node is the sum of its pods; its processor time never
 * falls when a pod goes. A cell that does not answer in time is left out. Confined to the loop.
 */
final class Figures {

    private static final int AT_A_TIME = 32;
    private static final int MOST_BYTES = 4 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    /** Those who scrape wait for ten seconds. */
    private static final Duration IN_ALL = Duration.ofSeconds(8);

    private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000L);

    private final Loop loop;
    private final CellKubelets cells;
    private final String node;
    private Map<String, BigDecimal> lastSeconds = new LinkedHashMap<>();
    private BigDecimal nodeSeconds = BigDecimal.ZERO;

    Figures(Loop loop, CellKubelets cells, String node) {
        this.loop = loop;
        this.cells = cells;
        this.node = node;
    }

    /** A pod and where it is. */
    private record Located(String namespace, String name, String uid, Place place, Forwarder way) {}

    /** What one cell answered. */
    private record Answer(Located pod, String body) {}

    /** A {@code Summary} of kubelet's stats/v1alpha1. */
    void summary(ImmutableList<ObjectNode> pods, Consumer<ObjectNode> made) {
        new Round(located(pods), "/stats/summary", answers -> made.accept(summarise(answers))).go();
    }

    /** In the text format of Prometheus. */
    void metrics(ImmutableList<ObjectNode> pods, Consumer<String> made) {
        new Round(located(pods), "/metrics/resource", answers -> made.accept(gather(answers))).go();
    }

    private Deque<Located> located(ImmutableList<ObjectNode> pods) {
        Deque<Located> found = new ArrayDeque<>();
        for (ObjectNode pod : pods) {
            JsonNode metadata = pod.path("metadata");
            String uid = metadata.path("uid").asString("");
            Optional<Place> place = cells.find(uid);
            Optional<Forwarder> way = place.flatMap(cells::way);
            if (way.isPresent()) {
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

    private ObjectNode summarise(List<Answer> answers) {
        ObjectNode summary = JsonNodeFactory.instance.objectNode();
        ObjectNode total = summary.putObject("node").put("nodeName", node);
        ArrayNode pods = summary.putArray("pods");
        Map<String, BigDecimal> seconds = new LinkedHashMap<>();
        long cores = 0;
        long working = 0;
        long used = 0;
        long resident = 0;
        for (Answer answer : answers) {
            for (JsonNode found : parse(answer.body()).path("pods")) {
                if (found instanceof ObjectNode pod
                        && pod.path("podRef")
                                .path("name")
                                .asString("")
                                .equals(answer.pod().place().podName())) {
                    pod.putObject("podRef")
                            .put("name", answer.pod().name())
                            .put("namespace", answer.pod().namespace())
                            .put("uid", answer.pod().uid());
                    pods.add(pod);
                    JsonNode cpu = pod.path("cpu");
                    cores += cpu.path("usageNanoCores").asLong(0);
                    seconds.put(
                            answer.pod().uid(),
                            BigDecimal.valueOf(cpu.path("usageCoreNanoSeconds").asLong(0))
                                    .divide(NANOS));
                    working += pod.path("memory").path("workingSetBytes").asLong(0);
                    used += pod.path("memory").path("usageBytes").asLong(0);
                    resident += pod.path("memory").path("rssBytes").asLong(0);
                }
            }
        }
        String time = loop.now().toString();
        total.putObject("cpu")
                .put("time", time)
                .put("usageNanoCores", cores)
                .put("usageCoreNanoSeconds", spent(seconds).multiply(NANOS).longValue());
        total.putObject("memory")
                .put("time", time)
                .put("usageBytes", used)
                .put("workingSetBytes", working)
                .put("rssBytes", resident);
        return summary;
    }

    private static JsonNode parse(String body) {
        try {
            return JsonMapper.shared().readTree(body);
        } catch (JacksonException e) {
            return JsonNodeFactory.instance.objectNode();
        }
    }

    private String gather(List<Answer> answers) {
        Map<String, List<String>> families = new LinkedHashMap<>();
        Map<String, String> heads = new LinkedHashMap<>();
        Map<String, BigDecimal> seconds = new LinkedHashMap<>();
        BigDecimal working = BigDecimal.ZERO;
        for (Answer answer : answers) {
            String theirs = "pod=\"" + answer.pod().place().podName() + "\"";
            String ours = "pod=\"" + answer.pod().name() + "\"";
            for (String line : Splitter.on('\n').split(answer.body())) {
                String name = line.split("[{ ]", 2)[0];
                if (line.startsWith("# ")) {
                    List<String> words = Splitter.on(' ').limit(4).splitToList(line);
                    if (words.size() == 4
                            && (words.get(2).startsWith("container_")
                                    || words.get(2).startsWith("pod_"))) {
                        heads.merge(words.get(2), line + "\n", (had, now) -> had.contains(now) ? had : had + now);
                    }
                } else if (line.contains(theirs) && (name.startsWith("container_") || name.startsWith("pod_"))) {
                    families.computeIfAbsent(name, first -> new ArrayList<>()).add(line.replace(theirs, ours));
                    if (name.equals("pod_cpu_usage_seconds_total")) {
                        seconds.put(answer.pod().uid(), value(line));
                    } else if (name.equals("pod_memory_working_set_bytes")) {
                        working = working.add(value(line));
                    }
                }
            }
        }
        StringBuilder text = new StringBuilder();
        families.forEach((name, lines) -> {
            text.append(heads.getOrDefault(name, ""));
            lines.forEach(line -> text.append(line).append('\n'));
        });
        text.append("# HELP node_cpu_usage_seconds_total Cumulative cpu time consumed by the node in core-seconds\n")
                .append("# TYPE node_cpu_usage_seconds_total counter\n")
                .append("node_cpu_usage_seconds_total ")
                .append(spent(seconds).toPlainString())
                .append('\n')
                .append("# HELP node_memory_working_set_bytes Current working set of the node in bytes\n")
                .append("# TYPE node_memory_working_set_bytes gauge\n")
                .append("node_memory_working_set_bytes ")
                .append(working.toPlainString())
                .append('\n');
        return text.toString();
    }

    /** Of {@code name{labels} value timestamp}; 0 if it is none. */
    private static BigDecimal value(String line) {
        List<String> words = Splitter.on(' ')
                .splitToList(line.substring(line.lastIndexOf('}') + 1).trim());
        try {
            return new BigDecimal(words.get(0));
        } catch (NumberFormatException e) {
            return BigDecimal.ZERO;
        }
    }

    /** Adds what each pod has spent since it was last asked; one seen for the first time counts from there on. */
    private BigDecimal spent(Map<String, BigDecimal> secondsByPod) {
        Map<String, BigDecimal> next = new LinkedHashMap<>(secondsByPod);
        secondsByPod.forEach((uid, seconds) -> {
            BigDecimal more = seconds.subtract(lastSeconds.getOrDefault(uid, seconds));
            nodeSeconds = nodeSeconds.add(more.max(BigDecimal.ZERO));
        });
        lastSeconds = next;
        return nodeSeconds;
    }

    /** One gathering. */
    private final class Round {

        private final Deque<Located> waiting;
        private final String path;
        private final Consumer<List<Answer>> whole;
        private final List<Answer> answers = new ArrayList<>();
        private int underway;
        private boolean over;

        Round(Deque<Located> waiting, String path, Consumer<List<Answer>> whole) {
            this.waiting = waiting;
            this.path = path;
            this.whole = whole;
        }

        void go() {
            loop.after(IN_ALL, this::finish);
            next();
        }

        private void next() {
            while (!over && underway < AT_A_TIME && !waiting.isEmpty()) {
                underway++;
                Located pod = waiting.remove();
                Onward onward = Onward.to(
                        pod.place().host(),
                        pod.place().port(),
                        path,
                        "cell " + pod.place().instanceId());
                pod.way().fetch(onward, PATIENCE, MOST_BYTES).thenAccept(outcome -> {
                    underway--;
                    outcome.value().ifPresent(body -> answers.add(new Answer(pod, new String(body, UTF_8))));
                    next();
                });
            }
            if (underway == 0 && waiting.isEmpty()) {
                finish();
            }
        }

        private void finish() {
            if (!over) {
                over = true;
                whole.accept(answers);
            }
        }
    }
}
