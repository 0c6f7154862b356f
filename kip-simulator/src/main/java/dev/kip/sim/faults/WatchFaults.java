package dev.kip.sim.faults;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.sim.kernel.CallFaults.Call;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Predicate;

/** Watches that lie by silence, end, or come late. */
final class WatchFaults {

    private WatchFaults() {}

    static ImmutableList<FaultKind> all() {
        return ImmutableList.of(
                new ReplicaRestarts(),
                new Stalls(),
                new ClosesAtOnce(),
                new GoneOnRequest(),
                new GoneAsEvent(),
                new TooLargeVersion(),
                new Late(),
                new MissesChanges(),
                new OneKindStale(),
                new IdleTimeout());
    }

    private static Predicate<Call> reads(Strike strike) {
        return strike.toKubernetes().and(call -> call.action().startsWith("GET"));
    }

    /** Watches that are asked for anew. */
    private static void newWatches(Strike strike, int status, String reason, String message) {
        strike.serve(reads(strike), (call, http, service) -> {
            if (http.query().containsEntry("watch", "true")) {
                http.respond(
                        status,
                        ImmutableMap.of("content-type", "application/json"),
                        Strike.statusText(status, reason, message).getBytes(StandardCharsets.UTF_8));
            } else {
                service.handle(http);
            }
        });
        abortAll(strike);
    }

    private static void abortAll(Strike strike) {
        for (Watches.Open watch : strike.site().watches().open(strike.toKubernetes())) {
            strike.hit("a watch breaks");
            watch.abort();
        }
    }

    private abstract static class OfWatches extends FaultKind {
        OfWatches(String id, String word, String why) {
            super(id, word, Area.WATCH, why);
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }
    }

    static final class ReplicaRestarts extends OfWatches {
        ReplicaRestarts() {
            super(
                    "F26",
                    "api-replicas-roll",
                    "Replicas of the API server restart one after the other: all watches break each time.");
        }

        @Override
        void strike(Strike strike) {
            strike.every(Duration.ofSeconds(20), () -> abortAll(strike));
        }
    }

    static final class Stalls extends OfWatches {
        Stalls() {
            super("F34", "watch-stalls", "It is open, says nothing and does not end: it looks as if nothing happened.");
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(6);
        }

        @Override
        void strike(Strike strike) {
            for (Watches.Open watch : strike.site().watches().open(strike.toKubernetes())) {
                strike.hit("a watch falls silent");
                watch.stall();
            }
        }
    }

    static final class ClosesAtOnce extends OfWatches {
        ClosesAtOnce() {
            super(
                    "F35",
                    "watch-closes-at-once",
                    "Every watch ends as soon as it began, without a word: no reason to ask without pause.");
        }

        @Override
        void strike(Strike strike) {
            strike.serve(reads(strike), (call, http, service) -> {
                if (http.query().containsEntry("watch", "true")) {
                    http.stream(200, ImmutableMap.of("content-type", "application/json"))
                            .end();
                } else {
                    service.handle(http);
                }
            });
            strike.site().watches().open(strike.toKubernetes()).forEach(Watches.Open::end);
        }
    }

    static final class GoneOnRequest extends OfWatches {
        GoneOnRequest() {
            super(
                    "F36",
                    "watch-gone",
                    "History was compacted while nobody watched: the answer is 410, and all must be listed.");
        }

        @Override
        int times() {
            return 12;
        }

        @Override
        void strike(Strike strike) {
            newWatches(strike, 410, "Expired", "too old resource version: 1 (100)");
        }
    }

    static final class GoneAsEvent extends OfWatches {
        GoneAsEvent() {
            super("F36", "watch-gone-as-event", "The same comes as an event of a watch that was answered with 200.");
        }

        @Override
        void strike(Strike strike) {
            for (Watches.Open watch : strike.site().watches().open(strike.toKubernetes())) {
                strike.hit("410 as an event");
                watch.tell(("{\"type\":\"ERROR\",\"object\":"
                                + Strike.statusText(410, "Expired", "too old resource version: 1 (100)") + "}\n")
                        .getBytes(StandardCharsets.UTF_8));
                watch.end();
            }
        }
    }

    static final class TooLargeVersion extends OfWatches {
        TooLargeVersion() {
            super(
                    "F36",
                    "watch-version-too-large",
                    "A replica that lags has not seen the version that another one told.");
        }

        @Override
        Duration length() {
            return Duration.ofSeconds(20);
        }

        @Override
        void strike(Strike strike) {
            newWatches(strike, 504, "Timeout", "Too large resource version: 999999, current: 7");
        }
    }

    static final class Late extends OfWatches {
        Late() {
            super(
                    "F37",
                    "watch-late",
                    "Nothing for a minute, then everything at once; requests are answered meanwhile.");
        }

        @Override
        void strike(Strike strike) {
            strike.hit("the watches of " + strike.controllers() + " are held");
            strike.world()
                    .holdWatches(strike.controllers().equals("kip*") ? "kip-*" : strike.controllers(), strike.length());
        }
    }

    static final class MissesChanges extends OfWatches {
        MissesChanges() {
            super(
                    "F38",
                    "watch-misses-changes",
                    "What came and went while a watch was away is told by no list either.");
        }

        @Override
        Duration length() {
            return Duration.ofSeconds(30);
        }

        @Override
        void strike(Strike strike) {
            newWatches(strike, 503, "ServiceUnavailable", "not yet");
            strike.world().objects("pod").stream()
                    .filter(pod -> pod.at("/metadata/name").asString("").startsWith("nginx"))
                    .findFirst()
                    .ifPresent(pod -> strike.world()
                            .delete(
                                    "a",
                                    "pod",
                                    "default",
                                    pod.at("/metadata/name").asString(""),
                                    java.util.Optional.of(0L)));
        }
    }

    static final class OneKindStale extends OfWatches {
        OneKindStale() {
            super(
                    "F45",
                    "watch-one-kind-stale",
                    "Pods are old and Cells are new: two caches need not be of one moment.");
        }

        @Override
        Moment moment() {
            return Moment.ENDING;
        }

        @Override
        void strike(Strike strike) {
            Predicate<Call> pods =
                    strike.toKubernetes().and(call -> call.action().equals("GET pods"));
            for (Watches.Open watch : strike.site().watches().open(pods)) {
                strike.hit("the watch of pods falls silent");
                watch.stall();
                strike.later(strike.length(), watch::abort);
            }
        }
    }

    static final class IdleTimeout extends OfWatches {
        IdleTimeout() {
            super(
                    "F52",
                    "watch-idle-timeout",
                    "A load balancer ends every connection after half a minute, for as long as one looks.");
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(10);
        }

        @Override
        void strike(Strike strike) {
            strike.every(Duration.ofSeconds(30), () -> {
                for (HttpCall.ResponseStream watch : strike.site().watches().open(strike.toKubernetes())) {
                    strike.hit("a connection is ended");
                    watch.end();
                }
            });
        }
    }
}
