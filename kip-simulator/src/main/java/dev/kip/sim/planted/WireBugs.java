package dev.kip.sim.planted;

import com.google.common.collect.ImmutableList;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.PatchType;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.world.Parts;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Bugs in what a controller writes, one at least for each invariant that looks at it. */
final class WireBugs {

    private static final String DONE =
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\"}";
    private static final String CELLS = "POST cells";
    private static final String STATUS = "PATCH pods/status";
    private static final String RUN = "RunInstances";

    private WireBugs() {}

    static ImmutableList<PlantedBug> all() {
        return ImmutableList.<PlantedBug>builder()
                .add(
                        wire(
                                "cell-of-another",
                                "two Cells name the first instance",
                                CELLS,
                                "I15",
                                first("\"instanceID\":\"(i-[0-9a-f]+)\"")),
                        wire(
                                "cell-of-no-pod",
                                "a Cell is keyed by another uid than its pod's",
                                CELLS,
                                "I16",
                                body -> body.replaceAll("\"podUID\":\"[^\"]*\"", "\"podUID\":\"none\"")),
                        wire(
                                "cell-elsewhere",
                                "a Cell has an address that was another instance's",
                                CELLS,
                                "I17",
                                body -> body.replace("\"ip\":\"172.31.", "\"ip\":\"172.30.")),
                        wire(
                                "cell-of-nothing",
                                "a Cell names an instance that was never launched",
                                CELLS,
                                "I18",
                                body -> body.replaceAll("\"i-[0-9a-f]+\"", "\"i-0123456789abcdef0\"")),
                        wire(
                                "attempt-skipped",
                                "attempts begin with seven",
                                CELLS,
                                "I19",
                                body -> body.replace("\"attempt\":0", "\"attempt\":7")
                                        .replaceAll("\"name\":\"([0-9a-f-]{36})-0\"", "\"name\":\"$1-7\"")))
                .add(planted(
                        "cell-not-written",
                        "a Cell is taken for written, and the pod is granted",
                        "I20",
                        () -> Wire.pretended(CELLS, 201, WireBugs::created)))
                .add(planted(
                        "running-when-bound",
                        "a pod is called Running as soon as it has an instance",
                        "I21",
                        () -> Wire.after(
                                CELLS,
                                (http, service) -> Wire.patch(
                                        http, service, podOf(http.body()), "{\"status\":{\"phase\":\"Running\"}}"))))
                .add(planted(
                        "ready-when-bound",
                        "a pod is called Ready as soon as it has an instance",
                        "I22",
                        () -> Wire.after(
                                CELLS,
                                (http, service) -> Wire.patch(
                                        http,
                                        service,
                                        podOf(http.body()),
                                        "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}"))))
                .add(
                        wire(
                                "address-of-another",
                                "a pod's address is not its cell's",
                                STATUS,
                                "I23",
                                body -> body.replace("\"172.31.", "\"172.30.")),
                        wire(
                                "ready-without-containers",
                                "Ready is written without looking at the containers",
                                STATUS,
                                "I24",
                                status(node -> condition(node, "ContainersReady", "False"))))
                .add(of(
                        "restarts-forgotten",
                        "restarts are counted from the last start of the controller",
                        "I25",
                        "containers-end-and-start-again",
                        () -> countdown(WireBugs::restarts)))
                .add(of(
                        "start-time-now",
                        "the start time is that of the last write",
                        "I26",
                        "containers-end-and-start-again",
                        () -> countdown(WireBugs::started)))
                .add(of(
                        "exit-code-lost",
                        "a pod that failed is called Succeeded",
                        "I28",
                        "containers-fail",
                        () -> Wire.body(
                                STATUS, body -> body.replace("\"phase\":\"Failed\"", "\"phase\":\"Succeeded\""))))
                .add(kube(
                        "pod-removed-at-once",
                        "a pod is removed while its containers run",
                        "I29",
                        "pod-to-gone",
                        real -> afterStatus(
                                real,
                                (kind, ref, patch) -> real.delete(
                                        kind,
                                        ref,
                                        new DeleteQuery(
                                                java.util.Optional.empty(),
                                                java.util.Optional.empty(),
                                                java.util.OptionalInt.of(0))))))
                .add(kube(
                        "rights-exceeded",
                        "a controller writes what it has no right to",
                        "I39",
                        "pod-to-gone",
                        real -> afterStatus(
                                real, (kind, ref, patch) -> real.post(kind, ref, "ephemeralcontainers", patch))))
                .add(kube(
                        "status-loop",
                        "a status is written anew as soon as it was written",
                        "I42",
                        "pod-to-gone",
                        real -> new Loops(real)))
                .add(of(
                        "epoch-falls",
                        "an epoch that was written is written lower by who comes next",
                        "I32",
                        "taken-over-twice",
                        WireBugs::fallingEpoch))
                .add(of(
                        "identity-anew",
                        "each start writes an id of its own into the record",
                        "I33",
                        "taken-over-twice",
                        () -> Wire.body(
                                "PUT installations",
                                body -> body.replaceAll("\"installationID\":\"..", "\"installationID\":\"zz"))))
                .add(
                        wire(
                                "no-proof",
                                "instances are launched without the tag that proves whose they are",
                                RUN,
                                "I34",
                                body -> body.replace("kip.elotl.co%2Fmac", "kip.elotl.co%2Fnone")),
                        wire(
                                "wrong-epoch",
                                "instances carry another epoch than that of who launched them",
                                RUN,
                                "I35",
                                body -> body.replaceAll("(Key=kip.elotl.co%2Fepoch&[A-Za-z.0-9]*Value=)\\d+", "$177")),
                        wire(
                                "always-spot",
                                "every launch is for spot instances",
                                RUN,
                                "I37",
                                body -> body + "&InstanceMarketOptions.MarketType=spot"),
                        wire(
                                "one-too-many",
                                "a launch asks for one more than it has pods",
                                RUN,
                                "I38",
                                WireBugs::oneMore))
                .add(of(
                        "key-in-tags",
                        "a key of the installation is a tag of its instances",
                        "I41",
                        "pod-to-gone",
                        WireBugs::keyInTags))
                .add(
                        of(
                                "never-ends",
                                "an instance that is told to end is taken for ended",
                                "I46",
                                "nothing-left-long-after",
                                () -> Wire.pretended(
                                        "TerminateInstances",
                                        200,
                                        body ->
                                                "<TerminateInstancesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>0</requestId><instancesSet/></TerminateInstancesResponse>")))
                .add(of(
                        "journal-kept",
                        "a batch is never closed",
                        "I45",
                        "nothing-left-long-after",
                        () -> Wire.pretended("DELETE launchbatches", 200, body -> DONE)))
                .add(of(
                        "cells-kept",
                        "a Cell is never removed",
                        "I46",
                        "nothing-left-long-after",
                        () -> Wire.pretended("DELETE cells", 200, body -> DONE)))
                .add(of(
                        "pods-kept",
                        "a pod that has ended is never removed",
                        "I47",
                        "nothing-left-long-after",
                        () -> Wire.pretended("DELETE pods", 200, body -> DONE)))
                .build();
    }

