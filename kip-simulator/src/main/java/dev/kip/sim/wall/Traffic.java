package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.kernel.SimNetwork.Request;
import dev.kip.sim.scenario.Fault;
import dev.kip.sim.scenario.FaultPlan;
import dev.kip.sim.scenario.Globs;
import dev.kip.sim.wall.HttpFraming.Message;
import dev.kip.sim.world.Requests;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Every request of every controller as it passes: counted, and struck by the story's faults. Any thread. */
final class Traffic {

    private final FaultPlan faults;
    private final Map<Kind, Long> counts = new LinkedHashMap<>();
    private final Map<String, ImmutableMap<Kind, Long>> marks = new LinkedHashMap<>();

    private record Kind(String from, String to, String action, boolean mutating) {}

    Traffic(ImmutableList<Fault> faults) {
        this.faults = new FaultPlan(faults, (fault, sender) -> {});
    }

    /** Counts the request; what the story has become of it. */
    synchronized Fate passes(Call call) {
        counts.merge(new Kind(call.from(), call.to(), call.action(), call.mutating()), 1L, Long::sum);
        return faults.fateOf(call);
    }

    synchronized ImmutableList<Fault> missed() {
        return faults.missed();
    }

    synchronized void mark(String name) {
        marks.put(name, ImmutableMap.copyOf(counts));
    }

    synchronized long count(String from, String to, String action, Optional<String> since) {
        ImmutableMap<Kind, Long> before = since.map(mark -> Optional.ofNullable(marks.get(mark))
                        .orElseThrow(() -> new IllegalStateException("there is no mark \"" + mark + "\"")))
                .orElse(ImmutableMap.of());
        return counts.entrySet().stream()
                .filter(entry -> isMeant(entry.getKey(), from, to, action))
                .mapToLong(entry -> entry.getValue() - before.getOrDefault(entry.getKey(), 0L))
                .sum();
    }

    private static boolean isMeant(Kind kind, String from, String to, String action) {
        return Globs.matches(from, kind.from())
                && Globs.matches(to, kind.to())
                && (action.equals("mutating") ? kind.mutating() : Globs.matches(action, kind.action()));
    }

    static Call kubernetes(String from, Message request) {
        return Requests.describe(from, "kubernetes", crossing(request));
    }

    /** EC2, and what else answers at the same address: the anchor's stores and queues. */
    static Call cloud(String from, Message request) {
        Request crossing = crossing(request);
        String operation =
                crossing.headers().get("x-amz-target").stream().findFirst().orElse("");
        String service = operation.startsWith("DynamoDB")
                ? "dynamodb"
                : operation.startsWith("AmazonSQS")
                        ? "queue"
                        : crossing.rawPath().equals("/") && request.method().equals("POST") ? "ec2" : "s3";
        return Requests.describe(from, service, crossing);
    }

    private static Request crossing(Message request) {
        ImmutableListMultimap.Builder<String, String> headers = ImmutableListMultimap.builder();
        request.head().lines().skip(1).filter(line -> line.contains(":")).forEach(line -> {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        });
        String target = request.target();
        int query = target.indexOf('?');
        return new Request(
                request.method(),
                query < 0 ? target : target.substring(0, query),
                query < 0 ? "" : target.substring(query + 1),
                headers.build(),
                request.content().getBytes(StandardCharsets.ISO_8859_1),
                Optional.empty());
    }
}
