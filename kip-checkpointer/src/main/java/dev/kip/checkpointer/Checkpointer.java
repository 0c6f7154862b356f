package dev.kip.checkpointer;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import dev.kip.checkpointer.cri.Cri;
import dev.kip.checkpointer.gather.Gatherer;
import dev.kip.checkpointer.generation.CheckpointReader;
import dev.kip.checkpointer.generation.CheckpointReader.Shelf;
import dev.kip.checkpointer.generation.CheckpointWriter;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.sanitise.ManifestCheck;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.source.ApiPoll;
import dev.kip.checkpointer.source.ApiPoll.Listed;
import dev.kip.checkpointer.source.RuntimePoll;
import dev.kip.checkpointer.standing.ApiSight;
import dev.kip.checkpointer.standing.Errand;
import dev.kip.checkpointer.standing.Judge;
import dev.kip.checkpointer.standing.Judge.Judgement;
import dev.kip.checkpointer.standing.RuntimeSight;
import dev.kip.checkpointer.standing.Standing;
import dev.kip.checkpointer.standing.Track;
import dev.kip.checkpointer.standing.View;
import dev.kip.disk.Disk;
import dev.kip.disk.Disk.Access;
import dev.kip.disk.DurableFiles;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.loop.Loop;
import dev.kip.loop.Offload;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpointer of one node. It waits for its lock, reads the disk, asks the runtime and the API server, and at every
 * answer decides anew what each checkpoint is to do. The disk and the runtime are enough to bring pods back; the network is
 * only asked. Confined to its loop.
 */
public final class Checkpointer {