    private static PlantedBug of(
            String name, String what, String caughtBy, String story, Supplier<SimNetwork.Filter> filter) {
        return new PlantedBug(
                name,
                "undoes " + caughtBy,
                what,
                "on the wire: what is sent is changed on its way",
                story,
                caughtBy,
                () -> {
                    SimNetwork.Filter own = filter.get();
                    return new Parts() {
                        @Override
                        public SimNetwork.Filter wire() {
                            return own;
                        }
                    };
                });
    }

    private static PlantedBug planted(String name, String what, String caughtBy, Supplier<SimNetwork.Filter> filter) {
        return of(name, what, caughtBy, "pod-to-gone", filter);
    }

    private static PlantedBug wire(
            String name, String what, String action, String caughtBy, UnaryOperator<String> change) {
        return planted(name, what, caughtBy, () -> Wire.body(action, change));
    }

    private static PlantedBug kube(
            String name, String what, String caughtBy, String story, Function<KubeApi, KubeApi> bug) {
        return new PlantedBug(
                name,
                "undoes " + caughtBy,
                what,
                "KubeApi: one more request after each status",
                story,
                caughtBy,
                () -> new Parts() {
                    @Override
                    public KubeApi kube(KubeApi real, Loop loop) {
                        return bug.apply(real);
                    }
                });
    }

    /** Whatever matches is what matched first. */
    private static UnaryOperator<String> first(String pattern) {
        Pattern compiled = Pattern.compile(pattern);
        AtomicReference<String> kept = new AtomicReference<>("");
        return body -> {
            Matcher matcher = compiled.matcher(body);
            if (!matcher.find()) {
                return body;
            }
            kept.compareAndSet("", matcher.group(1));
            return body.replace(matcher.group(1), kept.get());
        };
    }

