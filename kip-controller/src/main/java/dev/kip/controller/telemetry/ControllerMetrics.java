package dev.kip.controller.telemetry;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.ControllerListener;
import dev.kip.loop.Loop;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What the controller counts, as Prometheus reads it. Written on the loop; {@link #text} may be called from anywhere. */
public final class ControllerMetrics implements ControllerListener {

    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30)
    };

    private final PrometheusMeterRegistry registry;
    private final Timer loopTasks;
    private final Map<String, AtomicLong> levels = new LinkedHashMap<>();
    private final Map<String, Amount> amounts = new LinkedHashMap<>();

    public ControllerMetrics(Loop loop, String version) {
        registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), new Clock() {
            @Override
            public long wallTime() {
                return loop.now().toEpochMilli();
            }

            @Override
            public long monotonicTime() {
                return loop.nanos();
            }
        });
        level(Metric.BUILD, version).set(1);
        level(Metric.LEADER);
        level(Metric.EPOCH);
        level(Metric.SYNCED);
        level(Metric.API_SERVER_REACHABLE);
        level(Metric.CLOUD_WAITING);
        counter(Metric.LAUNCH_ASKED);
        counter(Metric.LAUNCH_GOT);
        counter(Metric.RECONCILED_KEYS);
        level(Metric.UNPRICED);
        level(Metric.OVER_BUDGET);
        level(Metric.GC_CANDIDATES);
        level(Metric.GC_SUSPECTS);
        level(Metric.GC_BREAKER_OPEN);
        timer(Metric.RECONCILE_DURATION);
        loopTasks = timer(Metric.LOOP_TASK_DURATION);
    }

    /** For whoever adds metrics of the process itself. */
    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /** The text format of Prometheus. */
    public String text() {
        return registry.scrape();
    }

    @Override
    public void leading(boolean leader, long epoch) {
        level(Metric.LEADER).set(leader ? 1 : 0);
        level(Metric.EPOCH).set(epoch);
        if (!leader) {
            // Whoever stops leading forgets its pods and cells, and counts them anew next time.
            level(Metric.SYNCED).set(0);
            unclaimed(0, 0);
            collectionStopped(false);
            unpriced(0);
            overBudget(0);
            ImmutableList.copyOf(amounts.values()).forEach(this::drop);
            amounts.clear();
            levels.forEach((name, level) -> {
                if (name.startsWith(Metric.CLOUD_TROUBLE.exposed())
                        || name.startsWith(Metric.PODS.exposed())
                        || name.startsWith(Metric.CELLS.exposed())) {
                    level.set(0);
                }
            });
        }
    }

    @Override
    public void synced() {
        level(Metric.SYNCED).set(1);
    }

    @Override
    public void called(String port, String verb, String outcome, Duration took) {
        timer(Metric.CALL_DURATION, port, verb, outcome).record(took);
    }

    @Override
    public void callsWaiting(int calls) {
        level(Metric.CLOUD_WAITING).set(calls);
    }

    @Override
    public void pace(String bucket, double share) {
        level(Metric.CLOUD_PACE, bucket).set(Math.round(share * 100));
    }

    @Override
    public void cloudTrouble(String kind, boolean there) {
        level(Metric.CLOUD_TROUBLE, kind).set(there ? 1 : 0);
    }

    @Override
    public void cloudEvent(String kind) {
        counter(Metric.CLOUD_EVENTS, kind).increment();
    }

    @Override
    public void launched(int asked, int got) {
        counter(Metric.LAUNCH_ASKED).increment(asked);
        counter(Metric.LAUNCH_GOT).increment(got);
    }

    @Override
    public void reconciled(int keys, Duration took) {
        counter(Metric.RECONCILED_KEYS).increment(keys);
        timer(Metric.RECONCILE_DURATION).record(took);
    }

    @Override
    public void pods(String phase, int delta) {
        level(Metric.PODS, phase).addAndGet(delta);
    }

    @Override
    public void cells(String phase, int delta) {
        level(Metric.CELLS, phase).addAndGet(delta);
    }

    @Override
    public void cost(String namespace, String market, OptionalLong micros) {
        amount(Metric.COST, micros, namespace, market);
    }

    @Override
    public void podCost(String namespace, String pod, OptionalLong micros) {
        amount(Metric.POD_COST, micros, namespace, pod);
    }

    @Override
    public void unpriced(int cells) {
        level(Metric.UNPRICED).set(cells);
    }

    @Override
    public void overBudget(int pods) {
        level(Metric.OVER_BUDGET).set(pods);
    }

    @Override
    public void unclaimed(int candidates, int suspects) {
        level(Metric.GC_CANDIDATES).set(candidates);
        level(Metric.GC_SUSPECTS).set(suspects);
    }

    @Override
    public void collected(String outcome) {
        counter(Metric.GC_INSTANCES, outcome).increment();
    }

    @Override
    public void collectionStopped(boolean open) {
        level(Metric.GC_BREAKER_OPEN).set(open ? 1 : 0);
    }

    @Override
    public void anomaly(String what, String detail) {
        counter(Metric.ANOMALIES, what).increment();
    }

    public void apiServerReachable(boolean reachable) {
        level(Metric.API_SERVER_REACHABLE).set(reachable ? 1 : 0);
    }

    /** A task has kept the loop for so long. */
    public void taskTook(long nanos) {
        loopTasks.record(nanos, TimeUnit.NANOSECONDS);
    }

    /** Measures from now on how late the loop is, once a second. Called on the loop. */
    public void watchLag(Loop loop) {
        AtomicLong nanosLate = new AtomicLong();
        Gauge.builder(Metric.LOOP_LAG.exposed(), nanosLate, late -> late.get() / 1e9)
                .description(Metric.LOOP_LAG.help())
                .register(registry);
        pulse(loop, nanosLate);
    }

    private void pulse(Loop loop, AtomicLong nanosLate) {
        Duration period = Duration.ofSeconds(1);
        long due = loop.nanos() + period.toNanos();
        loop.after(period, () -> {
            nanosLate.set(Math.max(0, loop.nanos() - due));
            pulse(loop, nanosLate);
        });
    }

    /** One that goes when there is none: names of pods come and go without end. */
    private void amount(Metric metric, OptionalLong micros, String... labels) {
        String key = metric.exposed() + String.join("/", labels);
        if (micros.isEmpty()) {
            @Nullable Amount gone = amounts.remove(key);
            if (gone != null) {
                drop(gone);
            }
            return;
        }
        amounts.computeIfAbsent(key, absent -> {
                    AtomicLong value = new AtomicLong();
                    Gauge gauge = Gauge.builder(metric.exposed(), value, held -> held.get() / 1e6)
                            .description(metric.help())
                            .tags(tags(metric, labels))
                            .register(registry);
                    return new Amount(value, gauge);
                })
                .value()
                .set(micros.getAsLong());
    }

    private void drop(Amount gone) {
        var unused = registry.remove(gone.gauge());
    }

    /** @param value millionths */
    private record Amount(AtomicLong value, Gauge gauge) {}

    private AtomicLong level(Metric metric, String... labels) {
        String key = metric.exposed() + String.join(",", labels);
        return levels.computeIfAbsent(key, absent -> {
            AtomicLong value = new AtomicLong();
            Gauge.builder(metric.exposed(), value, AtomicLong::doubleValue)
                    .description(metric.help())
                    .tags(tags(metric, labels))
                    .register(registry);
            return value;
        });
    }

    private Counter counter(Metric metric, String... labels) {
        return Counter.builder(metric.exposed())
                .description(metric.help())
                .tags(tags(metric, labels))
                .register(registry);
    }

    private Timer timer(Metric metric, String... labels) {
        return Timer.builder(metric.exposed())
                .description(metric.help())
                .serviceLevelObjectives(BUCKETS)
                .tags(tags(metric, labels))
                .register(registry);
    }

    private static Tags tags(Metric metric, String... labels) {
        Tags tags = Tags.empty();
        for (int i = 0; i < labels.length; i++) {
            tags = tags.and(Tag.of(metric.labels().get(i), labels[i]));
        }
        return tags;
    }
}
