package dev.kip.sim.planted;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.cri.Cri;
import dev.kip.checkpointer.sanitise.ManifestCheck;
import dev.kip.checkpointer.sanitise.Need;
import dev.kip.checkpointer.sanitise.Sanitised;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.sanitise.StaticPod;
import dev.kip.checkpointer.sanitise.Supplies;
import dev.kip.checkpointer.standing.Policy;
import dev.kip.disk.Disk;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.Page;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import dev.kip.sim.kubelet.SimKubelet;
import dev.kip.sim.world.Parts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ObjectNode;

/** Bugs of a checkpointer: in what it makes of a pod, in what it writes, in what it takes an answer for. */
final class NodeBugs {

    private static final String ALL_AT_ONCE = "power-all-at-once";
    private static final String ORIGINAL = "checkpointer 1.10 ";

    private NodeBugs() {}

    static ImmutableList<PlantedBug> all() {
        return ImmutableList.of(
                bug(
                        "parents-unseen",
                        "kubernetes-retired/bootkube, the report's second pod with checkpoint-of beside the first",
                        "a pod that runs is not seen to run: its copy is started beside it",
                        "Cri: only checkpoints are listed",
                        ALL_AT_ONCE,
                        "expect",
                        () -> runtime(NodeBugs::hidesParents)),
                bug(
                        "runtime-error-is-nothing",
                        ORIGINAL + "D1: an error of the runtime is an empty list",
                        "a runtime that does not answer is taken for one in which nothing runs",
                        "Cri: failures are empty lists",
                        "checkpointer-runtime-silent",
                        "I49",
                        () -> runtime(NodeBugs::forgetsErrors)),
                bug(
                        "list-lacks",
                        ORIGINAL + "D19: a list that is answered and wrong collects everything",
                        "after five minutes neither lists nor requests show the API server's pods any more",
                        "KubeApi: pods of that name are left out and not found",
                        ALL_AT_ONCE,
                        "step",
                        () -> kube(Lacking::new)),
                bug(
                        "grace-without-end",
                        ORIGINAL + "D16: the grace of a parent that is gone does not end as it should",
                        "a pod that was deleted keeps its checkpoint",
                        "Policy: the grace is forty days",
                        "checkpointer-pod-deleted",
                        "step",
                        () -> new Parts() {
                            @Override
                            public Policy policy(Policy real) {
                                return Policy.withGrace(Duration.ofDays(40));
                            }
                        }),
                bug(
                        "ready-is-running",
                        ORIGINAL + "D14: a sandbox that is ready counts as a pod that runs",
                        "what ran before the power cut is taken for running after it",
                        "Cri: every sandbox is ready and every container runs",
                        ALL_AT_ONCE,
                        "I52",
                        () -> runtime(NodeBugs::staleReadiness)),
                bug(
                        "no-copy-of-itself",
                        ORIGINAL + "D17: the protection of its own copy is lost",
                        "the checkpointer makes no checkpoint of itself",
                        "Sanitiser: refuses the checkpointer's pod",
                        "checkpointer-runtime-silent",
                        "I53",
                        () -> sanitiser(NodeBugs::refusesItself)),
                bug(
                        "contents-unsynced",
                        ORIGINAL + "D4: no fsync",
                        "the name of a file is written before its content",
                        "Disk: syncing a file does nothing",
                        "power-names-only",
                        "I54",
                        () -> disk(real -> new Unsynced(real, false))),
                manifest(
                        "affinity-null",
                        "kubernetes-retired/bootkube#1001: matchExpressions: null after a typed round trip",
                        "node affinity is decoded and encoded by a model that lacks matchFields",
                        "I55",
                        copy -> copy.withObject(
                                        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution")
                                .putArray("nodeSelectorTerms")
                                .addObject()
                                .putNull("matchExpressions")),
                manifest(
                        "account-kept",
                        "kubernetes/kubernetes#66698: a static pod must not name a service account",
                        "the service account stays in the checkpoint",
                        "I56",
                        copy -> copy.withObject("/spec").put("serviceAccountName", "kube-apiserver")),
                manifest(
                        "wrong-type",
                        ORIGINAL + "D6: a file that cannot be decoded is silently no recovery",
                        "a field is written with a type that kubelet does not decode",
                        "I57",
                        copy -> copy.withObject("/spec").put("terminationGracePeriodSeconds", "thirty")),
                bug(
                        "volumes-forgotten",
                        ORIGINAL + "D5: the manifest is there before its secrets",
                        "the manifest points to directories in which there is nothing",
                        "Sanitiser: volumes without their files",
                        ALL_AT_ONCE,
                        "I58",
                        () -> sanitiser(NodeBugs::emptiesVolumes)),
                manifest(
                        "network-lost",
                        ORIGINAL + "D7: a typed round trip drops what the model does not know",
                        "hostNetwork is dropped: the API server has an address that nobody asks",
                        "I59",
                        copy -> copy.withObject("/spec").remove("hostNetwork")),
                manifest(
                        "always-pulls",
                        ORIGINAL + "D25: imagePullPolicy Always is kept",
                        "the checkpoint pulls its image at each start",
                        "I60",
                        copy -> copy.withObject("/spec")
                                .withArray("containers")
                                .forEach(one -> ((ObjectNode) one).put("imagePullPolicy", "Always"))),
                manifest(
                        "shared-name",
                        ORIGINAL + "D13: file names collide",
                        "all checkpoints have one name",
                        "I61",
                        copy -> copy.withObject("/metadata").put("name", "checkpoint")),
                bug(
                        "world-readable",
                        ORIGINAL + "D23: what may be read by whom is settled after the file is in its place",
                        "files are made for everybody to read",
                        "Disk: each file is made with mode 0644",
                        ALL_AT_ONCE,
                        "I62",
                        () -> disk(WorldReadable::new)),
                bug(
                        "directory-swept",
                        ORIGINAL + "D21: two programs on one directory collect each other's files",
                        "whatever it did not write goes from kubelet's directory",
                        "Disk: a manifest that is put there removes the files of others",
                        ALL_AT_ONCE,
                        "I63",
                        () -> disk(Sweeping::new)),
                bug(
                        "stamped",
                        "kubernetes/kubernetes: the uid of a static pod is a hash of its manifest",
                        "each look at a pod gives another manifest, which kubelet takes for another pod",
                        "Sanitiser: a number in an annotation",
                        ALL_AT_ONCE,
                        "I64",
                        () -> sanitiser(Stamped::new)),
                bug(
                        "trash-kept",
                        ORIGINAL + "D11: keys of what is gone stay on the disk",
                        "what was removed is renamed and never removed",
                        "Disk: nothing in the trash is removed",
                        "checkpointer-pod-deleted",
                        "I65",
                        () -> disk(TrashKept::new)),
                bug(
                        "nothing-synced",
                        ORIGINAL + "D4: no fsync, of directories neither",
                        "nothing that was written need be there after a power cut",
                        "Disk: syncing does nothing",
                        ALL_AT_ONCE,
                        "I66",
                        () -> disk(real -> new Unsynced(real, true))));
    }

    private static PlantedBug bug(
            String name,
            String stemsFrom,
            String what,
            String how,
            String caughtIn,
            String caughtBy,
            Supplier<Parts> parts) {
        return new PlantedBug(name, stemsFrom, what, how, caughtIn, caughtBy, parts);
    }

    /** A manifest that is another one, and that nothing checks before it is written. */
    private static PlantedBug manifest(
            String name, String stemsFrom, String what, String caughtBy, Consumer<ObjectNode> change) {
        return bug(
                name,
                stemsFrom,
                what,
                "Sanitiser: the manifest is changed afterwards; ManifestCheck: objects to nothing",
                ALL_AT_ONCE,
                caughtBy,
                () -> sanitiser(real -> then(
                        real,
                        made -> made.map(pod -> {
                            ObjectNode copy = pod.manifest().deepCopy();
                            change.accept(copy);
                            return new StaticPod(copy, pod.volumes());
                        }))));
    }

    private static Parts sanitiser(UnaryOperator<Sanitiser> bug) {
        return new Parts() {
            @Override
            public Sanitiser sanitiser(Sanitiser real) {
                return bug.apply(real);
            }

            @Override
            public ManifestCheck check(ManifestCheck real) {
                return manifest -> ImmutableList.of();
            }
        };
    }

    private static Parts disk(UnaryOperator<Disk> bug) {
        return new Parts() {
            @Override
            public Disk disk(Disk real) {
                return bug.apply(real);
            }
        };
    }

    private static Parts runtime(UnaryOperator<Cri> bug) {
        return new Parts() {
            @Override
            public Cri runtime(Cri real) {
                return bug.apply(real);
            }
        };
    }

    private static Parts kube(UnaryOperator<KubeApi> bug) {
        return new Parts() {
            @Override
            public KubeApi kube(KubeApi real, Loop loop) {
                return bug.apply(real);
            }
        };
    }

    // --- what it makes of a pod

    private static Sanitiser then(Sanitiser real, UnaryOperator<Optional<StaticPod>> change) {
        return new Changed(real) {
            @Override
            Optional<StaticPod> change(ObjectNode parent, Optional<StaticPod> made) {
                return change.apply(made);
            }
        };
    }

    private static Sanitiser refusesItself(Sanitiser real) {
        return new Changed(real) {
            @Override
            Optional<StaticPod> change(ObjectNode parent, Optional<StaticPod> made) {
                return parent.at("/metadata/name").asString("").startsWith("pod-checkpointer")
                        ? Optional.empty()
                        : made;
            }
        };
    }

    private static Sanitiser emptiesVolumes(Sanitiser real) {
        return then(
                real,
                made -> made.map(pod -> new StaticPod(
                        pod.manifest(),
                        pod.volumes().stream()
                                .map(volume -> new StaticPod.Volume(volume.name(), ImmutableList.of()))
                                .collect(ImmutableList.toImmutableList()))));
    }

    /** The real one, and then something. */
    private abstract static class Changed implements Sanitiser {

        private final Sanitiser real;

        Changed(Sanitiser real) {
            this.real = real;
        }

        abstract Optional<StaticPod> change(ObjectNode parent, Optional<StaticPod> made);

        @Override
        public final ImmutableList<Need> needs(ObjectNode pod) {
            return real.needs(pod);
        }

        @Override
        public final Sanitised sanitise(ObjectNode pod, Supplies supplies, Site site) {
            Sanitised made = real.sanitise(pod, supplies, site);
            return new Sanitised(change(pod, made.pod()), made.findings());
        }
    }

    private static final class Stamped extends Changed {

        private int times;

        Stamped(Sanitiser real) {
            super(real);
        }

        @Override
        Optional<StaticPod> change(ObjectNode parent, Optional<StaticPod> made) {
            return made.map(pod -> {
                ObjectNode copy = pod.manifest().deepCopy();
                copy.withObject("/metadata/annotations").put("times", Integer.toString(++times));
                return new StaticPod(copy, pod.volumes());
            });
        }
    }

    // --- what it writes

    private static final class Unsynced extends ForwardingDisk {

        private final boolean directoriesToo;

        Unsynced(Disk real, boolean directoriesToo) {
            super(real);
            this.directoriesToo = directoriesToo;
        }

        @Override
        public void sync(Path path) throws IOException {
            boolean directory = look(path)
                    .filter(entry -> entry.kind() == Disk.Kind.DIRECTORY)
                    .isPresent();
            if (directory && !directoriesToo) {
                super.sync(path);
            }
        }
    }

    private static final class WorldReadable extends ForwardingDisk {
        WorldReadable(Disk real) {
            super(real);
        }

        @Override
        public void create(Path file, byte[] content, Access access) throws IOException {
            super.create(file, content, new Access(0644, access.uid(), access.gid()));
        }
    }

    private static final class Sweeping extends ForwardingDisk {
        Sweeping(Disk real) {
            super(real);
        }

        @Override
        public void rename(Path from, Path to) throws IOException {
            super.rename(from, to);
            if (SimKubelet.MANIFESTS.equals(to.getParent())) {
                for (Entry one : list(SimKubelet.MANIFESTS)) {
                    if (!one.name().startsWith("kip-checkpoint_")) {
                        remove(SimKubelet.MANIFESTS.resolve(one.name()));
                    }
                }
            }
        }
    }

    private static final class TrashKept extends ForwardingDisk {
        TrashKept(Disk real) {
            super(real);
        }

        @Override
        public void remove(Path path) throws IOException {
            if (!path.toString().contains("/trash/")) {
                super.remove(path);
            }
        }
    }

    // --- what it takes an answer for

    private static final class Lacking extends ForwardingKube {

        private static final int RIGHT = 60;
        private int lists;

        Lacking(KubeApi real) {
            super(real);
        }

        private static boolean lacks(String name) {
            return name.startsWith("kube-apiserver");
        }

        @Override
        public <T> CompletionStage<Outcome<T, KubeError>> get(ResourceKind<T> kind, ObjectRef ref) {
            return lists > RIGHT && lacks(ref.name())
                    ? CompletableFuture.completedFuture(Outcome.failed(new KubeError.NotFound("pods not found")))
                    : super.get(kind, ref);
        }

        @Override
        public <T> CompletionStage<Outcome<Page<T>, KubeError>> list(ResourceKind<T> kind, ListQuery query) {
            lists++;
            return super.list(kind, query)
                    .thenApply(answer ->
                            answer.fold(page -> Outcome.ok(lists > RIGHT ? without(page) : page), Outcome::failed));
        }

        private static <T> Page<T> without(Page<T> page) {
            return new Page<>(
                    page.items().stream()
                            .filter(item -> !(item instanceof ObjectNode pod
                                    && lacks(pod.at("/metadata/name").asString(""))))
                            .collect(ImmutableList.toImmutableList()),
                    page.refused(),
                    page.resourceVersion(),
                    page.continueToken());
        }
    }

    private static Cri hidesParents(Cri real) {
        return new Cri() {
            @Override
            public ImmutableList<Sandbox> sandboxes() throws IOException {
                return real.sandboxes().stream()
                        .filter(one ->
                                one.name().contains("-master-") || one.name().startsWith("pod-checkpointer"))
                        .collect(ImmutableList.toImmutableList());
            }

            @Override
            public ImmutableList<Container> containers() throws IOException {
                return real.containers();
            }
        };
    }

    private static Cri forgetsErrors(Cri real) {
        return new Cri() {
            @Override
            public ImmutableList<Sandbox> sandboxes() {
                try {
                    return real.sandboxes();
                } catch (IOException e) {
                    return ImmutableList.of();
                }
            }

            @Override
            public ImmutableList<Container> containers() {
                try {
                    return real.containers();
                } catch (IOException e) {
                    return ImmutableList.of();
                }
            }
        };
    }

    private static Cri staleReadiness(Cri real) {
        return new Cri() {
            @Override
            public ImmutableList<Sandbox> sandboxes() throws IOException {
                return real.sandboxes().stream()
                        .map(one -> new Sandbox(one.id(), one.namespace(), one.name(), one.uid(), true))
                        .collect(ImmutableList.toImmutableList());
            }

            @Override
            public ImmutableList<Container> containers() throws IOException {
                return real.containers().stream()
                        .map(one -> new Container(one.id(), one.sandbox(), one.name(), one.attempt(), true))
                        .collect(ImmutableList.toImmutableList());
            }
        };
    }
}