    private static String created(String body) {
        ObjectNode object = (ObjectNode) JsonMapper.shared().readTree(body);
        object.withObject("/metadata")
                .put("uid", "00000000-0000-4000-8000-000000000000")
                .put("resourceVersion", "1");
        return object.toString();
    }

    private static String podOf(byte[] cell) {
        JsonNode status = JsonMapper.shared().readTree(cell).path("status");
        return "/api/v1/namespaces/" + status.path("podNamespace").asString("") + "/pods/"
                + status.path("podName").asString("") + "/status";
    }

    private static UnaryOperator<String> status(java.util.function.Consumer<ObjectNode> change) {
        return body -> {
            if (JsonMapper.shared().readTree(body) instanceof ObjectNode patch
                    && patch.path("status") instanceof ObjectNode status) {
                change.accept(status);
                return patch.toString();
            }
            return body;
        };
    }

    private static void condition(ObjectNode status, String type, String value) {
        for (JsonNode one : status.path("conditions")) {
            if (one.path("type").asString("").equals(type)) {
                ((ObjectNode) one).put("status", value);
            }
        }
    }

    private interface Numbered {
        void change(ObjectNode status, int left);
    }

    private static SimNetwork.Filter countdown(Numbered change) {
        AtomicInteger left = new AtomicInteger(50);
        return Wire.body(STATUS, status(node -> change.change(node, left.decrementAndGet())));
    }

    private static void restarts(ObjectNode status, int left) {
        status.path("containerStatuses").forEach(one -> ((ObjectNode) one).put("restartCount", left));
    }

    private static void started(ObjectNode status, int left) {
        status.put("startTime", "2030-01-01T00:00:" + left + "Z");
    }

    private static SimNetwork.Filter fallingEpoch() {
        AtomicInteger next = new AtomicInteger(9);
        return Wire.body("PUT installations", body -> {
            JsonNode object = JsonMapper.shared().readTree(body);
            ((ObjectNode) object.path("spec")).put("epoch", next.getAndDecrement());
            return object.toString();
        });
    }

    private static String oneMore(String body) {
        Matcher matcher = Pattern.compile("MaxCount=(\\d+)").matcher(body);
        return matcher.find() ? matcher.replaceFirst("MaxCount=" + (Integer.parseInt(matcher.group(1)) + 1)) : body;
    }

    private static SimNetwork.Filter keyInTags() {
        AtomicReference<String> key = new AtomicReference<>("");
        SimNetwork.Filter listens = Wire.body("POST secrets", body -> {
            JsonMapper.shared().readTree(body).path("data").forEach(value -> key.set(value.asString("")));
            return body;
        });
        SimNetwork.Filter tells = Wire.body(
                RUN,
                body -> body.replaceAll(
                        "(Key=KipNametag&[A-Za-z.0-9]*Value=)[^&]*",
                        "$1" + java.net.URLEncoder.encode(key.get(), java.nio.charset.StandardCharsets.UTF_8)));
        return (call, http, service) -> listens.serve(call, http, passed -> tells.serve(call, passed, service));
    }

    private interface Afterwards {
        void then(ResourceKind<?> kind, ObjectRef ref, JsonNode patch);
    }

    private static KubeApi afterStatus(KubeApi real, Afterwards afterwards) {
        return new ForwardingKube(real) {
            @Override
            public <T> CompletionStage<Outcome<T, KubeError>> patch(
                    ResourceKind<T> kind, ObjectRef ref, String subresource, PatchType type, JsonNode patch) {
                CompletionStage<Outcome<T, KubeError>> answer = super.patch(kind, ref, subresource, type, patch);
                if (kind.plural().equals("pods")) {
                    answer.thenAccept(done -> afterwards.then(kind, ref, patch));
                }
                return answer;
            }
        };
    }

    /** Writes each status again and again. */
    private static final class Loops extends ForwardingKube {

        private static final int MOST = 500;

        private final KubeApi real;
        private final Map<ObjectRef, Integer> times = new LinkedHashMap<>();

        Loops(KubeApi real) {
            super(real);
            this.real = real;
        }

        @Override
        public <T> CompletionStage<Outcome<T, KubeError>> patch(
                ResourceKind<T> kind, ObjectRef ref, String subresource, PatchType type, JsonNode patch) {
            CompletionStage<Outcome<T, KubeError>> answer = real.patch(kind, ref, subresource, type, patch);
            if (kind.plural().equals("pods") && times.merge(ref, 1, Integer::sum) < MOST) {
                answer.thenAccept(done -> patch(kind, ref, subresource, type, patch));
            }
            return answer;
        }
    }
}
