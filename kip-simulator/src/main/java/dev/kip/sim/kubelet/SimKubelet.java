package dev.kip.sim.kubelet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.kubelet.ApiServer;
import dev.kip.checkpointer.kubelet.Circumstances;
import dev.kip.checkpointer.kubelet.Judgement;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.checkpointer.kubelet.Stage;
import dev.kip.checkpointer.kubelet.Trouble;
import dev.kip.kube.KubeApi;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kubelet.FileSource.StaticPod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A kubelet of one version: pods of files and of the API server, admission, mirror pods, and its caution before all sources
 * have reported. What it accepts is said by {@link KubeletModel}. Confined to its process's loop.
 */
public final class SimKubelet {

    public static final Path MANIFESTS = Path.of("/etc/kubernetes/manifests");

    private static final Duration NOTICE = Duration.ofSeconds(1);
    private static final Duration ASK = Duration.ofSeconds(2);
    private static final Duration HOUSEKEEPING = Duration.ofSeconds(2);
    private static final Duration REREAD = Duration.ofSeconds(20);
    private static final Duration RESYNC = Duration.ofMinutes(1);
    private static final Duration STATUS = Duration.ofSeconds(10);

    private final SimNode node;
    private final SimProcess process;
    private final KubeletModel model;
    private final Programs programs;
    private final Consumer<Logged> log;
    private final Optional<ApiSource> api;
    private final FileSource files;
    private final Map<String, Static> statics = new LinkedHashMap<>();
    private final Map<String, PodWork> works = new LinkedHashMap<>();
    private final Map<String, Trouble> rejected = new LinkedHashMap<>();
    private final Map<String, ObjectNode> told = new LinkedHashMap<>();
    private final Set<String> saidUnmirrored = new LinkedHashSet<>();
    private Optional<ApiSource.Seen> seen = Optional.empty();

    /** A line of kubelet's log. */
    public record Logged(Duration at, String line) {}

    /** A static pod that kubelet knows, admitted or not. */
    private record Static(StaticPod source, boolean admitted) {}

    SimKubelet(SimNode node, SimProcess process, Optional<KubeApi> api, Programs programs, Consumer<Logged> log) {
        this.node = node;
        this.process = process;
        this.model = KubeletModel.of(node.version());
        this.programs = programs;
        this.log = log;
        this.api = api.map(kube -> new ApiSource(kube, node.facts(), this::log));
        this.files = new FileSource(
                node.disk().as("kubelet"), MANIFESTS, model, Circumstances.cutOff(node.facts()), this::log);
    }

    void start() {
        node.runtime()
                .listen((uid, container) -> process.after(NOTICE, () -> {
                    PodWork work = works.get(uid);
                    if (work != null) {
                        work.ended(container);
                    }
                }));
        process.post(() -> readFiles(true));
        every(NOTICE, () -> readFiles(false));
        every(REREAD, () -> readFiles(true));
        api.ifPresent(source -> {
            process.post(() -> source.ask(this::answered));
            every(ASK, () -> source.ask(this::answered));
        });
        every(HOUSEKEEPING, this::keepHouse);
        every(RESYNC, () -> ImmutableList.copyOf(works.values()).forEach(this::sync));
        every(STATUS, this::tellStatuses);
    }

    private void every(Duration period, Runnable task) {
        process.after(period, () -> {
            task.run();
            every(period, task);
        });
    }

    boolean alive() {
        return process.alive();
    }

    void kill() {
        process.kill();
    }

    private void log(String line) {
        log.accept(new Logged(process.kernel().elapsed(), line));
        process.kernel().trace().line(process.kernel().elapsed(), process.name(), line);
    }

    private void tell(StaticPod pod, String what) {
        process.kernel()
                .trace()
                .line(process.kernel().elapsed(), process.name(), "static pod " + fullName(pod.pod()) + " " + what);
    }

    private NodeFacts facts() {
        return node.facts().withClusterLabels(seen.map(ApiSource.Seen::labels).orElse(ImmutableMap.of()));
    }

