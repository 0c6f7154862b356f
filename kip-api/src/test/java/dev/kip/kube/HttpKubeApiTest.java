package dev.kip.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.kube.vertx.KubeClients;
import dev.kip.loop.ManualLoop;
import dev.kip.outcome.Outcome;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Every verb and every Status reason, against fabric8's mock server. */
@Timeout(60)
class HttpKubeApiTest {

    private static final ObjectRef WEB = new ObjectRef("default", "web");
    private static final String POD = "/api/v1/namespaces/default/pods/web";
    private static final String PODS = "/api/v1/namespaces/default/pods";

    private final KubernetesMockServer server = new KubernetesMockServer(false);
    private final ManualLoop loop = new ManualLoop();
    private HttpClient client;
    private HttpKubeApi api;

    @BeforeEach
    void start() {
        server.init();
        Config config =
                new ConfigBuilder(Config.empty()).withMasterUrl(server.url("/")).build();
        client = KubeClients.open(config);
        api = new HttpKubeApi(client, URI.create(server.url("/")), loop, Runnable::run, Duration.ofSeconds(5));
    }

    @AfterEach
    void stop() {
        client.close();
        server.destroy();
    }

    @Test
    void a_pod_is_read() {
        server.expect().get().withPath(POD).andReturn(200, pod("web", "7")).once();

        assertThat(ok(api.get(Kinds.PODS, WEB)).getMetadata().getResourceVersion())
                .isEqualTo("7");
    }

    @Test
    void a_tree_keeps_every_field_and_digit_but_not_who_manages_which_field() throws Exception {
        String json = """
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","managedFields":[{"manager":"kubectl"}]},
                 "spec":{"priority":1.10,"fieldOfTheFuture":{"deep":[1,2.50,12345678901234567890]}}}""";
        server.expect().get().withPath(POD).andReturn(200, json).once();

        ObjectNode read = ok(api.get(Kinds.PODS.as(Codecs.tree()), WEB));

        ObjectNode wanted = (ObjectNode) KubeJson.MAPPER.readTree(json);
        wanted.withObject("/metadata").remove("managedFields");
        assertThat(read.toString()).isEqualTo(wanted.toString()).contains("1.10", "2.50", "12345678901234567890");
    }

    @Test
    void a_list_comes_page_by_page_with_the_types_that_the_server_leaves_out() throws Exception {
        server.expect()
                .get()
                .withPath(PODS + "?labelSelector=app%20in%20%28a%2Cb%29&fieldSelector=spec.nodeName%3Dkip&limit=2")
                .andReturn(
                        200,
                        list("11", "next-page", "{\"metadata\":{\"name\":\"a\"}}", "{\"metadata\":{\"name\":\"b\"}}"))
                .once();
        server.expect()
                .get()
                .withPath(
                        PODS
                                + "?labelSelector=app%20in%20%28a%2Cb%29&fieldSelector=spec.nodeName%3Dkip&limit=2&continue=next-page")
                .andReturn(200, list("11", "", "{\"metadata\":{\"name\":\"c\"}}"))
                .once();
        ListQuery query = new ListQuery("default", "", "", "", 0, "")
                .labels("app in (a,b)")
                .fields("spec.nodeName=kip")
                .limit(2);

        Page<ObjectNode> first = ok(api.list(Kinds.PODS.as(Codecs.tree()), query));
        Page<ObjectNode> second = ok(api.list(Kinds.PODS.as(Codecs.tree()), query.continuing(first.continueToken())));

        assertThat(first.items())
                .extracting(KubeJson::refOf)
                .extracting(ObjectRef::name)
                .containsExactly("a", "b");
        assertThat(first.items())
                .allSatisfy(item -> assertThat(item.path("kind").asString()).isEqualTo("Pod"));
        assertThat(first.resourceVersion()).isEqualTo("11");
        assertThat(second.items()).hasSize(1);
        assertThat(second.continueToken()).isEmpty();
    }

    @Test
    void one_bad_item_of_a_list_is_refused_and_the_others_survive() {
        server.expect()
                .get()
                .withPath(PODS)
                .andReturn(
                        200,
                        list(
                                "11",
                                "",
                                "{\"metadata\":{\"name\":\"good\"}}",
                                "{\"metadata\":{\"namespace\":\"default\",\"name\":\"bad\"},\"spec\":{\"containers\":\"none\"}}",
                                "42"))
                .once();

        Page<Pod> page = ok(api.list(Kinds.PODS, new ListQuery("default", "", "", "", 0, "")));

        assertThat(page.items()).extracting(p -> p.getMetadata().getName()).containsExactly("good");
        assertThat(page.refused())
                .extracting(Page.Refused::ref)
                .containsExactly(new ObjectRef("default", "bad"), new ObjectRef("", "?"));
        assertThat(page.refused().get(0).problem()).contains("containers");
    }

