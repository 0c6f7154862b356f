package dev.kip.checkpointer.gather;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.generation.CheckpointReader.Scope;
import dev.kip.checkpointer.generation.CheckpointReader.Shelf;
import dev.kip.checkpointer.generation.CheckpointWriter;
import dev.kip.checkpointer.generation.Generation;
import dev.kip.checkpointer.generation.Layout;
import dev.kip.checkpointer.generation.Origin;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.generation.Stored;
import dev.kip.checkpointer.generation.Trees;
import dev.kip.checkpointer.sanitise.Finding;
import dev.kip.checkpointer.sanitise.ManifestCheck;
import dev.kip.checkpointer.sanitise.ManifestCheck.Objection;
import dev.kip.checkpointer.sanitise.Need;
import dev.kip.checkpointer.sanitise.Sanitised;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.sanitise.Sanitiser.Site;
import dev.kip.checkpointer.sanitise.StaticPod;
import dev.kip.checkpointer.sanitise.Supplies;
import dev.kip.checkpointer.standing.Parent;
import dev.kip.kube.KubeApi;
import dev.kip.loop.Loop;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes and refreshes the checkpoints of parents that the API server has. Nothing is stored before all that it needs was
 * fetched, it was made fit, and the kubelet's model had no objection; until then the generation before stays. Confined to
 * the loop.
 */
public final class Gatherer {

    private static final Logger LOG = LoggerFactory.getLogger(Gatherer.class);

    /** The manifest's digest must not depend on where it will be. */
    private static final String ANYWHERE = "/checkpoint";

    private final KubeApi kube;
    private final Loop loop;
    private final Sanitiser sanitiser;
    private final ManifestCheck check;
    private final CheckpointWriter writer;
    private final Layout layout;
    private final Scope scope;
    private final Duration tokenLifetime;
    private final Supplier<Shelf> shelf;
    private final Tokens.OfPods tokens = new Tokens.OfPods();

    /** @param shelf what is on disk now */
    public Gatherer(
            KubeApi kube,
            Loop loop,
            Sanitiser sanitiser,
            ManifestCheck check,
            CheckpointWriter writer,
            Layout layout,
            Scope scope,
            Duration tokenLifetime,
            Supplier<Shelf> shelf) {
        this.kube = kube;
        this.loop = loop;
        this.sanitiser = sanitiser;
        this.check = check;
        this.writer = writer;
        this.layout = layout;
        this.scope = scope;
        this.tokenLifetime = tokenLifetime;
        this.shelf = shelf;
    }

    /**
     * What came of it.
     *
     * @param done the disk holds what the API server has, byte for byte
     * @param changed something was written
     * @param remarks for people
     */
    public record Gathered(PodKey key, boolean done, boolean changed, ImmutableList<String> remarks) {}

    /** Brings the checkpoint of {@code parent} up to date; {@code done} is told on the loop, once. */
    public void gather(Parent parent, Consumer<Gathered> done) {
        Tokens held = tokens(parent.key());
        ImmutableList<Need> needs;
        try {
            needs = sanitiser.needs(parent.pod());
        } catch (RuntimeException e) {
            done.accept(bug(parent.key(), e));
            return;
        }
        new Fetch(kube, loop, parent, needs, held, tokenLifetime).run().whenComplete((supplies, thrown) -> {
            // On the loop itself, where nothing that is thrown can be lost.
            loop.post(() -> done.accept(
                    thrown != null
                            ? bug(parent.key(), thrown)
                            : supplies.fold(
                                    found -> store(parent, found, held),
                                    problem -> undone(parent.key(), ImmutableList.of(problem)))));
        });
    }

    /** One pod that we cannot cope with must not keep the others from being looked after. */
    private static Gathered bug(PodKey key, Throwable thrown) {
        LOG.error("{}: cannot be made a checkpoint of", key, thrown);
        return undone(key, ImmutableList.of("cannot be made a checkpoint of, which is a bug: " + thrown));
    }

