package dev.kip.cell.wire;

import dev.kip.cell.CellAddress;
import dev.kip.cell.CellApi;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.Exchange.Answer;
import dev.kip.cell.wire.Wire.GrantRequest;
import dev.kip.entropy.Entropy;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Cells over HTTPS. The first request to a cell, and the first after its certificate was not the expected one, is preceded
 * by the question who it is; what is proved is remembered. Nothing else is remembered, and nothing is retried.
 */
public final class HttpCellApi implements CellApi {

    private static final Duration ASKING = Duration.ofSeconds(10);
    private static final Duration ORDER = Duration.ofSeconds(15);
    private static final Duration BEYOND_WAIT = Duration.ofSeconds(10);
    private static final int NONCE_BYTES = 16;

    /** Questions at a time: after a restart every cell is asked, and a handshake costs milliseconds of processor time. */
    private static final int QUESTIONS = 32;

    /** Cells remembered; the least recently used is forgotten, at the cost of one question. */
    private static final int REMEMBERED = 20_000;

    private static final String NOTHING = "";

    private final CellClients clients;
    private final Loop loop;
    private final Entropy entropy;
    private final InstallationKeys keys;
    private final PeerCertificates peers;
    private final AddressMap addresses;
    private final Map<String, Proven> provenByAddress = new LinkedHashMap<>(16, 0.75f, true);

    /** Instance ids of cells that have shown a granted pod, see {@link #judge}. */
    private final Map<String, Boolean> granted = new LinkedHashMap<>(16, 0.75f, true);

    private final Map<CellAddress, CompletableFuture<Outcome<Proven, CellError>>> asking = new LinkedHashMap<>();
    private final Deque<CellAddress> queue = new ArrayDeque<>();
    private int underway;

    public HttpCellApi(
            CellClients clients,
            Loop loop,
            Entropy entropy,
            InstallationKeys keys,
            PeerCertificates peers,
            AddressMap addresses) {
        this.clients = clients;
        this.loop = loop;
        this.entropy = entropy;
        this.keys = keys;
        this.peers = peers;
        this.addresses = addresses;
    }

    /** Who was proved to answer at an address. */
    private record Proven(String instanceId, String fingerprint) {}

    /** @param body empty for none */
    private record Order(String method, String path, String query, String body, Duration deadline) {}

    @Override
    public CompletionStage<Outcome<CellReport, CellError>> watch(CellAddress cell, long seen, Duration wait) {
        return send(
                cell,
                new Order(
                        "GET",
                        Wire.STATE,
                        "&" + Wire.SEEN + "=" + seen + "&" + Wire.WAIT + "=" + wait.toSeconds(),
                        NOTHING,
                        wait.plus(BEYOND_WAIT)));
    }

    @Override
    public CompletionStage<Outcome<CellReport, CellError>> grant(CellAddress cell, Grant grant) {
        String body = text(Wire.encode(new GrantRequest(grant, keys.cellSecret(cell.instanceId()))));
        return send(cell, new Order("PUT", Wire.POD, "", body, ORDER));
    }

    @Override
    public CompletionStage<Outcome<CellReport, CellError>> end(CellAddress cell, EndOrder order) {
        return send(cell, new Order("POST", Wire.END, "", text(Wire.encode(order)), ORDER));
    }

    private CompletionStage<Outcome<CellReport, CellError>> send(CellAddress cell, Order order) {
        CellAddress target = addresses.resolve(cell);
        CompletableFuture<Outcome<CellReport, CellError>> result = new CompletableFuture<>();
        @Nullable Proven known = provenByAddress.get(authority(target));
        if (known != null && known.instanceId().equals(target.instanceId())) {
            carryOut(target, known, order, result);
        } else {
            prove(target)
                    .thenAccept(outcome -> outcome.on(
                            proven -> carryOut(target, proven, order, result),
                            error -> result.complete(Outcome.failed(error))));
        }
        return result;
    }

    private void carryOut(
            CellAddress target, Proven proven, Order order, CompletableFuture<Outcome<CellReport, CellError>> result) {
        if (otherIsPresented(target, proven)) {
            result.complete(Outcome.failed(disown(target, "another certificate is presented there")));
            return;
        }
        String uri = "https://" + authority(target) + order.path() + "?" + Wire.INSTANCE + "="
                + URLEncoder.encode(target.instanceId(), StandardCharsets.UTF_8) + order.query();
        Exchange.send(clients.pinned(), loop, order.method(), uri, order.body(), order.deadline())
                .thenAccept(outcome -> result.complete(outcome.fold(
                        answer -> understand(target, answer),
                        failure -> Outcome.failed(missed(target, proven, failure)))));
    }

