package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.entropy.Entropy;
import dev.kip.http.Forwarder;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import dev.kip.sim.apiserver.Request.User;
import dev.kip.sim.apiserver.discovery.Discovery;
import dev.kip.sim.apiserver.discovery.Document;
import dev.kip.sim.apiserver.openapi.OpenApiV3;
import dev.kip.sim.apiserver.store.Store;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A kube-apiserver and its etcd in one object: answers HTTP requests within {@link #handle}, keeps everything in memory,
 * and takes its time and its randomness from the loop and the entropy it is given. Confined to the loop.
 */
public final class ApiServer implements HttpService {

    private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);

    private final Core core;
    private final Tokens tokens;
    private final Authentication authentication;
    private final ResourceRequests resources;
    private final Watches watches;
    private final ApiClient client;
    private final NodeStreams streams;
    private final MetricsApi metrics;

    /** Both are made when first asked for, and anew after custom resources have come or gone. */
    private Optional<Discovery> discovery = Optional.empty();

    private Optional<OpenApiV3> openApi = Optional.empty();
    private long nextCompactionNanos;
    private long compactNext;

    public ApiServer(Loop loop, Entropy entropy, ApiServerSettings settings) {
        Store store = new Store(settings.historyLimit());
        Registry registry = new Registry();
        core = new Core(loop, entropy, settings, store, registry);
        Builtin.register(store, registry, core::now);
        tokens = new Tokens(core);
        authentication = new Authentication(settings, tokens);
        Lists lists = new Lists(core);
        Writes writes = new Writes(core, new Admission(core, new ServiceAddresses(store.shelf("services"))));
        Deletions deletions = new Deletions(core);
        Definitions definitions = new Definitions(core, writes, deletions);
        Subresources subresources = new Subresources(core, writes, new Evictions(core, writes, deletions), tokens);
        Bootstrap bootstrap = new Bootstrap(core, writes);
        watches = new Watches(core);
        streams = new NodeStreams(registry);
        metrics = new MetricsApi(core);
        resources = new ResourceRequests(
                core,
                lists,
                writes,
                deletions,
                definitions,
                subresources,
                new Reviews(authentication),
                watches,
                bootstrap,
                streams);
        client = new InternalClient(core, lists, writes, deletions, definitions, subresources, bootstrap);
        new EventExpiry(core, store.shelf("events"));
        registry.onChange(() -> {
            discovery = Optional.empty();
            openApi = Optional.empty();
        });
        nextCompactionNanos = loop.nanos() + settings.compactionInterval().toNanos();
        bootstrap.run();
        compactNext = store.revision();
    }

    /** The API for controllers within this process. */
    public ApiClient client() {
        return client;
    }

    /** From now on logs, exec, attach, port-forward and use of pods are asked of their nodes' kubelets. */
    public void reachNodes(Forwarder nodes) {
        streams.connect(nodes);
        metrics.gatherFrom(nodes);
        discovery = Optional.empty();
    }

    /** The revision of the last write. */
    public long revision() {
        return core.store().revision();
    }

    /** Forgets the history up to now: watches and pages from earlier revisions are answered with 410. */
    public void compact() {
        core.store().compact(core.store().revision());
    }

    /** Everything stored, to go back to later; cheap. */
    public Store.Snapshot snapshot() {
        return core.store().snapshot();
    }

    /** Goes back in time, as an etcd restored from a backup does; open watches end. */
    public void restore(Store.Snapshot snapshot) {
        core.store().restore(snapshot);
    }

    /** All that outlives a restart, to be kept in a file as private as the cluster's secrets. */
    public ObjectNode save() {
        ObjectNode saved = core.emptyObject();
        saved.put("tokenKey", tokens.key());
        snapshot().toJson(saved.putObject("store"));
        return saved;
    }

    /** Takes up what {@link #save} gave, in place of all that there is. */
    public void takeUp(ObjectNode saved) {
        tokens.useKey(saved.path("tokenKey").asString());
        restore(Store.Snapshot.fromJson(saved.withObjectProperty("store")));
    }

    /** Ends all open watches properly, as a server does before it stops. */
    public void endWatches() {
        watches.endAll();
    }

    public int openWatches() {
        return watches.openCount();
    }

    /** Answers as to one whose certificate or token is not taken. */
    public void refuse(HttpCall call) {
        Answers.failure(call, Failures.unauthorized());
    }

    @Override
    public void handle(HttpCall call) {
        compactWhenDue();
        try {
            User user = authentication.who(call);
            route(call, user);
        } catch (ApiFailure failure) {
            Answers.failure(call, failure);
        } catch (RuntimeException bug) {
            LOG.error("{} {} failed", call.method(), call.rawPath(), bug);
            Answers.failure(call, Failures.internal(bug.toString()));
        }
    }

    /** As the real server does: every interval, what was current an interval ago becomes the oldest. */
    private void compactWhenDue() {
        if (core.loop().nanos() >= nextCompactionNanos) {
            nextCompactionNanos =
                    core.loop().nanos() + core.settings().compactionInterval().toNanos();
            core.store().compact(compactNext);
            compactNext = core.store().revision();
        }
    }

    private void route(HttpCall call, User user) {
        ImmutableList<String> segments = Request.segments(call.rawPath());
        String first = segments.isEmpty() ? "" : segments.get(0);
        switch (first) {
            case "" -> Answers.json(call, 200, paths());
            case "version" -> Answers.json(call, 200, version());
            case "healthz", "livez", "readyz" -> health(call, first);
            case "openapi" -> openApi(call, segments);
            case "api", "apis" -> {
                if (metrics.serves(segments)) {
                    metrics.answer(call, segments);
                    return;
                }
                Optional<Request> request = Request.parse(call, segments, core.registry(), user);
                if (request.isPresent()) {
                    resources.answer(request.get());
                } else {
                    discover(call, segments);
                }
            }
            default -> notFound(call);
        }
    }

    private void discover(HttpCall call, ImmutableList<String> segments) {
        Optional<Document> document =
                discovery().answer(call.rawPath(), call.header("accept"), call.header("if-none-match"));
        if (document.isPresent()
                && !call.method().equals("GET")
                && !call.method().equals("HEAD")) {
            throw Failures.methodNotAllowed();
        }
        if (document.isPresent()) {
            answer(call, document.get());
        } else if (core.registry().servesVersionOf(segments)) {
            throw Failures.noSuchResource();
        } else {
            notFound(call);
        }
    }

    /** Outside the groups that are served the real server has no Status to say, only this. */
    private static void notFound(HttpCall call) {
        Answers.text(call, 404, "404 page not found\n");
    }

    private Discovery discovery() {
        Discovery present = discovery.orElseGet(() -> new Discovery(shown()));
        discovery = Optional.of(present);
        return present;
    }

    private OpenApiV3 openApi() {
        if (openApi.isEmpty()) {
            OpenApiV3 fresh = new OpenApiV3();
            fresh.serve(types(), this::schemaOf);
            openApi = Optional.of(fresh);
        }
        return openApi.get();
    }

    private ImmutableList<ResourceType> types() {
        return core.registry().all().stream().map(Resource::type).collect(ImmutableList.toImmutableList());
    }

    private ImmutableList<ResourceType> shown() {
        return ImmutableList.<ResourceType>builder()
                .addAll(types())
                .addAll(metrics.types())
                .build();
    }

    private Optional<ObjectNode> schemaOf(ResourceType type) {
        return core.registry()
                .find(type.group(), type.version(), type.plural())
                .map(found -> found.definedVersion().path("schema").path("openAPIV3Schema"))
                .flatMap(JsonNode::asObjectOpt);
    }

    private void openApi(HttpCall call, ImmutableList<String> segments) {
        if (segments.size() == 2 && segments.get(1).equals("v2")) {
            call.respond(200, ImmutableMap.of("Content-Type", OpenApiV3.V2_CONTENT_TYPE), OpenApiV3.v2());
            return;
        }
        answer(
                call,
                openApi()
                        .answer(call.rawPath(), call.parameter("hash"), call.header("if-none-match"))
                        .orElseThrow(Failures::noSuchResource));
    }

    private static void answer(HttpCall call, Document document) {
        call.respond(document.status(), document.headers(), Presentation.utf8(document.body()));
    }

    private static void health(HttpCall call, String endpoint) {
        String checks = "[+]ping ok\n[+]log ok\n[+]etcd ok\n";
        boolean verbose = call.query().containsKey("verbose");
        Answers.text(call, 200, verbose ? checks + endpoint + " check passed\n" : "ok");
    }

    private ObjectNode version() {
        String[] parts = core.settings().version().split("\\.", -1);
        return JsonNodeFactory.instance
                .objectNode()
                .put("major", parts[0])
                .put("minor", parts.length > 1 ? parts[1] : "")
                .put("gitVersion", "v" + core.settings().version())
                .put("gitCommit", "simulated")
                .put("gitTreeState", "clean")
                .put("buildDate", "2026-01-01T00:00:00Z")
                .put("goVersion", "none")
                .put("compiler", "javac")
                .put("platform", "linux/amd64");
    }

    private ObjectNode paths() {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        var list = answer.putArray("paths");
        list.add("/api").add("/api/v1").add("/apis");
        core.registry().all().stream()
                .map(Resource::type)
                .filter(type -> !type.group().isEmpty())
                .map(type -> "/apis/" + type.apiVersion())
                .distinct()
                .forEach(list::add);
        list.add("/healthz")
                .add("/livez")
                .add("/openapi/v2")
                .add("/openapi/v3")
                .add("/readyz")
                .add("/version");
        return answer;
    }
}