    @Test
    void an_empty_list_may_be_null() {
        server.expect()
                .get()
                .withPath("/api/v1/nodes")
                .andReturn(200, "{\"kind\":\"NodeList\",\"metadata\":{\"resourceVersion\":\"3\"},\"items\":null}")
                .once();

        assertThat(ok(api.list(Kinds.NODES, ListQuery.ALL)).items()).isEmpty();
    }

    @Test
    void what_is_no_list_is_garbled() {
        server.expect()
                .get()
                .withPath("/api/v1/nodes")
                .andReturn(200, "{\"kind\":\"Node\"}")
                .once();

        assertThat(error(api.list(Kinds.NODES, ListQuery.ALL)))
                .isEqualTo(new KubeError.Garbled(200, "list nodes: wanted a list, found kind \"Node\""));
    }

    @Test
    void an_object_is_created() throws Exception {
        server.expect().post().withPath(PODS).andReturn(201, pod("web", "8")).once();

        Pod created = ok(api.create(Kinds.PODS, "default", pod("web", null)));

        assertThat(created.getMetadata().getResourceVersion()).isEqualTo("8");
        RecordedRequest sent = taken();
        assertThat(sent.getHeader("Content-Type")).startsWith("application/json");
        assertThat(json(sent).path("kind").asString()).isEqualTo("Pod");
    }

    @Test
    void a_kind_of_a_group_is_created_with_its_type_filled_in() throws Exception {
        server.expect()
                .post()
                .withPath("/apis/coordination.k8s.io/v1/namespaces/kip/leases")
                .andReturn(201, "{\"metadata\":{\"name\":\"kip\"}}")
                .once();
        ObjectNode lease = JsonMapper.shared().createObjectNode();
        lease.putObject("metadata").put("name", "kip");

        ok(api.create(Kinds.LEASES.as(Codecs.tree()), "kip", lease));

        assertThat(json(taken()).path("apiVersion").asString()).isEqualTo("coordination.k8s.io/v1");
        assertThat(lease.has("kind")).as("what was handed in is not changed").isFalse();
    }

    @Test
    void an_object_is_replaced() throws Exception {
        server.expect().put().withPath(POD).andReturn(200, pod("web", "9")).once();

        assertThat(ok(api.replace(Kinds.PODS, WEB, pod("web", "8")))
                        .getMetadata()
                        .getResourceVersion())
                .isEqualTo("9");
        assertThat(json(taken()).path("metadata").path("resourceVersion").asString())
                .isEqualTo("8");
    }

    @ParameterizedTest
    @MethodSource("patches")
    void a_patch_goes_with_its_media_type_to_its_subresource(PatchType type, String subresource, String path)
            throws Exception {
        server.expect().patch().withPath(path).andReturn(200, pod("web", "9")).once();
        ObjectNode patch = JsonMapper.shared().createObjectNode();
        patch.putObject("status").put("phase", "Running");

        ok(api.patch(Kinds.PODS, WEB, subresource, type, patch));

        RecordedRequest sent = taken();
        assertThat(sent.getHeader("Content-Type")).startsWith(type.mediaType());
        assertThat(json(sent)).isEqualTo(patch);
    }

    static Stream<Arguments> patches() {
        return Stream.of(
                Arguments.of(PatchType.MERGE, "status", POD + "/status"),
                Arguments.of(PatchType.JSON, "", POD),
                Arguments.of(PatchType.STRATEGIC, "", POD));
    }

    @Test
    void a_delete_carries_its_preconditions_in_its_body() throws Exception {
        server.expect().delete().withPath(POD).andReturn(200, pod("web", "9")).once();

        ok(api.delete(
                Kinds.PODS,
                WEB,
                new DeleteQuery(
                        Optional.of("u-1"),
                        Optional.of("8"),
                        DeleteQuery.PLAIN.now().gracePeriodSeconds())));

        assertThat(json(taken())).isEqualTo(JsonMapper.shared().readTree("""
                        {"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,
                         "preconditions":{"uid":"u-1","resourceVersion":"8"}}"""));
    }

