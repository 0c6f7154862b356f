package dev.kip.sim.faults;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Predicate;

/** What an API server answers on a bad day, to requests that are no watches. */
final class ApiServerFaults {

    private ApiServerFaults() {}

    static ImmutableList<FaultKind> all() {
        return ImmutableList.of(
                new Outage(),
                new ReplyLost(),
                new RequestLost(),
                new Twice(),
                new Slow(),
                new SlowBody(),
                new TooManyRequests(),
                new TooManyRequestsUnsaid(),
                new ServerError(),
                new BadGateway(),
                new Unavailable(),
                new GatewayTimeout(),
                new Unauthorized(),
                new Forbidden(),
                new ContinueExpired(),
                new ConflictStorm(),
                new WebhookDown(),
                new WebhookDenies(),
                new QuotaExceeded(),
                new DefinitionMissing());
    }

    private static Predicate<Call> unlessLease(Predicate<Call> which) {
        return which.and(call -> !call.action().contains("leases"));
    }

    static final class Outage extends FaultKind {
        Outage() {
            super(
                    "F25",
                    "api-outage",
                    Area.API_SERVER,
                    "Control planes are upgraded, and sometimes they are just gone.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(5);
        }

        @Override
        void strike(Strike strike) {
            strike.fate(strike.toKubernetes(), Fate.REQUEST_LOST);
            strike.site().watches().open(strike.toKubernetes()).forEach(HttpCall.ResponseStream::abort);
        }
    }

    static final class ReplyLost extends FaultKind {
        ReplyLost() {
            super(
                    "F27",
                    "api-reply-lost",
                    Area.API_SERVER,
                    "The write is there, and who wrote it hears of a broken connection: a second try meets its own work.");
        }

        @Override
        int times() {
            return 6;
        }

        @Override
        void strike(Strike strike) {
            strike.fate(unlessLease(strike.writes()), Fate.REPLY_LOST);
        }
    }

    static final class RequestLost extends FaultKind {
        RequestLost() {
            super(
                    "F27",
                    "api-request-lost",
                    Area.API_SERVER,
                    "It looks the same to the sender as a lost reply, and nothing is there.");
        }

        @Override
        int times() {
            return 6;
        }

        @Override
        void strike(Strike strike) {
            strike.fate(unlessLease(strike.writes()), Fate.REQUEST_LOST);
        }
    }

    static final class Twice extends FaultKind {
        Twice() {
            super("F28", "api-request-twice", Area.API_SERVER, "A proxy that retries sends what was sent once.");
        }

        @Override
        int times() {
            return 12;
        }

        @Override
        void strike(Strike strike) {
            strike.serve(unlessLease(strike.writes()), (call, http, service) -> {
                service.handle(Passing.intoTheVoid(http));
                service.handle(http);
            });
        }
    }

    static final class Slow extends FaultKind {
        Slow() {
            super(
                    "F29",
                    "api-slow",
                    Area.API_SERVER,
                    "Answers that come after the client has given up, for things that were done.");
        }

        @Override
        int times() {
            return 8;
        }

        @Override
        void strike(Strike strike) {
            strike.serve(
                    unlessLease(strike.writes()),
                    (call, http, service) -> service.handle(new Passing(http) {
                        @Override
                        public void respond(int status, ImmutableMap<String, String> headers, byte[] body) {
                            strike.later(Duration.ofSeconds(40), () -> super.respond(status, headers, body));
                        }
                    }));
        }
    }

    static final class SlowBody extends FaultKind {
        SlowBody() {
            super(
                    "F29",
                    "api-answer-stalls",
                    Area.API_SERVER,
                    "The head of an answer and half of its body, and then nothing: a timeout of headers does not end it.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        int times() {
            return 6;
        }

        @Override
        void strike(Strike strike) {
            strike.serve(
                    strike.writes(),
                    (call, http, service) -> service.handle(new Passing(http) {
                        @Override
                        public void respond(int status, ImmutableMap<String, String> headers, byte[] body) {
                            super.stream(status, headers).write(Arrays.copyOf(body, body.length / 2));
                        }
                    }));
        }
    }

    /** Every request gets one and the same refusal. */
    private abstract static class Refusing extends FaultKind {
        Refusing(String id, String word, String why) {
            super(id, word, Area.API_SERVER, why);
        }

        @Override
        Duration length() {
            return Duration.ofSeconds(40);
        }
    }

    static final class TooManyRequests extends Refusing {
        TooManyRequests() {
            super(
                    "F30",
                    "api-too-many-requests",
                    "Priority and fairness sends clients away, and tells them for how long.");
        }

        @Override
        void strike(Strike strike) {
            strike.answer(
                    unlessLease(strike.toKubernetes()),
                    429,
                    ImmutableMap.of("content-type", "application/json", "retry-after", "3"),
                    Strike.statusText(429, "TooManyRequests", "too many requests, please try again later"));
        }
    }

    static final class TooManyRequestsUnsaid extends Refusing {
        TooManyRequestsUnsaid() {
            super("F30", "api-throttled-without-a-word", "A load balancer's 429 says neither why nor for how long.");
        }

        @Override
        void strike(Strike strike) {
            strike.answer(
                    unlessLease(strike.toKubernetes()),
                    429,
                    "text/plain",
                    "Too many requests, please try again later.\n");
        }
    }

    static final class ServerError extends Refusing {
        ServerError() {
            super("F31", "api-internal-error", "etcd without a leader answers every write so.");
        }

        @Override
        void strike(Strike strike) {
            strike.status(strike.toKubernetes(), 500, "InternalError", "etcdserver: leader changed");
        }
    }

