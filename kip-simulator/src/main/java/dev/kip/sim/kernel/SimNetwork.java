package dev.kip.sim.kernel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * HTTP between simulated processes: requests and every piece of an answer take a drawn time and stay in order on their
 * connection. Everything that crosses is mixed into the trace, except headers that vary with the JVM.
 */
public final class SimNetwork {

    private static final ImmutableList<String> HASHED_HEADERS =
            ImmutableList.of("content-type", "accept", "x-peer", "authorization");

    private final Kernel kernel;
    private final SeededEntropy entropy;
    private final Map<String, Address> addresses = new LinkedHashMap<>();
    private final Map<Counted, Long> counts = new TreeMap<>();
    private final Describe describe;
    private CallFaults faults = CallFaults.NONE;
    private Observer observer = (call, fate) -> {};
    private Handshakes handshakes = (client, to) -> Optional.empty();
    private final List<Filter> filters = new ArrayList<>();
    private final Map<String, Long> watchesHeldUntil = new TreeMap<>();
    private long requests;
    private Predicate<Link> cut = link -> false;
    private Duration slowest = Duration.ofMillis(2);
    private long grain = 1;

    /** @param describe says what a request asks for, so that faults can be anchored to it and counts be read */
    public SimNetwork(Kernel kernel, Describe describe) {
        this.kernel = kernel;
        this.entropy = kernel.entropy("network");
        this.describe = describe;
    }

    /** {@code service} answers at {@code host:port} from now on, for as long as {@code process} lives. */
    public void listen(String host, int port, String name, SimProcess process, HttpService service) {
        addresses.put(host + ":" + port, new Address(name, process, service, Optional.empty()));
    }

    /** As {@link #listen}, presenting a certificate with this fingerprint. */
    public void listen(
            String host, int port, String name, SimProcess process, HttpService service, String fingerprint) {
        addresses.put(host + ":" + port, new Address(name, process, service, Optional.of(fingerprint)));
    }

    public void unlisten(String host, int port) {
        addresses.remove(host + ":" + port);
    }

    /** The fingerprint of the certificate that is presented at {@code host:port} now. */
    public Optional<String> fingerprint(String host, int port) {
        return Optional.ofNullable(addresses.get(host + ":" + port)).flatMap(Address::fingerprint);
    }

    /** Hears of every request as it is sent; what it asks for has not been done yet. */
    public interface Observer {
        void sent(Call call, Fate fate);
    }

    public void observe(Observer observer) {
        this.observer = observer;
    }

    /** Says whether the two come to terms before anything is asked, as TLS does. */
    public interface Handshakes {

        /**
         * @param to the name of the service
         * @return why the client hangs up; empty if it does not
         */
        Optional<? extends IOException> refused(SimProcess client, String to);
    }

    public void handshakes(Handshakes handshakes) {
        this.handshakes = handshakes;
    }

    /** Stands before every service: sees requests as they arrive, and what is answered. */
    public interface Filter {

        /**
         * Passes the call on, as it is or otherwise, or answers it itself. A call that is neither passed on nor answered
         * is never answered.
         */
        void serve(Call call, HttpCall http, HttpService service);
    }

    /**
     * @param filter stands before those that stand there already
     * @return takes it away again
     */
    public Runnable filter(Filter filter) {
        filters.add(filter);
        return () -> filters.remove(filter);
    }

    private HttpService filtered(Call call, HttpService service) {
        HttpService filtered = service;
        for (Filter filter : filters) {
            HttpService inner = filtered;
            filtered = http -> filter.serve(call, http, inner);
        }
        return filtered;
    }

    public void faults(CallFaults faults) {
        this.faults = faults;
    }

    /** Links for which {@code cut} holds lose every packet, in this direction. */
    public void partition(Predicate<Link> cut) {
        this.cut = cut;
    }

