package dev.kip.checkpointer.agent;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.bundle.PodBundle;
import dev.kip.cell.CellReport;
import dev.kip.cell.CellReport.Kubelet;
import dev.kip.cell.CellReport.PodReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.AgentEndpoint;
import dev.kip.cell.wire.DeadMan;
import dev.kip.cell.wire.Identity;
import dev.kip.cell.wire.Problem;
import dev.kip.cell.wire.Problem.Reason;
import dev.kip.cell.wire.Secret;
import dev.kip.cell.wire.SelfSigned;
import dev.kip.cell.wire.Wire.GrantRequest;
import dev.kip.checkpointer.agent.AgentBook.Ending;
import dev.kip.checkpointer.agent.AgentBook.Granted;
import dev.kip.checkpointer.agent.AgentBook.Started;
import dev.kip.checkpointer.agent.PodWatch.Sight;
import dev.kip.checkpointer.cri.PodRuntime;
import dev.kip.checkpointer.generation.Trees;
import dev.kip.disk.Disk;
import dev.kip.entropy.Entropy;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import dev.kip.loop.Offload;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The node agent of a cell, from one start to the next: takes one grant in the cell's life, lays the pod's files out, lets
 * kubelet run it, tells how it fares, ends it. What must survive is in its {@link AgentBook}. Confined to its loop.
 */
public final class Agent implements HttpService, AgentEndpoint.Agent {

    private static final Logger LOG = LoggerFactory.getLogger(Agent.class);

    /** Leaves room for the changes of a start, so that sequences grow over starts without a write for each. */
    private static final long SEQUENCES_PER_BOOT = 1_000_000;

    private static final Duration SOON = Duration.ofMillis(300);
    private static final Duration LIVELY = Duration.ofSeconds(1);
    private static final Duration CALM = Duration.ofSeconds(3);

    /** After a change, others are to be expected. */
    private static final Duration CALMS_AFTER = Duration.ofSeconds(60);

    /** When a kubelet that does not answer counts as lost, as a node does. */
    private static final Duration LOST_AFTER = Duration.ofSeconds(40);

    /** Kubelet has read its directory in a second. */
    private static final Duration REFUSED_AFTER = Duration.ofSeconds(60);

    private static final Duration AGAIN = Duration.ofSeconds(2);

    private final AgentSettings settings;
    private final Seams seams;
    private final Loop loop;
    private final AgentBook book;
    private final CellFiles files;
    private final AgentEndpoint endpoint;
    private final DeadMan deadMan;
    private Optional<CellStatus> words = Optional.empty();
    private Optional<PodWatch> watch = Optional.empty();
    private Optional<Departure> departure = Optional.empty();
    private Optional<ObjectNode> seen = Optional.empty();
    private ObjectNode status = Trees.empty();
    private long sequence;
    private long changedAt;
    private long answeredAt;
    private long shownAt;

    /**
     * The ways out of the agent.
     *
     * @param shutdown ends the machine
     */
    public record Seams(
            Loop loop,
            Offload offload,
            Disk disk,
            Entropy entropy,
            KubeletPods kubelet,
            PodRuntime runtime,
            Runnable shutdown) {}

    /**
     * Reads what is on the disk.
     *
     * @throws IOException if the disk fails, or what is on it cannot be trusted
     */
    public Agent(AgentSettings settings, Seams seams) throws IOException {
        this.settings = settings;
        this.seams = seams;
        this.loop = seams.loop();
        this.book = new AgentBook(seams.disk(), settings, seams.entropy(), loop.now());
        this.files = new CellFiles(seams.disk(), settings.places());
        this.endpoint = new AgentEndpoint(loop, this);
        this.deadMan = new DeadMan(loop, settings.userData(), book::runs, seams.shutdown());
        this.sequence = (book.boots() - 1) * SEQUENCES_PER_BOOT + 1;
    }

    /** What it serves with, as does the cell's kubelet. */
    public SelfSigned key() {
        return book.key();
    }