    static final class BadGateway extends Refusing {
        BadGateway() {
            super("F31", "api-bad-gateway", "What answers is a load balancer, and it speaks HTML.");
        }

        @Override
        void strike(Strike strike) {
            strike.answer(
                    strike.toKubernetes(),
                    502,
                    "text/html",
                    "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>");
        }
    }

    static final class Unavailable extends Refusing {
        Unavailable() {
            super(
                    "F31",
                    "api-unavailable",
                    "An API server that shuts down says so, or its load balancer has none left.");
        }

        @Override
        void strike(Strike strike) {
            strike.status(strike.toKubernetes(), 503, "ServiceUnavailable", "apiserver is shutting down");
        }
    }

    static final class GatewayTimeout extends FaultKind {
        GatewayTimeout() {
            super(
                    "F31",
                    "api-gateway-timeout",
                    Area.API_SERVER,
                    "504 is no refusal: the write may have been done, and was.");
        }

        @Override
        int times() {
            return 8;
        }

        @Override
        void strike(Strike strike) {
            strike.serve(unlessLease(strike.writes()), (call, http, service) -> {
                service.handle(Passing.intoTheVoid(http));
                http.respond(
                        504,
                        ImmutableMap.of("content-type", "application/json"),
                        Strike.statusText(504, "Timeout", "request did not complete within requested timeout")
                                .getBytes(StandardCharsets.UTF_8));
            });
        }
    }

    static final class Unauthorized extends Refusing {
        Unauthorized() {
            super("F32", "api-unauthorized", "A token is over, and the next one is not mounted yet.");
        }

        @Override
        void strike(Strike strike) {
            strike.status(strike.toKubernetes(), 401, "Unauthorized", "Unauthorized");
        }
    }

    static final class Forbidden extends Refusing {
        Forbidden() {
            super("F32", "api-forbidden", "Somebody edits a role: reading goes on, writing does not.");
        }

        @Override
        void strike(Strike strike) {
            strike.status(unlessLease(strike.writes()), 403, "Forbidden", "is forbidden: no RBAC policy matched");
        }
    }

    static final class ContinueExpired extends FaultKind {
        ContinueExpired() {
            super(
                    "F39",
                    "api-list-expires",
                    Area.API_SERVER,
                    "The rest of a long list is gone, because etcd was compacted: half a list is not a list.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        Duration length() {
            return Duration.ofSeconds(90);
        }

        @Override
        int times() {
            return 3;
        }

        @Override
        void strike(Strike strike) {
            strike.serve(
                    strike.toKubernetes().and(call -> call.action().equals("GET pods")),
                    (call, http, service) -> http.respond(
                            410,
                            ImmutableMap.of("content-type", "application/json"),
                            Strike.statusText(410, "Expired", "The provided continue parameter is too old")
                                    .getBytes(StandardCharsets.UTF_8)));
            strike.site().watches().open(strike.toKubernetes()).forEach(HttpCall.ResponseStream::abort);
        }
    }

    static final class ConflictStorm extends FaultKind {
        ConflictStorm() {
            super(
                    "F40",
                    "api-conflicts",
                    Area.API_SERVER,
                    "Somebody else writes the same object all the time: a write that insists on a version loses.");
        }

        @Override
        int times() {
            return 10;
        }

        @Override
        void strike(Strike strike) {
            strike.status(
                    unlessLease(strike.writes())
                            .and(call -> call.action().startsWith("PUT")
                                    || call.action().startsWith("PATCH")),
                    409,
                    "Conflict",
                    "the object has been modified; please apply your changes to the latest version and try again");
        }
    }

    static final class WebhookDown extends FaultKind {
        WebhookDown() {
            super("F41", "api-webhook-down", Area.API_SERVER, "A policy engine that is down refuses every create.");
        }

        @Override
        void strike(Strike strike) {
            strike.status(
                    strike.writes()
                            .and(call -> call.action().equals("POST cells")
                                    || call.action().equals("POST launchbatches")),
                    500,
                    "InternalError",
                    "failed calling webhook \\\"policy.example.com\\\": no endpoints available");
        }
    }

    static final class WebhookDenies extends FaultKind {
        WebhookDenies() {
            super("F41", "api-webhook-denies", Area.API_SERVER, "A policy that nobody told of our kinds forbids them.");
        }

        @Override
        void strike(Strike strike) {
            strike.status(
                    strike.writes()
                            .and(call -> call.action().contains("cells")
                                    || call.action().contains("launchbatches")),
                    403,
                    "Forbidden",
                    "admission webhook \\\"policy.example.com\\\" denied the request: label team is missing");
        }
    }

    static final class QuotaExceeded extends FaultKind {
        QuotaExceeded() {
            super("F42", "api-quota-exceeded", Area.API_SERVER, "A quota of objects is used up by somebody else.");
        }

        @Override
        void strike(Strike strike) {
            strike.status(
                    strike.writes()
                            .and(call -> call.action().startsWith("POST")
                                    && !call.action().contains("leases")),
                    403,
                    "Forbidden",
                    "exceeded quota: objects, requested: count/cells=1, used: count/cells=10, limited: 10");
        }
    }

    static final class DefinitionMissing extends FaultKind {
        DefinitionMissing() {
            super("F43", "api-kind-unknown", Area.API_SERVER, "The definition of Cells is not served for a while.");
        }

        @Override
        void strike(Strike strike) {
            strike.answer(
                    strike.toKubernetes().and(call -> call.action().contains(" cells")),
                    404,
                    "text/plain",
                    "404 page not found\n");
        }
    }
}
