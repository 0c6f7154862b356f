package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.Queues;
import dev.kip.kube.Codecs;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.Page;
import dev.kip.kube.PatchType;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.WatchListener;
import dev.kip.kube.WatchQuery;
import dev.kip.real.Bounded.Look;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.vertx5.Vertx5HttpClientFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The production {@link KubeApi} against a real kube-apiserver: what it sends is taken, what comes is understood. */
final class KubeApiOnRealServerIT {
    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    private static final ResourceKind<ObjectNode> CONFIG_MAPS = Kinds.CONFIG_MAPS.as(Codecs.tree());
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final LoopCalls calls = new LoopCalls();
    private HttpClient client;
    private KubeApi api;

    @BeforeEach
    void open() {
        Config config = new ConfigBuilder(
                        Config.fromKubeconfig(CLUSTER.kubeconfig().toFile()))
                .withRequestRetryBackoffLimit(0)
                .build();
        client = new Vertx5HttpClientFactory().newBuilder(config).build();
        api = new HttpKubeApi(client, CLUSTER.kubernetes(), calls.loop(), Runnable::run, TIMEOUT);
    }

    @AfterEach
    void close() {
        CLUSTER.kubectl("delete", "configmap", "--all", "-n", "default", "--wait=true")
                .orFail();
        client.close();
        calls.close();
    }

    @Test
    void an_object_is_created_read_replaced_and_deleted_with_preconditions() {
        ObjectNode created = calls.ok(() -> api.create(CONFIG_MAPS, "default", map("verbs", "1")));
        ObjectNode again = map("verbs", "1");
        assertThat(calls.refused(() -> api.create(CONFIG_MAPS, "default", again)))
                .isInstanceOf(KubeError.AlreadyExists.class);
        assertThat(calls.ok(() -> api.get(CONFIG_MAPS, ref("verbs")))
                        .at("/data/a")
                        .asString())
                .isEqualTo("1");

        ObjectNode changed = created.deepCopy();
        changed.withObject("/data").put("a", "2");
        ObjectNode replaced = calls.ok(() -> api.replace(CONFIG_MAPS, ref("verbs"), changed));
        assertThat(replaced.at("/data/a").asString()).isEqualTo("2");
        assertThat(calls.refused(() -> api.replace(CONFIG_MAPS, ref("verbs"), created)))
                .isInstanceOf(KubeError.Conflict.class);

        assertThat(calls.refused(() -> api.delete(CONFIG_MAPS, ref("verbs"), DeleteQuery.of("not-its-uid"))))
                .isInstanceOf(KubeError.Conflict.class);
        String uid = created.at("/metadata/uid").asString();
        assertThat(calls.ok(() -> api.delete(CONFIG_MAPS, ref("verbs"), DeleteQuery.of(uid))))
                .isNotNull();
        assertThat(calls.refused(() -> api.get(CONFIG_MAPS, ref("verbs")))).isInstanceOf(KubeError.NotFound.class);
    }

    @Test
    void patches_of_every_type_are_taken() throws Exception {
        calls.ok(() -> api.create(CONFIG_MAPS, "default", map("patched", "1")));
        JsonNode merge = JSON.readTree("{\"data\":{\"b\":\"2\"}}");
        JsonNode json = JSON.readTree("[{\"op\":\"test\",\"path\":\"/data/a\",\"value\":\"1\"},"
                + "{\"op\":\"add\",\"path\":\"/data/c\",\"value\":\"3\"}]");
        JsonNode failing = JSON.readTree("[{\"op\":\"test\",\"path\":\"/data/a\",\"value\":\"9\"}]");

        calls.ok(() -> api.patch(CONFIG_MAPS, ref("patched"), "", PatchType.MERGE, merge));
        calls.ok(() -> api.patch(CONFIG_MAPS, ref("patched"), "", PatchType.STRATEGIC, merge));
        ObjectNode patched = calls.ok(() -> api.patch(CONFIG_MAPS, ref("patched"), "", PatchType.JSON, json));

        assertThat(patched.at("/data").toString()).isEqualTo("{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"}");
        assertThat(calls.refused(() -> api.patch(CONFIG_MAPS, ref("patched"), "", PatchType.JSON, failing)))
                .isInstanceOf(KubeError.Invalid.class);
    }