    /** Goes on with what was granted, or waits for a grant; and lets kubelet start. */
    public void start() throws IOException {
        files.prepare();
        files.keys(
                book.key().certificatePem(),
                book.key().keyPem(),
                ImmutableList.of(
                        SelfSigned.certificatePem(settings.userData().controller()),
                        book.key().certificatePem()));
        deadMan.listen();
        if (book.runs()) {
            take(book.granted().orElseThrow());
            resume();
        } else {
            if (book.granted().isPresent()) {
                words = Optional.of(words(book.granted().get()));
                files.clear();
            }
            files.ready();
        }
        LOG.info(
                "cell {} at {}: {}",
                settings.instanceId(),
                settings.address(),
                book.granted()
                        .map(granted -> describe(granted.request().grant()))
                        .orElse("inert"));
    }

    private CellStatus words(Granted granted) {
        return new CellStatus(
                StaticPodCheck.parse(granted.request().grant().bundle().manifest()),
                settings.address(),
                settings.nodeName());
    }

    /** The pod is this one from now on. */
    private void take(Granted granted) {
        words = Optional.of(words(granted));
        if (watch.isEmpty()) {
            status = words.get().pending();
            answeredAt = loop.nanos();
            shownAt = loop.nanos();
            changedAt = loop.nanos();
            watch = Optional.of(new PodWatch(
                    loop,
                    seams.offload(),
                    seams.kubelet(),
                    granted.request().grant().podUid(),
                    this::pause,
                    this::look));
        }
    }

    private Duration pause() {
        boolean calm = departure.isEmpty() && loop.nanos() - changedAt > CALMS_AFTER.toNanos();
        return calm ? CALM : LIVELY;
    }

    private ObjectNode manifest() {
        return CellManifest.at(words.orElseThrow().manifest(), settings.address());
    }

    /** After a start of the agent, of the machine perhaps too: kubelet has the manifest only if it is the same boot. */
    private void resume() throws IOException {
        boolean sameBoot = files.manifest().isPresent();
        if (book.ending().isPresent()) {
            Ending ending = book.ending().get();
            if (sameBoot) {
                files.manifest(CellManifest.ending(manifest(), loop.now(), ending.grace()));
            }
            // Its dead containers may be gone: after a boot kubelet would run it again.
            depart(sameBoot ? leftOf(ending) : Duration.ZERO, !sameBoot);
            files.ready();
            look();
        } else if (!sameBoot
                && book.started().isPresent()
                && CellManifest.runsOnce(words.orElseThrow().manifest())) {
            unlessForgotten();
        } else {
            hand();
            files.ready();
            look();
        }
    }

    /** By the wall clock, which may have jumped: never more than the whole grace. */
    private Duration leftOf(Ending ending) {
        Duration left = Duration.between(loop.now(), ending.since().plus(ending.grace()));
        return left.isNegative() ? Duration.ZERO : left.compareTo(ending.grace()) > 0 ? ending.grace() : left;
    }

    /** That a pod ran which must run once is known to the runtime alone: if it lost that, kubelet would run it again. */
    private void unlessForgotten() {
        String uid = book.granted().orElseThrow().request().grant().podUid();
        seams.offload()
                .call("cri.ListPodSandbox", AGAIN, seams.runtime()::sandboxes)
                .thenAccept(outcome -> outcome.on(
                        sandboxes -> {
                            if (sandboxes.stream()
                                    .anyMatch(sandbox -> sandbox.uid().equals(uid))) {
                                handOrRetry();
                            } else {
                                LOG.warn("the runtime has forgotten that the pod ran: it does not run again");
                                finish(words.orElseThrow().last(Optional.empty(), ImmutableMap.of(), loop.now()));
                                letKubeletStart();
                            }
                        },
                        abandoned -> loop.after(AGAIN, this::unlessForgotten)));
    }

    private void handOrRetry() {
        try {
            hand();
            files.ready();
            look();
        } catch (IOException e) {
            LOG.error("the pod cannot be handed to kubelet yet: {}", e.getMessage());
            loop.after(AGAIN, () -> {
                if (book.runs() && departure.isEmpty()) {
                    handOrRetry();
                }
            });
        }
    }

    private void letKubeletStart() {
        if (written("that kubelet may start", files::ready).isPresent()) {
            loop.after(AGAIN, this::letKubeletStart);
        }
    }

    /** Kubelet gets the pod as it was granted last. */
    private void hand() throws IOException {
        files.lay(book.granted().orElseThrow().request().grant().bundle());
        files.manifest(manifest());
    }