    private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);
    private static final Duration LOCK_POLL = Duration.ofSeconds(1);
    /** How soon a parent that comes back is noticed while its checkpoint runs. */
    private static final Duration GLANCE = Duration.ofSeconds(1);

    private static final Duration REFUSED = Duration.ofMinutes(1);

    private final CheckpointerSettings settings;
    private final Loop loop;
    private final Disk disk;
    private final DurableFiles files;
    private final CheckpointReader reader;
    private final CheckpointWriter writer;
    private final RuntimePoll runtimePoll;
    private final ApiPoll apiPoll;
    private final NodeMark nodeMark;
    private final Rounds rounds;
    private final Report report;

    private Shelf shelf = new Shelf(ImmutableSortedMap.of(), ImmutableList.of());
    private ImmutableSortedMap<PodKey, Track> tracks = ImmutableSortedMap.of();
    private RuntimeSight runtime = new RuntimeSight.Unknown("it was not asked yet");
    private ApiSight api;
    private OptionalLong refusedSince = OptionalLong.empty();
    private Runnable makeWay = () -> {};
    private boolean shelfKnown;
    private boolean recovered;
    private boolean askingRuntime;
    private boolean askingApi;

    /**
     * The ways out, and what makes a checkpoint of a pod.
     *
     * @param kubelets judges manifests as this kubelet would
     */
    public record Seams(
            Loop loop,
            Offload offload,
            Disk disk,
            Cri cri,
            KubeApi kube,
            Sanitiser sanitiser,
            Function<KubeletVersion, ManifestCheck> kubelets) {}

    public Checkpointer(CheckpointerSettings settings, Seams seams) {
        this.settings = settings;
        this.loop = seams.loop();
        this.disk = seams.disk();
        this.files = new DurableFiles(disk);
        this.reader = new CheckpointReader(disk, settings.layout(), settings.scope());
        this.writer = new CheckpointWriter(files, settings.layout(), settings.scope());
        this.runtimePoll = new RuntimePoll(seams.cri(), seams.offload(), settings.runtimeTimeout());
        this.apiPoll = new ApiPoll(seams.kube(), settings.node(), settings.namespaces());
        NodeKubelet kubelet = new NodeKubelet(settings.kubelet(), seams.kubelets());
        this.nodeMark = new NodeMark(writer, settings.layout(), kubelet);
        this.report = new Report(writer, settings.layout(), kubelet, loop);
        this.api = new ApiSight.Asking(loop.nanos());
        Gatherer gatherer = new Gatherer(
                seams.kube(),
                loop,
                seams.sanitiser(),
                kubelet,
                writer,
                settings.layout(),
                settings.scope(),
                settings.tokenLifetime(),
                () -> shelf);
        this.rounds = new Rounds(gatherer, loop, settings.refresh(), this::gathered);
    }

    /**
     * What to do when the API server does not know who this is any more, as after an outage that was longer than a token's
     * life: to end the process, so that another one, whose token is fresh, has the lock. What was decided stays on disk.
     */
    public void whenRefused(Runnable end) {
        makeWay = end;
    }

    /** Begins, once the lock can be had: another checkpointer may hold it for as long as it lives. Called once, on the loop. */
    public void start() {
        lock(true);
    }

    private void lock(boolean first) {
        boolean held = false;
        try {
            files.ensureDirectory(DurableFiles.parent(settings.lock()), Access.root(0755));
            held = disk.lock(settings.lock());
            if (!held && first) {
                LOG.info("another checkpointer holds {}: waiting for its end", settings.lock());
            }
        } catch (IOException e) {
            report.problem("lock", "the lock " + settings.lock() + " cannot be taken: " + e.getMessage());
        }
        if (held) {
            LOG.info("holds the lock {}, looks after node {}", settings.lock(), settings.node());
            api = new ApiSight.Asking(loop.nanos());
            pass();
            glance();
        } else {
            loop.after(LOCK_POLL, () -> lock(false));
        }
    }

    private void pass() {
        if (!recovered) {
            recover();
        }
        read();
        askRuntime();
        askApi();
        decide();
        loop.after(settings.pass(), this::pass);
    }

    private void glance() {
        boolean inPlaceOfParents = tracks.values().stream()
                .anyMatch(track -> track.standing() == Standing.ACTIVE || track.standing() == Standing.ACTIVE_GRACE);
        if (inPlaceOfParents) {
            askRuntime();
        }
        loop.after(GLANCE, this::glance);
    }

    private void recover() {
        try {
            writer.recover();
            recovered = true;
            report.solved("recover");
        } catch (IOException e) {
            report.problem("recover", "what a power cut left cannot be tidied: " + e.getMessage());
        }
    }

    private void read() {
        try {
            shelf = reader.read();
            shelfKnown = true;
            report.flaws(shelf.flaws());
            report.solved("read");
        } catch (IOException e) {
            shelfKnown = false;
            report.problem("read", "the checkpoints cannot be read, so nothing is changed: " + e.getMessage());
        }
    }

    private void askRuntime() {
        if (askingRuntime) {
            return;
        }
        askingRuntime = true;
        // Posted, so that nothing that is thrown is lost in the stage.
        runtimePoll
                .ask()
                .thenAccept(sight -> loop.post(() -> {
                    askingRuntime = false;
                    runtime = sight;
                    report.runtime(sight);
                    decide();
                }));
    }

    private void askApi() {
        if (api instanceof ApiSight.Asking asking) {
            // Judged again once its time is up, whether it answered or not.
            loop.after(settings.policy().firstAnswer().minusNanos(loop.nanos() - asking.since()), this::decide);
        }
        if (askingApi) {
            return;
        }
        askingApi = true;
        boolean somethingMayGo = tracks.values().stream().anyMatch(track -> switch (track.standing()) {
            case INACTIVE_GRACE, ACTIVE_GRACE, REMOVE -> true;
            case NONE, INACTIVE, ACTIVE, SELF -> false;
        });
        apiPoll.ask(somethingMayGo || nodeMark.isUnknown())
                .thenAccept(answer -> loop.post(() -> {
                    askingApi = false;
                    answer.on(this::answered, this::silent);
                    decide();
                }));
    }

    private void answered(Listed listed) {
        refusedSince = OptionalLong.empty();
        long since = api instanceof ApiSight.Answered before ? before.since() : loop.nanos();
        boolean evidence = nodeMark.believes(listed, runtime);
        api = new ApiSight.Answered(since, listed.parents(), evidence);
        report.apiAnswers();
        rounds.offer(listed.parents());
    }

    private void silent(KubeError error) {
        refusedSince = !(error instanceof KubeError.Unauthorized)
                ? OptionalLong.empty()
                : refusedSince.isPresent() ? refusedSince : OptionalLong.of(loop.nanos());
        if (refusedSince.isPresent() && loop.nanos() - refusedSince.getAsLong() >= REFUSED.toNanos()) {
            LOG.warn("the API server has refused these credentials for {} s: making way", REFUSED.toSeconds());
            makeWay.run();
        }
        if (!(api instanceof ApiSight.Silent)) {
            LOG.warn("the API server does not answer: {}", error.message());
        }
        api = new ApiSight.Silent(error.message());
        report.apiSilent(error.message());
    }

    private void gathered(Gatherer.Gathered gathered) {
        report.gathered(gathered);
        if (gathered.changed()) {
            LOG.info("{}: checkpoint stored", gathered.key());
            read();
            removePredecessors(gathered.key());
            decide();
        }
    }

    private void removePredecessors(PodKey key) {
        try {
            writer.removePredecessors(key)
                    .forEach(file -> LOG.info("{}: took away {}, another program's checkpoint of it", key, file));
        } catch (IOException e) {
            report.problem("predecessors", "another program's checkpoints cannot be taken away: " + e.getMessage());
        }
    }

    private void decide() {
        if (!shelfKnown) {
            return;
        }
        View view = new View(loop.nanos(), settings.node(), settings.self(), api, runtime, shelf.pods());
        Judgement judgement = Judge.judge(tracks, view, settings.policy());
        log(judgement);
        tracks = judgement.tracks();
        rounds.refuse(judgement);
        boolean changed = false;
        for (Errand errand : Errand.of(judgement, view)) {
            changed |= carryOut(errand);
        }
        if (changed) {
            read();
        }
        report.judged(judgement);
    }

    private boolean carryOut(Errand errand) {
        String name = errand.getClass().getSimpleName() + " " + errand.key();
        try {
            if (errand instanceof Errand.Activate activate) {
                writer.activate(activate.generation(), activate.attempt());
                LOG.info(
                        "{}: kubelet is to run generation {}",
                        errand.key(),
                        activate.generation().id());
            } else if (errand instanceof Errand.Deactivate) {
                writer.deactivate(errand.key());
                LOG.info("{}: kubelet is to stop the checkpoint", errand.key());
            } else if (errand instanceof Errand.Prove prove) {
                writer.prove(errand.key(), prove.generation());
                LOG.info("{}: generation {} has proven to run", errand.key(), prove.generation());
            } else if (errand instanceof Errand.Drop drop) {
                writer.drop(errand.key(), drop.generation());
            } else if (errand instanceof Errand.Forget) {
                writer.forget(errand.key());
                LOG.info("{}: checkpoint removed, its pod is gone", errand.key());
            }
            report.solved(name);
            return true;
        } catch (IOException e) {
            report.problem(name, errand.key() + ": the disk refuses: " + e.getMessage() + "; it is tried again");
            return false;
        }
    }

    private void log(Judgement judgement) {
        judgement.tracks().forEach((key, track) -> {
            Track before = tracks.get(key);
            Standing standing = before == null ? Standing.NONE : before.standing();
            if (standing != track.standing()) {
                LOG.info("{}: {} -> {}", key, standing, track.standing());
            }
        });
    }
}