    @Test
    void a_list_comes_in_pages() {
        for (int i = 0; i < 5; i++) {
            String name = "page-" + i;
            calls.ok(() -> api.create(CONFIG_MAPS, "default", map(name, "1")));
        }
        ListQuery query = new ListQuery("default", "kip-test=yes", "", "", 2, "");
        Page<ObjectNode> first = calls.ok(() -> api.list(CONFIG_MAPS, query));
        Page<ObjectNode> second = calls.ok(() -> api.list(CONFIG_MAPS, query.continuing(first.continueToken())));
        Page<ObjectNode> third = calls.ok(() -> api.list(CONFIG_MAPS, query.continuing(second.continueToken())));

        assertThat(first.items()).hasSize(2);
        assertThat(second.items()).hasSize(2);
        assertThat(third.items()).hasSize(1);
        assertThat(third.continueToken()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_watch_brings_every_change_in_order(boolean webSocket) throws Exception {
        String version = calls.ok(() -> api.list(CONFIG_MAPS, ListQuery.ALL)).resourceVersion();
        Seen seen = new Seen();
        calls.loop().post(() -> api.watch(CONFIG_MAPS, watching(version, webSocket), seen));

        String name = "watched-" + webSocket;
        calls.ok(() -> api.create(CONFIG_MAPS, "default", map(name, "1")));
        JsonNode change = JSON.readTree("{\"data\":{\"a\":\"2\"}}");
        calls.ok(() -> api.patch(CONFIG_MAPS, ref(name), "", PatchType.MERGE, change));
        calls.ok(() -> api.delete(CONFIG_MAPS, ref(name), DeleteQuery.PLAIN));

        assertThat(seen.next()).isEqualTo("ADDED " + name + " 1");
        assertThat(seen.next()).isEqualTo("MODIFIED " + name + " 2");
        assertThat(seen.next()).isEqualTo("DELETED " + name + " 2");
    }

    @Test
    void a_watch_from_before_the_servers_memory_is_expired() throws Exception {
        CLUSTER.applyCustomResources(); // its memory of them begins now, long after version 1
        ResourceKind<ObjectNode> cells =
                new ResourceKind<>("kip.elotl.co", "v1", "Cell", "cells", false, Codecs.tree());
        WatchQuery query = new WatchQuery("", "", "", "1", TIMEOUT, false);
        // Until its memory is there it answers that it is busy.
        String answer = Bounded.await("an answer to the watch", Duration.ofSeconds(60), () -> {
            Seen seen = new Seen();
            calls.loop().post(() -> api.watch(cells, query, seen));
            String told = seen.next();
            return told.startsWith("ended Busy") ? Look.notYet(told) : Look.at(told);
        });
        assertThat(answer).startsWith("ended Expired");
    }

    @Test
    void a_token_is_issued_for_a_service_account() throws Exception {
        ResourceKind<ObjectNode> accounts =
                new ResourceKind<>("", "v1", "ServiceAccount", "serviceaccounts", true, Codecs.tree());
        JsonNode request = JSON.readTree("{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\","
                + "\"spec\":{\"expirationSeconds\":600}}");
        JsonNode answer = calls.ok(() -> api.post(accounts, new ObjectRef("default", "default"), "token", request));
        assertThat(answer.at("/status/token").asString()).isNotEmpty();
    }

    private static WatchQuery watching(String version, boolean webSocket) {
        return new WatchQuery("default", "", "metadata.name!=kube-root-ca.crt", version, TIMEOUT, webSocket);
    }

    private static ObjectRef ref(String name) {
        return new ObjectRef("default", name);
    }

    private static ObjectNode map(String name, String value) {
        ObjectNode map = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "ConfigMap");
        map.withObject("/metadata").put("name", name).withObject("/labels").put("kip-test", "yes");
        map.withObject("/data").put("a", value);
        return map;
    }

    /** What a watch told, one line each. */
    private static final class Seen implements WatchListener<ObjectNode> {
        private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

        String next() {
            List<String> line = new ArrayList<>();
            Queues.drainUninterruptibly(lines, line, 1, 20, TimeUnit.SECONDS);
            return line.isEmpty() ? "nothing came" : line.get(0);
        }

        private void line(String type, ObjectNode object) {
            lines.add(type + " " + object.at("/metadata/name").asString() + " "
                    + object.at("/data/a").asString());
        }

        @Override
        public void added(ObjectNode object) {
            line("ADDED", object);
        }

        @Override
        public void modified(ObjectNode object) {
            line("MODIFIED", object);
        }

        @Override
        public void deleted(ObjectNode object) {
            line("DELETED", object);
        }

        @Override
        public void bookmark(String resourceVersion) {}

        @Override
        public void refused(ObjectRef ref, String problem) {
            lines.add("refused " + ref + " " + problem);
        }

        @Override
        public void ended(KubeError reason) {
            lines.add("ended " + reason);
        }
    }
}