    private void look() {
        watch.ifPresent(one -> one.look(SOON));
    }

    // --- the protocol

    @Override
    public void handle(HttpCall call) {
        endpoint.handle(call);
    }

    @Override
    public String instanceId() {
        return settings.instanceId();
    }

    @Override
    public long sequence() {
        return sequence;
    }

    @Override
    public long highestEpoch() {
        return book.highestEpoch();
    }

    @Override
    public void contact() {
        deadMan.contact();
    }

    @Override
    public Identity identity(String nonce) {
        Optional<Secret> own = book.granted().map(granted -> granted.request().cellSecret());
        return Identity.prove(
                own.orElse(settings.userData().enrolmentSecret()),
                own.isPresent() ? Identity.By.CELL : Identity.By.ENROLMENT,
                nonce,
                settings.instanceId(),
                book.key().fingerprint(),
                settings.userData().template(),
                settings.userData().epoch());
    }

    @Override
    public CellReport report() {
        Optional<Grant> grant = book.granted().map(granted -> granted.request().grant());
        return new CellReport(
                settings.instanceId(),
                sequence,
                book.highestEpoch(),
                grant.map(one -> new PodReport(
                        one.podUid(),
                        one.attempt(),
                        one.bundle().generation(),
                        book.tombstone().orElseGet(() -> status.toString()),
                        book.tombstone().isPresent(),
                        one.bundle().origin())),
                words.filter(one -> book.runs()).map(one -> new Kubelet(settings.kubeletPort(), one.kubeletName())));
    }

    @Override
    public Optional<Problem> raiseEpoch(long epoch) {
        return written("the epoch", () -> book.raiseEpoch(epoch)).or(() -> {
            changed();
            return Optional.empty();
        });
    }

    @Override
    public Optional<Problem> grant(GrantRequest request) {
        Grant grant = request.grant();
        Optional<Granted> held = book.granted();
        Optional<Grant> before = held.map(one -> one.request().grant());
        if (before.isPresent()
                && (!before.get().podUid().equals(grant.podUid())
                        || before.get().attempt() != grant.attempt())) {
            return refusal(Reason.OTHER_POD, "this cell was granted pod " + describe(before.get()));
        }
        if (before.isPresent()
                && before.get().bundle().generation() >= grant.bundle().generation()) {
            return Optional.empty();
        }
        Optional<String> wrong = wrong(grant.bundle(), grant.podUid());
        if (wrong.isPresent()) {
            return refusal(Reason.INVALID_BUNDLE, wrong.get());
        }
        Granted next = new Granted(request, held.map(Granted::since).orElse(loop.now()));
        return written("the grant", () -> book.grant(next)).or(() -> {
            accepted(next);
            return Optional.empty();
        });
    }