    private Tokens tokens(PodKey key) {
        Optional<Tokens> known = tokens.get(key);
        if (known.isPresent()) {
            return known.get();
        }
        Tokens read;
        try {
            read = writer.readDocument(layout.tokens(key)).map(Tokens::of).orElseGet(Tokens::new);
        } catch (IOException e) {
            read = new Tokens();
        }
        tokens.put(key, read);
        return read;
    }

    private Gathered store(Parent parent, Supplies supplies, Tokens held) {
        try {
            return checkAndStore(parent, supplies, held);
        } catch (RuntimeException e) {
            return bug(parent.key(), e);
        }
    }

    private Gathered checkAndStore(Parent parent, Supplies supplies, Tokens held) {
        PodKey key = parent.key();
        Sanitised anywhere = sanitise(parent, supplies, ANYWHERE);
        if (anywhere.pod().isEmpty()) {
            return undone(key, stoppers(anywhere.findings()));
        }
        String id = Trees.digest(anywhere.pod().get().manifest());
        StaticPod pod = sanitise(parent, supplies, layout.volumes(key, id).toString())
                .pod()
                .orElseThrow();
        ImmutableList<Objection> objections = check.objections(pod.manifest());
        if (!objections.isEmpty()) {
            return undone(
                    key,
                    ImmutableList.of("kubelet would not run the checkpoint: "
                            + objections.stream().map(Objection::message).collect(joining("; "))));
        }
        try {
            boolean changed = write(parent, id, pod);
            if (held.changed()) {
                writer.writeDocument(layout.tokens(key), held.document());
                held.written();
            }
            return new Gathered(key, true, changed, warnings(anywhere.findings()));
        } catch (IOException e) {
            return undone(key, ImmutableList.of("the disk takes no new checkpoint: " + e.getMessage()));
        }
    }

    private Sanitised sanitise(Parent parent, Supplies supplies, String volumes) {
        return sanitiser.sanitise(parent.pod(), supplies, new Site(volumes, scope.node()));
    }

    private boolean write(Parent parent, String id, StaticPod pod) throws IOException {
        PodKey key = parent.key();
        Optional<Stored> stored = shelf.get().find(key);
        Optional<Generation> newest = stored.flatMap(Stored::newest);
        boolean same = newest.filter(
                        one -> one.id().equals(id) && one.origin().spec().equals(parent.spec()))
                .isPresent();
        if (same) {
            return writer.refresh(key, id, pod.volumes());
        }
        Origin origin =
                new Origin(scope.node(), scope.checkpointer(), key, parent.uid(), parent.controller(), parent.spec());
        long sequence = shelf.get().nextSequence();
        if (stored.flatMap(one -> one.find(id)).isPresent()) {
            writer.renew(id, sequence, loop.now(), origin, pod);
            return true;
        }
        boolean proven = stored.stream()
                .flatMap(one -> one.generations().stream())
                .anyMatch(one -> one.proven() && one.origin().spec().equals(parent.spec()));
        writer.store(id, sequence, loop.now(), origin, pod, proven);
        return true;
    }

    private static ImmutableList<String> stoppers(ImmutableList<Finding> findings) {
        return texts(findings.stream()
                .filter(finding -> finding.action().stopsThePod())
                .toList());
    }

    private static ImmutableList<String> warnings(ImmutableList<Finding> findings) {
        return texts(findings.stream()
                .filter(finding -> finding.action() == Finding.Action.WARNED)
                .toList());
    }

    private static ImmutableList<String> texts(List<Finding> findings) {
        return findings.stream()
                .map(finding -> finding.path() + ": " + finding.reason())
                .collect(ImmutableList.toImmutableList());
    }

    private static Gathered undone(PodKey key, ImmutableList<String> remarks) {
        return new Gathered(key, false, false, remarks);
    }
}