    private Circumstances circumstances(String without) {
        ApiServer state = api.isEmpty() ? ApiServer.NONE : seen.isPresent() ? ApiServer.PRESENT : ApiServer.AWAY;
        ImmutableList<ObjectNode> others = works.values().stream()
                .filter(work -> !work.uid().equals(without) && !work.gone())
                .map(PodWork::pod)
                .collect(ImmutableList.toImmutableList());
        return new Circumstances(state, facts(), others);
    }

    /** Every source has said once what it has: before that, nothing is ended for not being there. */
    private boolean sourcesReady() {
        return api.isEmpty() || seen.isPresent();
    }

    // --- static pods

    private void readFiles(boolean whole) {
        ImmutableMap<String, StaticPod> found = files.read(whole).values().stream()
                .collect(ImmutableMap.toImmutableMap(StaticPod::uid, pod -> pod, (one, other) -> one));
        ImmutableMap.copyOf(statics).forEach((uid, known) -> {
            if (!found.containsKey(uid)) {
                tell(known.source(), "has gone");
                statics.remove(uid);
                rejected.remove(uid);
                remove(uid);
            }
        });
        found.forEach((uid, pod) -> {
            if (!statics.containsKey(uid) && !namesakeRuns(pod)) {
                tell(pod, "is there");
                addStatic(pod, seen.isEmpty());
            }
        });
    }

    /** A static pod waits until another of its full name has ended. */
    private boolean namesakeRuns(StaticPod pod) {
        JsonNode metadata = pod.pod().path("metadata");
        return node.runtime().ready().stream()
                .anyMatch(sandbox -> !sandbox.uid().equals(pod.uid())
                        && sandbox.metadata("name").equals(metadata.path("name").asString(""))
                        && sandbox.metadata("namespace")
                                .equals(metadata.path("namespace").asString("")));
    }

    /** Since 1.35 the node is asked for once more if nothing but its labels stands in the way. */
    private void addStatic(StaticPod pod, boolean mayAskAgain) {
        Judgement judgement = model.judge(pod.manifest(), circumstances(pod.uid()));
        Optional<Trouble> trouble = judgement.troubles().stream()
                .filter(one -> one.rule().stage() == Stage.ADMIT)
                .findFirst();
        boolean byLabels =
                trouble.filter(one -> one.rule().id().startsWith("node-")).isPresent();
        if (byLabels && mayAskAgain && api.isPresent() && model.version().isAtLeast("1.35")) {
            statics.put(pod.uid(), new Static(pod, false));
            api.get().ask(this::answered);
            process.after(ASK, () -> {
                if (statics.containsKey(pod.uid())) {
                    addStatic(pod, false);
                }
            });
            return;
        }
        statics.put(pod.uid(), new Static(pod, trouble.isEmpty()));
        if (trouble.isPresent()) {
            rejected.put(pod.uid(), trouble.get());
            model.log(pod.manifest(), pod.file(), judgement, circumstances(pod.uid()))
                    .forEach(this::log);
            return;
        }
        PodWork work = new PodWork(pod.pod(), process, node.runtime(), programs);
        works.put(pod.uid(), work);
        sync(work);
    }

    private void remove(String uid) {
        PodWork work = works.get(uid);
        if (work == null) {
            return;
        }
        if (!sourcesReady()) {
            log("\"Failed to delete pod\" err=\"skipping delete because sources aren't ready yet\" podUID=\"" + uid
                    + "\"");
            works.remove(uid);
            return;
        }
        work.end();
    }

    // --- pods of the API server

    private void answered(ApiSource.Seen now) {
        boolean first = seen.isEmpty();
        seen = Optional.of(now);
        Set<String> wanted = new LinkedHashSet<>();
        now.pods().forEach((uid, pod) -> {
            if (!isMirror(pod)) {
                wanted.add(uid);
                take(uid, pod);
            }
        });
        for (PodWork work : ImmutableList.copyOf(works.values())) {
            if (!statics.containsKey(work.uid()) && !wanted.contains(work.uid())) {
                work.end();
            }
        }
        if (first) {
            ImmutableList.copyOf(works.values()).forEach(this::sync);
        }
    }

    private static boolean isMirror(JsonNode pod) {
        return pod.path("metadata").path("annotations").has("kubernetes.io/config.mirror");
    }