    private static Optional<String> wrong(PodBundle bundle, String podUid) {
        try {
            return StaticPodCheck.problem(StaticPodCheck.parse(bundle.manifest()), podUid)
                    .or(() -> CellFiles.problem(bundle));
        } catch (IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private void accepted(Granted granted) {
        if (book.tombstone().isPresent()) {
            changed();
            return;
        }
        LOG.info(
                "granted: {}, generation {}",
                describe(granted.request().grant()),
                granted.request().grant().bundle().generation());
        take(granted);
        deadMan.listen();
        if (departure.isEmpty()) {
            handOrRetry(); // of the same uid: labels, annotations and files change in place
        }
        changed();
    }

    @Override
    public Optional<Problem> end(EndOrder order) {
        Optional<Grant> held = book.granted().map(granted -> granted.request().grant());
        if (held.isEmpty() || !held.get().podUid().equals(order.podUid())) {
            return refusal(
                    Reason.OTHER_POD,
                    held.map(grant -> "this cell was granted pod " + describe(grant))
                            .orElse("this cell is inert"));
        }
        if (book.tombstone().isPresent()) {
            return Optional.empty();
        }
        Instant now = loop.now();
        Optional<Ending> before = book.ending();
        if (before.isPresent() && leftOf(before.get()).compareTo(order.grace()) <= 0) {
            return Optional.empty(); // a longer one changes nothing
        }
        return written("the end", () -> book.end(new Ending(now, order.grace())))
                .or(() -> {
                    if (departure.isPresent()) {
                        departure.get().shorten(order.grace());
                    } else {
                        begin(order.grace());
                    }
                    return Optional.empty();
                });
    }

    private void begin(Duration grace) {
        LOG.info("the pod is being ended, within {} s", grace.toSeconds());
        boolean told;
        try {
            files.manifest(CellManifest.ending(manifest(), loop.now(), grace));
            told = true;
        } catch (IOException e) {
            LOG.error("kubelet cannot be told that the pod ends, the container runtime is: {}", e.getMessage());
            told = false;
        }
        depart(grace, !told || grace.isZero());
        look();
    }

    private void depart(Duration grace, boolean handedOver) {
        departure = Optional.of(new Departure(
                loop,
                seams.offload(),
                seams.runtime(),
                book.granted().orElseThrow().request().grant().podUid(),
                grace,
                handedOver,
                exits -> finish(words.orElseThrow().last(seen, exits, loop.now()))));
    }

    /** What is to be written before an order counts. */
    private interface Writing {
        void run() throws IOException;
    }

    private Optional<Problem> written(String what, Writing writing) {
        try {
            writing.run();
            return Optional.empty();
        } catch (IOException e) {
            LOG.error("{} cannot be written down: {}", what, e.getMessage());
            return refusal(Reason.FAILING, what + " cannot be written down: " + e.getMessage());
        }
    }

    private Optional<Problem> refusal(Reason reason, String message) {
        return Optional.of(new Problem(reason, message, book.highestEpoch()));
    }

    private static String describe(Grant grant) {
        return grant.podUid() + " attempt " + grant.attempt();
    }

    // --- what kubelet says

    private void look(Sight sight) {
        if (!book.runs()) {
            return;
        }
        CellStatus own = words.orElseThrow();
        if (sight instanceof Sight.NoAnswer silence) {
            if (loop.nanos() - answeredAt > LOST_AFTER.toNanos()) {
                publish(CellStatus.unanswered(status, silence.why(), loop.now()));
            }
        } else {
            answeredAt = loop.nanos();
        }
        if (sight instanceof Sight.Seen shown) {
            shownAt = loop.nanos();
            see(own, shown.pod());
        } else if (sight instanceof Sight.Absent
                && departure.isEmpty()
                && loop.nanos() - shownAt > REFUSED_AFTER.toNanos()) {
            ObjectNode refused = status.deepCopy();
            publish(refused.put("reason", "NotTakenByKubelet")
                    .put("message", "the cell's kubelet does not show the pod; its log says why"));
        }
        departure.ifPresent(one -> one.look(sight));
        if (departure.isEmpty() && sight instanceof Sight.Seen && CellStatus.over(status)) {
            finish(status);
        }
    }

    private void see(CellStatus own, ObjectNode pod) {
        ObjectNode told = own.of(pod, book.started().map(Started::time));
        boolean forgotten = departure.isPresent()
                && seen.isPresent()
                && told.path("containerStatuses").isEmpty();
        if (forgotten) {
            return; // kubelet was started anew, and knows less than before
        }
        seen = Optional.of(told);
        if (book.started().isEmpty() && CellStatus.everRan(told)) {
            String time = told.path("startTime").asString("");
            written("that the pod runs", () -> book.start(new Started(time)));
        }
        publish(told);
    }

    private void publish(ObjectNode now) {
        if (!now.equals(status)) {
            status = now;
            changedAt = loop.nanos();
            changed();
        }
    }

    /** Nothing of it will ever run again. First that is written down, then kubelet is left without it. */
    private void finish(ObjectNode last) {
        if (book.tombstone().isPresent()) {
            return;
        }
        if (written("the pod's end", () -> book.bury(last)).isPresent()) {
            loop.after(AGAIN, () -> finish(last));
            return;
        }
        LOG.info("the pod has ended: {}", last.path("phase").asString(""));
        watch.ifPresent(PodWatch::stop);
        clear();
        deadMan.listen();
        changed();
    }

    private void clear() {
        try {
            files.clear();
        } catch (IOException e) {
            LOG.error("the manifest of the pod that has ended cannot be taken away: {}", e.getMessage());
            loop.after(AGAIN, this::clear);
        }
    }

    private void changed() {
        sequence++;
        endpoint.changed();
    }
}