    @Test
    void a_token_is_asked_for() throws Exception {
        var accounts = new ResourceKind<>("", "v1", "ServiceAccount", "serviceaccounts", true, Codecs.tree());
        server.expect()
                .post()
                .withPath("/api/v1/namespaces/default/serviceaccounts/web/token")
                .andReturn(201, "{\"kind\":\"TokenRequest\",\"status\":{\"token\":\"t\"}}")
                .once();

        JsonNode answer =
                ok(api.post(accounts, WEB, "token", JsonMapper.shared().createObjectNode()));

        assertThat(answer.path("status").path("token").asString()).isEqualTo("t");
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void a_status_says_what_it_is(int code, String reason, String details, Class<? extends KubeError> wanted) {
        server.expect()
                .get()
                .withPath(POD)
                .andReturn(code, status(code, reason, details))
                .once();

        KubeError error = error(api.get(Kinds.PODS, WEB));

        assertThat(error).isInstanceOf(wanted);
        assertThat(error.message()).startsWith("get pods default/web: ").contains("said so");
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of(400, "BadRequest", "{}", KubeError.Invalid.class),
                Arguments.of(401, "Unauthorized", "{}", KubeError.Unauthorized.class),
                Arguments.of(403, "Forbidden", "{}", KubeError.Forbidden.class),
                Arguments.of(404, "NotFound", "{}", KubeError.NotFound.class),
                Arguments.of(405, "MethodNotAllowed", "{}", KubeError.Invalid.class),
                Arguments.of(406, "NotAcceptable", "{}", KubeError.Invalid.class),
                Arguments.of(409, "AlreadyExists", "{}", KubeError.AlreadyExists.class),
                Arguments.of(409, "Conflict", "{}", KubeError.Conflict.class),
                Arguments.of(410, "Gone", "{}", KubeError.Expired.class),
                Arguments.of(410, "Expired", "{}", KubeError.Expired.class),
                Arguments.of(413, "RequestEntityTooLarge", "{}", KubeError.Invalid.class),
                Arguments.of(415, "UnsupportedMediaType", "{}", KubeError.Invalid.class),
                Arguments.of(422, "Invalid", "{}", KubeError.Invalid.class),
                Arguments.of(429, "TooManyRequests", "{}", KubeError.Busy.class),
                Arguments.of(500, "InternalError", "{}", KubeError.Busy.class),
                Arguments.of(500, "ServerTimeout", "{}", KubeError.Busy.class),
                Arguments.of(503, "ServiceUnavailable", "{}", KubeError.Busy.class),
                Arguments.of(504, "Timeout", "{}", KubeError.Busy.class),
                Arguments.of(
                        504,
                        "Timeout",
                        "{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\"}]}",
                        KubeError.Expired.class));
    }

    @Test
    void the_server_says_when_to_come_back() {
        server.expect()
                .get()
                .withPath(POD)
                .andReturn(429, status(429, "TooManyRequests", "{\"retryAfterSeconds\":7}"))
                .once();
        server.expect()
                .get()
                .withPath(POD)
                .andReturn(429, "Too many requests, please try again later.")
                .withHeader("Retry-After: 3")
                .once();

        assertThat(error(api.get(Kinds.PODS, WEB)))
                .isInstanceOfSatisfying(
                        KubeError.Busy.class,
                        busy -> assertThat(busy.retryAfter()).contains(Duration.ofSeconds(7)));
        assertThat(error(api.get(Kinds.PODS, WEB)))
                .isInstanceOfSatisfying(
                        KubeError.Busy.class,
                        busy -> assertThat(busy.retryAfter()).contains(Duration.ofSeconds(3)));
    }

    /** WATCH-09: the variant without cause text. */
    @Test
    void a_version_that_the_server_has_not_reached_counts_as_expired_whatever_form_it_takes() {
        server.expect()
                .get()
                .withPath("/api/v1/nodes?resourceVersion=5399771")
                .andReturn(
                        504,
                        "{\"kind\":\"Status\",\"code\":504,\"reason\":\"Timeout\","
                                + "\"message\":\"Timeout: Too large resource version: 5399771, current: 5399770\"}")
                .once();

        assertThat(error(api.list(Kinds.NODES, ListQuery.ALL.at("5399771")))).isInstanceOf(KubeError.Expired.class);
    }

    @ParameterizedTest
    @MethodSource("unknownEffects")
    void a_write_that_storage_may_yet_do_has_no_answer(int code, String reason, String message) {
        server.expect()
                .post()
                .withPath(PODS)
                .andReturn(
                        code,
                        "{\"kind\":\"Status\",\"code\":" + code + ",\"reason\":\"" + reason + "\",\"message\":\""
                                + message + "\"}")
                .once();

        assertThat(error(api.create(Kinds.PODS, "default", pod("web", null)))).isInstanceOf(KubeError.NoAnswer.class);
    }