    private Outcome<CellReport, CellError> understand(CellAddress target, Answer answer) {
        try {
            if (answer.status() != 200) {
                return Outcome.failed(refusal(target, Wire.decodeProblem(bytes(answer))));
            }
            CellReport report = Wire.decodeReport(bytes(answer));
            if (!report.instanceId().equals(target.instanceId())) {
                return Outcome.failed(disown(target, "it reports as " + report.instanceId()));
            }
            if (report.pod().isPresent()) {
                remember(granted, target.instanceId(), true);
            }
            return Outcome.ok(report);
        } catch (IllegalArgumentException e) {
            return Outcome.failed(new CellError.Unreachable(describe(target) + " answers HTTP " + answer.status()
                    + " and no message of ours: " + e.getMessage()));
        }
    }

    private CellError refusal(CellAddress target, Problem problem) {
        String message = describe(target) + ": " + problem.message();
        return switch (problem.reason()) {
            case FENCED -> new CellError.Fenced(problem.highestEpoch(), message);
            case OTHER_CELL -> disown(target, problem.message());
            case BAD_REQUEST, NOT_FOUND, METHOD_NOT_ALLOWED, OTHER_POD, INVALID_BUNDLE, FAILING ->
                new CellError.Refused(message);
        };
    }

    /** No answer. If it was the certificate, the cell's place is taken; the next request asks again who is there. */
    private CellError missed(CellAddress target, Proven proven, String failure) {
        if (otherIsPresented(target, proven)) {
            return disown(target, "another certificate is presented there");
        }
        return new CellError.Unreachable(describe(target) + ": " + failure);
    }

    private CompletionStage<Outcome<Proven, CellError>> prove(CellAddress target) {
        @Nullable CompletableFuture<Outcome<Proven, CellError>> already = asking.get(target);
        if (already != null) {
            return already;
        }
        CompletableFuture<Outcome<Proven, CellError>> result = new CompletableFuture<>();
        asking.put(target, result);
        queue.add(target);
        askNext();
        return result;
    }

    private void askNext() {
        while (underway < QUESTIONS && !queue.isEmpty()) {
            underway++;
            ask(queue.remove());
        }
    }

    private void ask(CellAddress target) {
        String nonce = HexFormat.of().formatHex(entropy.bytes(NONCE_BYTES));
        String uri = "https://" + authority(target) + Wire.IDENTITY + "?" + Wire.NONCE + "=" + nonce;
        Exchange.sendOnce(clients.asking(), loop, uri, ASKING).thenAccept(outcome -> {
            underway--;
            Optional.ofNullable(asking.remove(target))
                    .ifPresent(result -> result.complete(outcome.fold(
                            answer -> judge(target, nonce, answer),
                            failure -> Outcome.failed(new CellError.Unreachable(describe(target) + ": " + failure)))));
            askNext();
        });
    }

    private Outcome<Proven, CellError> judge(CellAddress target, String nonce, Answer answer) {
        if (answer.status() != 200) {
            return Outcome.failed(disown(target, "asked who it is, it answers HTTP " + answer.status()));
        }
        Identity identity;
        try {
            identity = Wire.decodeIdentity(bytes(answer));
        } catch (IllegalArgumentException e) {
            return Outcome.failed(disown(target, e.getMessage()));
        }
        Optional<String> doubt = keys.doubt(target.instanceId(), nonce, identity);
        if (doubt.isPresent()) {
            return Outcome.failed(disown(target, doubt.get()));
        }
        Proven proven = new Proven(target.instanceId(), identity.fingerprint());
        if (otherIsPresented(target, proven)) {
            return Outcome.failed(disown(target, "the proof is for another certificate than the one presented there"));
        }
        if (identity.by() == Identity.By.ENROLMENT && granted.containsKey(target.instanceId())) {
            // Every pod on a cell of the template can read the template's secret; only an inert cell may use it.
            return Outcome.failed(disown(target, "it does not know the secret that came with its grant"));
        }
        peers.expect(target.host(), target.port(), identity.fingerprint());
        remember(provenByAddress, authority(target), proven);
        return Outcome.ok(proven);
    }

    private boolean otherIsPresented(CellAddress target, Proven proven) {
        return peers.presented(target.host(), target.port())
                .filter(fingerprint -> !fingerprint.equals(proven.fingerprint()))
                .isPresent();
    }

    private static <V> void remember(Map<String, V> map, String key, V value) {
        map.put(key, value);
        if (map.size() > REMEMBERED) {
            map.remove(map.keySet().iterator().next());
        }
    }

    private CellError disown(CellAddress target, @Nullable String why) {
        provenByAddress.remove(authority(target));
        peers.forget(target.host(), target.port());
        return new CellError.NotThatCell(
                "what answers at " + authority(target) + " is not cell " + target.instanceId() + ": " + why);
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(Answer answer) {
        return answer.body().getBytes(StandardCharsets.UTF_8);
    }

    private static String describe(CellAddress target) {
        return "cell " + target.instanceId() + " at " + authority(target);
    }

    private static String authority(CellAddress target) {
        return (target.host().contains(":") ? "[" + target.host() + "]" : target.host()) + ":" + target.port();
    }
}