    private void take(String uid, ObjectNode pod) {
        PodWork work = works.get(uid);
        boolean leaving =
                !pod.path("metadata").path("deletionTimestamp").asString("").isEmpty();
        if (work != null) {
            if (leaving) {
                work.end();
            }
            return;
        }
        String phase = pod.path("status").path("phase").asString("");
        if (leaving) {
            api.ifPresent(source -> source.delete(pod));
        } else if (!rejected.containsKey(uid) && !phase.equals("Failed") && !phase.equals("Succeeded")) {
            Optional<Trouble> trouble = model.admission(pod, circumstances(uid));
            if (trouble.isPresent()) {
                reject(uid, pod, trouble.get());
            } else {
                PodWork admitted = new PodWork(pod, process, node.runtime(), programs);
                works.put(uid, admitted);
                sync(admitted);
            }
        }
    }

    private void reject(String uid, ObjectNode pod, Trouble trouble) {
        rejected.put(uid, trouble);
        log("\"Pod admission denied\" podUID=\"" + uid + "\" pod=\"" + fullName(pod) + "\" reason=\"" + trouble.reason()
                + "\" message=\"" + trouble.message() + "\"");
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        status.put("phase", "Failed").put("reason", trouble.reason());
        status.put("message", "Pod was rejected: " + trouble.message());
        api.ifPresent(source -> source.patchStatus(pod, status));
    }

    // --- what all pods have in common

    private void sync(PodWork work) {
        if (work.ending()) {
            return;
        }
        Static known = statics.get(work.uid());
        if (known != null) {
            mirror(work, known);
            if (!work.running() && obstructed(known)) {
                return;
            }
        }
        work.sync();
    }

    /** Whether something keeps a static pod from starting now; if kubelet dies of it, it does. */
    private boolean obstructed(Static known) {
        Judgement judgement = model.judge(
                known.source().manifest(), circumstances(known.source().uid()));
        for (Trouble trouble : judgement.troubles()) {
            Stage stage = trouble.rule().stage();
            if (stage == Stage.CRASH) {
                log(trouble.message());
                node.kubeletCrashed();
                return true;
            }
            if (stage == Stage.START) {
                log("\"Error syncing pod, skipping\" err=\"" + trouble.message() + "\" pod=\""
                        + fullName(known.source().pod()) + "\"");
                return true;
            }
        }
        Optional<String> missing = new HostDirectories(node.disk().as("kubelet"))
                .missing(known.source().pod());
        missing.ifPresent(path -> log("MountVolume.SetUp failed: hostPath type check failed: " + path
                + " is not a directory, pod=\"" + fullName(known.source().pod()) + "\""));
        return missing.isPresent();
    }

    private void mirror(PodWork work, Static known) {
        if (api.isEmpty() || seen.isEmpty()) {
            return;
        }
        Optional<ObjectNode> there = mirrorOf(work.pod());
        if (there.isPresent()) {
            String hash = there.get()
                    .at("/metadata/annotations/kubernetes.io~1config.mirror")
                    .asString("");
            if (!hash.equals(work.uid())) {
                api.get().delete(there.get());
            }
            return;
        }
        Optional<Trouble> refused =
                model.judge(known.source().manifest(), circumstances(work.uid())).troubles().stream()
                        .filter(trouble -> trouble.rule().stage() == Stage.MIRROR)
                        .findFirst();
        if (refused.isPresent()) {
            log("\"Failed creating a mirror pod\" err=\"pods is forbidden: "
                    + refused.get().message() + "\" pod=\"" + fullName(work.pod()) + "\"");
            return;
        }
        api.get()
                .createMirror(
                        work.pod(),
                        seen.get().node(),
                        error -> log("\"Failed creating a mirror pod\" err=\"" + error + "\" pod=\""
                                + fullName(work.pod()) + "\""));
    }

    private Optional<ObjectNode> mirrorOf(JsonNode pod) {
        return seen.stream()
                .flatMap(now -> now.pods().values().stream())
                .filter(SimKubelet::isMirror)
                .filter(mirror -> fullName(mirror).equals(fullName(pod)))
                .findFirst();
    }