    /** What watches tell {@code client} from now on arrives late, in order, when {@code length} has passed. */
    public void holdWatches(String client, Duration length) {
        watchesHeldUntil.put(client, kernel.nanos() + length.toNanos());
    }

    /** One way takes between a tenth of this and this. */
    public void latency(Duration slowest) {
        this.slowest = slowest;
    }

    /** Arrivals fall on multiples of this, so that more of them coincide. */
    public void grain(Duration multiple) {
        this.grain = Math.max(1, multiple.toNanos());
    }

    /** How many requests of each kind were sent. */
    public ImmutableMap<Counted, Long> counts() {
        return ImmutableMap.copyOf(counts);
    }

    /** How many requests were sent. */
    public long requests() {
        return requests;
    }

    /** A kind of request. */
    public record Counted(String from, String to, String action, boolean mutating) implements Comparable<Counted> {

        private static final Comparator<Counted> ORDER = Comparator.comparing(Counted::from)
                .thenComparing(Counted::to)
                .thenComparing(Counted::action)
                .thenComparing(Counted::mutating);

        @Override
        public int compareTo(Counted other) {
            return ORDER.compare(this, other);
        }
    }

    /** A direction between two processes or services. */
    public record Link(String from, String to) {}

    /** Reads what a request asks for. */
    public interface Describe {
        Call describe(String from, String to, Request request);
    }

    /** A request as it crosses. Header names are in lower case. */
    public record Request(
            String method,
            String rawPath,
            String rawQuery,
            ImmutableListMultimap<String, String> headers,
            byte[] body,
            Optional<String> peer) {}

    /** What the sender hears, on its loop. */
    interface Answer {
        void head(int status, ImmutableMap<String, String> headers);

        void piece(byte[] piece);

        void end();

        void broken(IOException reason);
    }

    private record Address(String name, SimProcess process, HttpService service, Optional<String> fingerprint) {}

    /** Sends; {@code answer} is called on the sender's loop. Returns a handle that hangs up. */
    SimExchange send(SimProcess from, URI uri, Request request, Answer answer) {
        Address address = addresses.get(uri.getHost() + ":" + uri.getPort());
        String to = address == null ? "nowhere" : address.name;
        Call call = describe.describe(from.name(), to, request);
        count(call);
        long id = requests;
        boolean watch = request.rawQuery().contains("watch=true");
        SimExchange exchange = new SimExchange(
                kernel,
                from,
                this::latency,
                answer,
                link(from.name(), to),
                () -> watch ? watchesHeldUntil.getOrDefault(from.name(), 0L) : 0L,
                id);
        Fate fate = fate(call);
        note(call, request, fate);
        if (fate == Fate.SENDER_DIES_BEFORE) {
            from.kill();
            return exchange;
        }
        if (fate == Fate.SILENCE) {
            return exchange;
        }
        if (address == null || !address.process.alive() || fate == Fate.REQUEST_LOST) {
            exchange.breakOff(new IOException(
                    fate == Fate.REQUEST_LOST
                            ? "connection reset"
                            : "connection refused: " + uri.getHost() + ":" + uri.getPort()));
            return exchange;
        }
        Optional<? extends IOException> refused = handshakes.refused(from, to);
        if (refused.isPresent()) {
            exchange.breakOff(refused.get());
            return exchange;
        }
        kernel.schedule(latency(), () -> {
            witness().arrived(kernel.elapsed(), id);
            if (!address.process.alive()) {
                exchange.breakOff(new IOException("connection reset"));
                return;
            }
            exchange.onServerClose(
                    address.process.onDeath(() -> exchange.breakOff(new IOException("connection reset"))));
            if (fate == Fate.REPLY_LOST) {
                exchange.loseAnswer(new IOException("connection reset before the answer"));
            }
            filtered(call, address.service).handle(SimCall.over(exchange, request));
            if (fate == Fate.SENDER_DIES_AFTER) {
                from.kill();
            }
        });
        return exchange;
    }

