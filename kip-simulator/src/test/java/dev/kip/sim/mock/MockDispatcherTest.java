package dev.kip.sim.mock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kip.crd.CrdManifests;
import dev.kip.entropy.SecureEntropy;
import dev.kip.sim.apiserver.ApiFailure;
import io.fabric8.mockwebserver.dsl.HttpMethod;
import io.fabric8.mockwebserver.http.Headers;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import io.fabric8.mockwebserver.http.WebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What stories need of the mock server beside CRUD. */
class MockDispatcherTest {

    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String CELLS = "/apis/kip.elotl.co/v1/cells";

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private MockDispatcher dispatcher;

    @BeforeEach
    void define() {
        dispatcher = new MockDispatcher(new Kinds(), new Admitting(new SecureEntropy()), new WatchHub(clock));
        CrdManifests.all().forEach(crd -> call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd));
    }

    @AfterEach
    void end() {
        clock.shutdownNow();
    }

    @Test
    void a_new_pod_has_what_the_server_fills_in_and_a_name_is_taken_once() {
        ObjectNode pod = call("POST", PODS, pod("web"));

        assertThat(pod.at("/status/phase").asString("")).isEqualTo("Pending");
        assertThat(pod.at("/spec/terminationGracePeriodSeconds").asInt(0)).isEqualTo(30);
        assertThat(pod.at("/metadata/uid").asString("")).isNotEmpty();
        assertThat(pod.at("/metadata/resourceVersion").asString("")).isNotEmpty();
        assertThat(call("POST", PODS, json("{metadata: {generateName: web-}, spec: {containers: []}}"))
                        .at("/metadata/name")
                        .asString(""))
                .matches("web-[a-z0-9]{5}");
        assertRefused("AlreadyExists", () -> call("POST", PODS, pod("web")));
    }

    @Test
    void lists_are_selected_by_node_label_and_name_and_come_in_pages() {
        for (String name : List.of("a", "b", "c")) {
            call("POST", PODS, pod(name));
        }
        call("POST", PODS + "/b/binding", json("{target: {name: virtual-kubelet}}"));

        assertThat(names("/api/v1/pods?fieldSelector=spec.nodeName%3Dvirtual-kubelet"))
                .containsExactly("b");
        assertThat(names("/api/v1/pods?fieldSelector=spec.nodeName%21%3Dvirtual-kubelet"))
                .containsExactly("a", "c");
        assertThat(names(PODS + "?labelSelector=app%3Da")).containsExactly("a");
        ObjectNode page = call("GET", PODS + "?limit=2", null);
        assertThat(page.path("items").size()).isEqualTo(2);
        assertThat(names(PODS + "?limit=2&continue="
                        + page.at("/metadata/continue").asString("").replace("/", "%2F")))
                .containsExactly("c");
    }

    @Test
    void status_is_written_apart_and_a_pod_is_bound_once() {
        call("POST", PODS, pod("web"));
        call("POST", PODS + "/web/binding", json("{target: {name: n}}"));
        assertRefused("Conflict", () -> call("POST", PODS + "/web/binding", json("{target: {name: m}}")));

        patch(PODS + "/web/status", "application/merge-patch+json", "{status: {phase: Running}, spec: {nodeName: x}}");
        patch(
                PODS + "/web",
                "application/merge-patch+json",
                "{metadata: {labels: {more: yes}}, status: {phase: Failed}}");

        ObjectNode pod = call("GET", PODS + "/web", null);
        assertThat(pod.at("/status/phase").asString("")).isEqualTo("Running");
        assertThat(pod.at("/spec/nodeName").asString("")).isEqualTo("n");
        assertThat(pod.at("/metadata/labels/more").asString("")).isEqualTo("yes");
    }

    @Test
    void a_strategic_patch_merges_lists_by_their_keys_where_a_merge_patch_replaces_them() {
        call("POST", PODS, pod("web"));
        patch(
                PODS + "/web/status",
                "application/strategic-merge-patch+json",
                "{status: {conditions: [{type: Ready, status: 'False'}]}}");
        patch(
                PODS + "/web/status",
                "application/strategic-merge-patch+json",
                "{status: {conditions: [{type: Initialized, status: 'True'}]}}");
        assertThat(call("GET", PODS + "/web", null).at("/status/conditions").size())
                .isEqualTo(2);

        patch(
                PODS + "/web/status",
                "application/merge-patch+json",
                "{status: {conditions: [{type: Ready, status: 'True'}]}}");
        assertThat(call("GET", PODS + "/web", null).at("/status/conditions").size())
                .isEqualTo(1);
    }

    @Test
    void a_pod_on_a_node_is_given_time_and_one_on_none_goes_at_once() {
        call("POST", PODS, pod("waiting"));
        call("DELETE", PODS + "/waiting", null);
        assertThat(names(PODS)).isEmpty();

        call("POST", PODS, pod("web"));
        call("POST", PODS + "/web/binding", json("{target: {name: n}}"));
        call("DELETE", PODS + "/web", null);
        ObjectNode going = call("GET", PODS + "/web", null);
        assertThat(going.at("/metadata/deletionTimestamp").asString("")).isNotEmpty();
        assertThat(going.at("/metadata/deletionGracePeriodSeconds").asInt(0)).isEqualTo(30);
        patch(PODS + "/web/status", "application/merge-patch+json", "{status: {phase: Succeeded}}");
        assertThat(names(PODS)).containsExactly("web");

        call("DELETE", PODS + "/web", json("{gracePeriodSeconds: 0}"));
        assertThat(names(PODS)).isEmpty();
    }

    @Test
    void preconditions_and_versions_are_kept() {
        ObjectNode pod = call("POST", PODS, pod("web"));
        assertRefused("Conflict", () -> call("DELETE", PODS + "/web", json("{preconditions: {uid: other}}")));

        ObjectNode stale = pod.deepCopy();
        patch(PODS + "/web", "application/merge-patch+json", "{metadata: {labels: {a: b}}}");
        assertRefused("Conflict", () -> call("PUT", PODS + "/web", stale));
        assertRefused(
                "Conflict",
                () -> patch(
                        PODS + "/web",
                        "application/merge-patch+json",
                        "{metadata: {resourceVersion: '1', labels: {a: c}}}"));
        assertRefused("NotFound", () -> call("GET", PODS + "/other", null));
    }

    @Test
    void a_custom_object_is_held_by_its_finalizer_and_goes_with_the_last_one() {
        call(
                "POST",
                CELLS,
                json("{metadata: {name: c, finalizers: [kip.elotl.co/instance]}, status: {instanceID: i-1}}"));
        assertThat(call("GET", CELLS + "/c", null).at("/status/instanceID").asString(""))
                .isEqualTo("i-1");

        call("DELETE", CELLS + "/c", null);
        ObjectNode going = call("GET", CELLS + "/c", null);
        assertThat(going.path("metadata").has("deletionTimestamp")).isTrue();
        patch(CELLS + "/c", "application/merge-patch+json", "{metadata: {finalizers: null}}");
        assertThat(names(CELLS)).isEmpty();
    }

    @Test
    void what_was_replaced_by_the_same_keeps_its_version() {
        ObjectNode pod = call("POST", PODS, pod("web"));

        assertThat(call("PUT", PODS + "/web", pod).at("/metadata/resourceVersion"))
                .isEqualTo(pod.at("/metadata/resourceVersion"));
    }

    @Test
    void a_workload_is_scaled_by_its_subresource() {
        call(
                "POST",
                "/apis/apps/v1/namespaces/default/deployments",
                json("{metadata: {name: web}, spec: {replicas: 2, selector: {matchLabels: {a: b}}, template: {}}}"));

        patch(
                "/apis/apps/v1/namespaces/default/deployments/web/scale",
                "application/merge-patch+json",
                "{spec: {replicas: 5}}");

        assertThat(call("GET", "/apis/apps/v1/namespaces/default/deployments/web", null)
                        .at("/spec/replicas")
                        .asInt(0))
                .isEqualTo(5);
    }

    @Test
    void a_watch_begins_after_its_version_and_sees_objects_enter_and_leave_its_selector() throws Exception {
        ObjectNode list = call("GET", PODS, null);
        call("POST", PODS, pod("before"));
        Socket watch = watch(PODS + "?watch=1&fieldSelector=spec.nodeName%3Dn&resourceVersion="
                + list.at("/metadata/resourceVersion").asString(""));
        Socket everything = watch(PODS + "?watch=1&resourceVersion="
                + list.at("/metadata/resourceVersion").asString(""));

        call("POST", PODS + "/before/binding", json("{target: {name: n}}"));
        call("DELETE", PODS + "/before", json("{gracePeriodSeconds: 0}"));

        assertThat(watch.events(2)).containsExactly("ADDED before", "DELETED before");
        assertThat(everything.events(3)).containsExactly("ADDED before", "MODIFIED before", "DELETED before");
    }

    @Test
    void a_restore_brings_back_what_was_kept_with_its_uids_and_ends_watches() throws Exception {
        ObjectNode kept = call("POST", PODS, pod("kept"));
        call("POST", PODS, pod("changed"));
        Snapshot snapshot = dispatcher.snapshot();
        patch(PODS + "/changed", "application/merge-patch+json", "{metadata: {labels: {app: other}}}");
        call("POST", PODS, pod("late"));
        call("DELETE", PODS + "/kept", null);
        String before = call("GET", PODS, null).at("/metadata/resourceVersion").asString("");
        List<String> heard = new ArrayList<>();
        dispatcher.onChange(change -> heard.add(
                change.event() + " " + change.subject().at("/metadata/name").asString("")));

        dispatcher.restore(snapshot);

        assertThat(names(PODS)).containsExactly("changed", "kept");
        assertThat(names(PODS + "?labelSelector=app%3Dchanged")).containsExactly("changed");
        assertThat(call("GET", PODS + "/kept", null).at("/metadata/uid")).isEqualTo(kept.at("/metadata/uid"));
        assertThat(heard).contains("DELETED late", "ADDED kept", "MODIFIED changed");
        assertThat(dispatcher
                        .dispatch(request("GET", PODS + "?watch=1&resourceVersion=" + before))
                        .code())
                .isEqualTo(410);
    }

    @Test
    void who_watches_from_what_is_forgotten_is_told_to_list_again() {
        for (int i = 0; i < 5_100; i++) {
            dispatcher.onChange(change -> {});
            patchLease(i);
        }
        MockResponse answer = dispatcher.dispatch(request("GET", PODS + "?watch=1&resourceVersion=1"));

        assertThat(answer.code()).isEqualTo(410);
    }

    private void patchLease(int i) {
        String leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
        if (i == 0) {
            call("POST", leases, json("{metadata: {name: l}}"));
        } else {
            patch(leases + "/l", "application/merge-patch+json", "{spec: {leaseTransitions: " + i + "}}");
        }
    }

    private List<String> names(String path) {
        List<String> names = new ArrayList<>();
        call("GET", path, null)
                .path("items")
                .forEach(item -> names.add(item.at("/metadata/name").asString("")));
        return names;
    }

    private ObjectNode call(String method, String path, @org.jspecify.annotations.Nullable JsonNode body) {
        return dispatcher
                .answer(
                        method,
                        Target.parse(path),
                        "application/json",
                        Optional.ofNullable(body).map(this::typed))
                .body();
    }

    /** As clients do: a body says what it is. */
    private JsonNode typed(JsonNode body) {
        if (body instanceof ObjectNode object && object.has("metadata") && !object.has("kind")) {
            String kind = object.at("/spec").has("template")
                    ? "Deployment"
                    : object.at("/spec").has("containers")
                            ? "Pod"
                            : object.at("/metadata/name").asString("").equals("l") ? "Lease" : "Cell";
            object.put("kind", kind)
                    .put(
                            "apiVersion",
                            switch (kind) {
                                case "Deployment" -> "apps/v1";
                                case "Pod" -> "v1";
                                case "Lease" -> "coordination.k8s.io/v1";
                                default -> "kip.elotl.co/v1";
                            });
        }
        return body;
    }

    private ObjectNode patch(String path, String type, String body) {
        return dispatcher
                .answer("PATCH", Target.parse(path), type, Optional.of(json(body)))
                .body();
    }

    private void assertRefused(String reason, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        ApiFailure.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }

    private static ObjectNode pod(String name) {
        ObjectNode pod = json("{spec: {containers: [{name: main, image: nginx}]}}");
        pod.put("kind", "Pod").put("apiVersion", "v1");
        pod.putObject("metadata")
                .put("name", name)
                .put("namespace", "default")
                .putObject("labels")
                .put("app", name);
        return pod;
    }

    private static ObjectNode json(String text) {
        return (ObjectNode) JsonMapper.builder()
                .enable(
                        tools.jackson.core.json.JsonReadFeature.ALLOW_UNQUOTED_PROPERTY_NAMES,
                        tools.jackson.core.json.JsonReadFeature.ALLOW_SINGLE_QUOTES)
                .build()
                .readTree(quoted(text));
    }

    /** Bare words of values get quotes. */
    private static String quoted(String text) {
        return text.replaceAll("(: |\\[)([A-Za-z][A-Za-z0-9./-]*)(?=[,}\\]])", "$1\"$2\"")
                .replaceAll("\"(null|true|false)\"", "$1");
    }

    private static RecordedRequest request(String method, String path) {
        return new RecordedRequest(
                "HTTP/1.1", HttpMethod.valueOf(method), path, Headers.builder().build(), null);
    }

    private Socket watch(String path) {
        RecordedRequest request = request("GET", path);
        MockResponse answer = dispatcher.dispatch(request);
        Socket socket = new Socket(request);
        answer.getWebSocketListener().onOpen(socket, answer);
        return socket;
    }

    private static final class Socket implements WebSocket {

        private final RecordedRequest request;
        private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

        Socket(RecordedRequest request) {
            this.request = request;
        }

        /** So many, as they come. */
        List<String> events(int count) throws InterruptedException {
            List<String> heard = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                heard.add(String.valueOf(events.poll(10, TimeUnit.SECONDS)));
            }
            assertThat(events).isEmpty();
            return heard;
        }

        @Override
        public RecordedRequest request() {
            return request;
        }

        @Override
        public boolean send(String text) {
            JsonNode event = JsonMapper.shared().readTree(text);
            return events.add(event.path("type").asString("") + " "
                    + event.at("/object/metadata/name").asString(""));
        }

        @Override
        public boolean send(byte[] bytes) {
            return false;
        }

        @Override
        public boolean close(int code, String reason) {
            return true;
        }
    }
}