    static Stream<Arguments> unknownEffects() {
        return Stream.of(
                Arguments.of(500, "InternalError", "etcdserver: request timed out"),
                Arguments.of(504, "Timeout", "request did not complete within requested timeout"));
    }

    @ParameterizedTest
    @MethodSource("noAnswersOfAnApiServer")
    void what_no_api_server_would_say_is_garbled(int code, String body) {
        server.expect().get().withPath(POD).andReturn(code, body).once();

        assertThat(error(api.get(Kinds.PODS, WEB)))
                .isInstanceOfSatisfying(
                        KubeError.Garbled.class,
                        garbled -> assertThat(garbled.code()).isEqualTo(code));
    }

    static Stream<Arguments> noAnswersOfAnApiServer() {
        return Stream.of(
                Arguments.of(200, "<html>login</html>"),
                Arguments.of(200, "{\"kind\":\"Pod\",\"metadata\":{\"na"),
                Arguments.of(200, "[]"),
                Arguments.of(200, "{}{}"),
                Arguments.of(200, "{\"kind\":\"Pod\",\"spec\":{\"containers\":3}}"),
                Arguments.of(404, "<html>not here</html>"),
                Arguments.of(409, "conflict"),
                Arguments.of(502, "<html>Bad Gateway</html>"),
                Arguments.of(503, ""));
    }

    @Test
    void a_kind_that_is_not_served_is_not_an_object_that_is_gone() {
        server.expect()
                .get()
                .withPath(POD)
                .andReturn(404, "404 page not found\n")
                .once();

        assertThat(error(api.get(Kinds.PODS, WEB)))
                .isInstanceOfSatisfying(
                        KubeError.Invalid.class,
                        invalid -> assertThat(invalid.reason()).isEqualTo("NotServed"));
    }

    @Test
    void a_refused_connection_is_no_answer() {
        URI nobody = URI.create("http://127.0.0.1:1");
        var lonely = new HttpKubeApi(client, nobody, loop, Runnable::run, Duration.ofSeconds(5));

        assertThat(error(lonely.get(Kinds.PODS, WEB))).isInstanceOf(KubeError.NoAnswer.class);
    }

    @Test
    void nothing_is_sent_twice() {
        server.expect()
                .get()
                .withPath(POD)
                .andReturn(500, status(500, "InternalError", "{}"))
                .always();

        assertThat(error(api.get(Kinds.PODS, WEB))).isInstanceOf(KubeError.Busy.class);

        assertThat(server.getRequestCount()).isEqualTo(1);
    }

    @Test
    void a_codec_that_fails_is_an_answer_too() {
        server.expect().get().withPath(POD).andReturn(200, pod("web", "7")).once();
        var broken = Kinds.PODS.as(new Codec<String>() {
            @Override
            public String decode(ObjectNode object) {
                throw new IllegalArgumentException("spec.x: wanted a, found b");
            }

            @Override
            public ObjectNode encode(String value) {
                throw new UnsupportedOperationException();
            }
        });

        assertThat(error(api.get(broken, WEB)).message()).isEqualTo("get pods default/web: spec.x: wanted a, found b");
    }

    private <T> T ok(CompletionStage<Outcome<T, KubeError>> call) {
        return loop.await(call).fold(value -> value, error -> {
            throw new AssertionError(error.toString());
        });
    }

    private <T> KubeError error(CompletionStage<Outcome<T, KubeError>> call) {
        return loop.await(call).error().orElseThrow();
    }

    private RecordedRequest taken() throws InterruptedException {
        return server.takeRequest(10, TimeUnit.SECONDS);
    }

    private static JsonNode json(RecordedRequest request) {
        return JsonMapper.shared().readTree(request.getBody().readUtf8());
    }

    private static Pod pod(String name, String version) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .withResourceVersion(version)
                .endMetadata()
                .build();
    }

    private static String list(String version, String next, String... items) {
        return "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" + version
                + "\",\"continue\":\"" + next + "\"},\"items\":[" + String.join(",", ImmutableList.copyOf(items))
                + "]}";
    }

    private static String status(int code, String reason, String details) {
        return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":" + code + ",\"reason\":\""
                + reason + "\",\"message\":\"said so\",\"details\":" + details + "}";
    }
}