    /**
     * Sends and answers at this very instant, for a blocking client inside an offloaded call (the call itself takes the
     * drawn time).
     *
     * @throws IOException as the sender would see it
     */
    SimCall.Whole exchangeNow(SimProcess from, URI uri, Request request) throws IOException {
        Address address = addresses.get(uri.getHost() + ":" + uri.getPort());
        String to = address == null ? "nowhere" : address.name;
        Call call = describe.describe(from.name(), to, request);
        count(call);
        Fate fate = fate(call);
        note(call, request, fate);
        if (fate == Fate.SENDER_DIES_BEFORE) {
            from.kill();
        }
        if (fate == Fate.SILENCE) {
            throw new Silence();
        }
        if (fate == Fate.SENDER_DIES_BEFORE || fate == Fate.REQUEST_LOST) {
            throw new IOException("connection reset");
        }
        if (address == null || !address.process.alive()) {
            throw new IOException("connection refused: " + uri.getHost() + ":" + uri.getPort());
        }
        long id = requests;
        witness().arrived(kernel.elapsed(), id);
        SimCall.Whole whole = SimCall.answerNow(filtered(call, address.service), request, !filters.isEmpty());
        kernel.trace().mix(whole.status());
        kernel.trace().mix(whole.body());
        if (fate == Fate.SENDER_DIES_AFTER) {
            from.kill();
        }
        witness().answered(kernel.elapsed(), id, fate == Fate.REPLY_LOST ? 0 : whole.status());
        if (fate == Fate.REPLY_LOST) {
            throw new IOException("connection reset before the answer");
        }
        return whole;
    }

    /** No answer will ever come. */
    static final class Silence extends IOException {
        private static final long serialVersionUID = 1L;

        Silence() {
            super("no answer ever comes");
        }
    }

    Duration latency() {
        long most = slowest.toNanos();
        long drawn = most / 10 + entropy.below(Math.max(1, most - most / 10));
        long beyond = (kernel.nanos() + drawn) % grain;
        return Duration.ofNanos(beyond == 0 ? drawn : drawn + grain - beyond);
    }

    /** Where the way is cut, silence. The story's faults are asked all the same: they count requests. */
    private Fate fate(Call call) {
        Fate fate = faults.fateOf(call);
        boolean dies = fate == Fate.SENDER_DIES_BEFORE || fate == Fate.SENDER_DIES_AFTER;
        Fate result = !dies && cut.test(new Link(call.from(), call.to())) ? Fate.SILENCE : fate;
        observer.sent(call, result);
        return result;
    }

    private Predicate<Boolean> link(String from, String to) {
        return towardsServer -> cut.test(towardsServer ? new Link(from, to) : new Link(to, from));
    }

    private void count(Call call) {
        requests++;
        counts.merge(new Counted(call.from(), call.to(), call.action(), call.mutating()), 1L, Long::sum);
    }

    private Witness witness() {
        return kernel.trace().witness();
    }

    private void note(Call call, Request request, Fate fate) {
        witness().sent(kernel.elapsed(), requests, call, fate);
        Trace trace = kernel.trace();
        trace.mix(call.from());
        trace.mix(request.method());
        trace.mix(request.rawPath());
        trace.mix(request.rawQuery());
        for (String header : HASHED_HEADERS) {
            request.headers().get(header).forEach(trace::mix);
        }
        trace.mix(request.body());
        boolean worthALine = call.mutating() || fate != Fate.SILENCE; // a long cut swallows much
        if (fate != Fate.ARRIVES && worthALine) {
            trace.line(
                    kernel.elapsed(),
                    "fault",
                    fate + ": " + call.from() + " -> " + call.to() + " " + call.action() + " " + call.target());
        } else if (call.mutating()) {
            trace.line(kernel.elapsed(), call.from(), call.action() + " " + call.target());
        }
    }
}