    private void keepHouse() {
        for (PodWork work : ImmutableList.copyOf(works.values())) {
            if (work.gone()) {
                works.remove(work.uid());
                node.runtime().forget(work.uid());
                seen.map(now -> now.pods().get(work.uid()))
                        .ifPresent(pod -> api.ifPresent(source -> source.delete(pod)));
            }
        }
        if (sourcesReady()) {
            for (SimRuntime.Sandbox sandbox : node.runtime().ready()) {
                if (!works.containsKey(sandbox.uid())) {
                    log("\"Killing unwanted pod\" podUID=\"" + sandbox.uid() + "\"");
                    node.runtime().stop(sandbox, Duration.ofSeconds(1));
                }
            }
            removeOrphanedMirrors();
        }
    }

    private void removeOrphanedMirrors() {
        for (ObjectNode pod : seen.map(now -> now.pods().values().asList()).orElse(ImmutableList.of())) {
            boolean wanted = !isMirror(pod)
                    || statics.values().stream()
                            .anyMatch(known -> fullName(known.source().pod()).equals(fullName(pod)));
            if (!wanted) {
                api.ifPresent(source -> source.delete(pod));
            }
        }
    }

    private void tellStatuses() {
        statics.forEach((uid, known) -> {
            boolean unmirrored = mirrorOf(known.source().pod()).isEmpty();
            if (unmirrored && saidUnmirrored.add(uid)) {
                log(model.unmirrored(known.source().manifest(), known.source().file(), circumstances(uid)));
            }
        });
        for (PodWork work : works.values()) {
            ObjectNode status = JsonNodeFactory.instance.objectNode();
            work.status(status);
            Optional<ObjectNode> object = statics.containsKey(work.uid())
                    ? mirrorOf(work.pod())
                    : seen.map(now -> now.pods().get(work.uid()));
            Optional<String> uid =
                    object.map(one -> one.path("metadata").path("uid").asString("")); // a new mirror knows nothing yet
            if (object.isPresent() && !status.equals(told.put(uid.orElse(""), status))) {
                api.ifPresent(source -> source.patchStatus(object.get(), status));
            }
        }
    }

    private static String fullName(JsonNode pod) {
        JsonNode metadata = pod.path("metadata");
        return metadata.path("namespace").asString("default") + "/"
                + metadata.path("name").asString("");
    }

    /** What becomes of a static pod, by its name in the file: {@code Running}, {@code Pending}, the reason it was rejected for; empty if kubelet has none. */
    public Optional<String> fateOf(String fileName) {
        String name = fileName + "-" + node.name().toLowerCase(Locale.ROOT);
        for (Map.Entry<String, Static> entry : statics.entrySet()) {
            if (entry.getValue()
                    .source()
                    .pod()
                    .path("metadata")
                    .path("name")
                    .asString("")
                    .equals(name)) {
                Trouble trouble = rejected.get(entry.getKey());
                PodWork work = works.get(entry.getKey());
                return Optional.of(trouble != null ? trouble.reason() : work == null ? "Pending" : work.phase());
            }
        }
        return Optional.empty();
    }

    /** The answer of {@code /pods}: what kubelet has admitted or rejected. */
    public ObjectNode pods() {
        ObjectNode list = JsonNodeFactory.instance.objectNode();
        list.put("apiVersion", "v1").put("kind", "PodList");
        ArrayNode items = list.putArray("items");
        List<String> shown = new ArrayList<>();
        works.forEach((uid, work) -> {
            ObjectNode pod = work.pod().deepCopy();
            work.status(pod.putObject("status"));
            items.add(pod);
            shown.add(uid);
        });
        statics.forEach((uid, known) -> {
            Trouble trouble = rejected.get(uid);
            if (trouble != null && !shown.contains(uid)) {
                ObjectNode pod = known.source().pod().deepCopy();
                pod.putObject("status")
                        .put("phase", "Failed")
                        .put("reason", trouble.reason())
                        .put("message", "Pod was rejected: " + trouble.message());
                items.add(pod);
            }
        });
        return list;
    }
}
