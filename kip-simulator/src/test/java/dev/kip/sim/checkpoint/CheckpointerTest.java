package dev.kip.sim.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.checkpointer.NodeStatus.PodLine;
import dev.kip.disk.Disk.Access;
import dev.kip.disk.DurableFiles;
import dev.kip.sim.kernel.SimProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The whole program, against an API server and a disk that fail in every way the original was caught by. */
class CheckpointerTest {

    private static final String SYSTEM = "kube-system";
    private static final String WITH_SECRET = """
            "volumes": [{"name": "certs", "secret": {"secretName": "certs", "defaultMode": 256}}],
            """;

    private final Bench bench = new Bench();

    private SimProcess stored(String spec) {
        bench.pod(SYSTEM, "apiserver", spec);
        bench.runs(SYSTEM, "apiserver", bench.uid(SYSTEM, "apiserver"));
        SimProcess checkpointer = bench.start();
        bench.pass(60);
        assertThat(bench.stored()).containsExactly("kube-system/apiserver");
        return checkpointer;
    }

    private void secret(String certificate, String key) {
        bench.create("secrets", SYSTEM, secretJson(certificate, key));
    }

    private static String secretJson(String certificate, String key) {
        return """
                {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "certs", "namespace": "kube-system"},
                 "data": {"tls.crt": "%s", "tls.key": "%s"}}
                """.formatted(base64(certificate), base64(key));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    @Test
    void after_a_power_cut_with_no_api_server_the_pod_is_given_to_kubelet_within_seconds() {
        secret("cert", "key");
        SimProcess checkpointer = stored(WITH_SECRET);
        assertThat(bench.active()).isEmpty();
        bench.powerCycle(checkpointer);
        bench.apiDown();
        bench.start();
        bench.pass(2);

        assertThat(bench.active()).containsExactly("apiserver");
        assertThat(bench.mounted("certs", "tls.key")).hasValue("key");
    }

    @Test
    void it_steps_back_when_its_pod_returns() {
        SimProcess checkpointer = stored("");
        bench.powerCycle(checkpointer);
        bench.apiDown();
        bench.start();
        bench.pass(10);
        bench.apiUp();
        bench.runs(SYSTEM, "apiserver", bench.uid(SYSTEM, "apiserver"));
        bench.pass(10);

        assertThat(bench.active()).isEmpty();
        assertThat(bench.stored()).containsExactly("kube-system/apiserver");
    }

    @Test
    void d2_an_api_server_that_swallows_every_packet_costs_seconds() {
        SimProcess checkpointer = stored("");
        bench.powerCycle(checkpointer);
        bench.apiSwallows();
        bench.start();
        bench.pass(6);

        assertThat(bench.active()).containsExactly("apiserver");
    }

    /** kubernetes-retired/bootkube#480 and #672: what is no list is no empty list. */
    @Test
    void an_api_server_that_refuses_is_as_good_as_none() {
        SimProcess checkpointer = stored("");
        bench.apiAnswers(403, "Forbidden");
        bench.pass(Duration.ofMinutes(20));
        assertThat(bench.stored()).containsExactly("kube-system/apiserver");
        bench.powerCycle(checkpointer);
        bench.apiAnswers(500, "InternalError");
        bench.start();
        bench.pass(6);

        assertThat(bench.active()).containsExactly("apiserver");
    }

    @Test
    void d1_a_runtime_that_does_not_answer_starts_nothing() {
        SimProcess checkpointer = stored("");
        bench.powerCycle(checkpointer);
        bench.apiDown();
        bench.runtimeFails = true;
        bench.start();
        bench.pass(Duration.ofMinutes(10));
        assertThat(bench.active()).isEmpty();
        assertThat(bench.status().problems()).anyMatch(text -> text.contains("container runtime does not answer"));

        bench.runtimeFails = false;
        bench.pass(10);
        assertThat(bench.active()).containsExactly("apiserver");
    }

    @Test
    void d5_a_pod_whose_secret_cannot_be_had_has_no_checkpoint_until_it_can() {
        bench.pod(SYSTEM, "apiserver", WITH_SECRET);
        bench.start();
        bench.pass(60);
        assertThat(bench.stored()).isEmpty();
        assertThat(bench.status().problems()).anyMatch(text -> text.contains("certs") && text.contains("not found"));

        secret("cert", "key");
        bench.pass(10);
        assertThat(bench.stored()).containsExactly("kube-system/apiserver");
    }

    @Test
    void d11_a_renewed_secret_reaches_the_disk_without_a_new_manifest_and_its_old_keys_go() {
        secret("cert", "key");
        SimProcess checkpointer = stored(WITH_SECRET);
        bench.powerCycle(checkpointer);
        bench.apiDown();
        bench.start();
        bench.pass(10);
        bench.runs(SYSTEM, "apiserver-node-1", "static");
        List<String> before = bench.manifests().stream().map(Object::toString).toList();
        bench.replace("secrets", secretJson("cert 2", "key 2"));
        bench.apiUp();
        bench.pass(70);

        assertThat(bench.manifests().stream().map(Object::toString).toList()).isEqualTo(before);
        assertThat(bench.mounted("certs", "tls.crt")).hasValue("cert 2");
        assertThat(bench.mounted("certs", "tls.key")).hasValue("key 2");
    }

    /** kubernetes-retired/bootkube#147: all that a pod refers to, not just the first. */
    @Test
    void d8_d9_d10_everything_that_a_pod_refers_to_is_carried() {
        secret("cert", "key");
        bench.create("configmaps", SYSTEM, """
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}, "data": {"b": "from b"}}
                """);
        bench.create("configmaps", SYSTEM, """
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "e"}, "data": {"E": "from e"}}
                """);
        bench.create("pods", SYSTEM, """
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"name": "apiserver", "annotations": {"checkpointer.alpha.coreos.com/checkpoint": "true"}},
                 "spec": {"nodeName": "node-1", "serviceAccountName": "apiserver",
                   "imagePullSecrets": [{"name": "pull"}],
                   "containers": [{"name": "main", "image": "apiserver:1", "envFrom": [{"configMapRef": {"name": "e"}}],
                     "env": [{"name": "CERT", "valueFrom": {"secretKeyRef": {"name": "certs", "key": "tls.crt"}}}]}],
                   "volumes": [
                     {"name": "a", "secret": {"secretName": "certs"}},
                     {"name": "b", "configMap": {"name": "b"}},
                     {"name": "p", "projected": {"sources": [
                       {"secret": {"name": "certs", "items": [{"key": "tls.crt", "path": "deep/crt"}]}},
                       {"configMap": {"name": "b"}},
                       {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}}]}}]}}
                """);
        SimProcess checkpointer = bench.start();
        bench.pass(60);
        bench.powerCycle(checkpointer);
        bench.apiDown();
        bench.start();
        bench.pass(10);

        assertThat(bench.mounted("a", "tls.key")).hasValue("key");
        assertThat(bench.mounted("b", "b")).hasValue("from b");
        assertThat(bench.mounted("p", "deep/crt")).hasValue("cert");
        assertThat(bench.mounted("p", "b")).hasValue("from b");
        assertThat(bench.mounted("p", "token").orElse("")).isNotEmpty();
        String manifest = bench.manifests().get(0).toString();
        assertThat(manifest)
                .contains("{\"name\":\"CERT\",\"value\":\"cert\"}", "{\"name\":\"E\",\"value\":\"from e\"}")
                .doesNotContain("imagePullSecrets", "serviceAccountName", "secretKeyRef");
    }

    @Test
    void tokens_are_renewed_at_half_their_life_and_stay_when_they_cannot_be() {
        SimProcess checkpointer = stored("""
                "serviceAccountName": "apiserver",
                "volumes": [{"name": "p", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}],
                """);
        bench.powerCycle(checkpointer);
        bench.apiDown();
        bench.start();
        bench.pass(10);
        String first = bench.mounted("p", "token").orElseThrow();
        bench.apiUp();
        bench.pass(Duration.ofMinutes(50));
        assertThat(bench.mounted("p", "token")).as("at less than half its life").hasValue(first);

        bench.pass(Duration.ofMinutes(20));
        String second = bench.mounted("p", "token").orElseThrow();
        assertThat(second).isNotEqualTo(first);
        bench.apiDown();
        bench.pass(Duration.ofHours(3));
        assertThat(bench.mounted("p", "token")).hasValue(second);
    }

    @Test
    void a_pod_deleted_through_the_api_does_not_rise_again() {
        SimProcess checkpointer = stored("");
        bench.pod(SYSTEM, "scheduler", "");
        bench.pass(30);
        bench.stops(SYSTEM, "apiserver");
        bench.delete("pods", SYSTEM, "apiserver");
        bench.pass(120);
        assertThat(bench.stored()).containsExactly("kube-system/scheduler");
        bench.powerCycle(checkpointer);
        bench.apiDown();
        bench.start();
        bench.pass(60);

        assertThat(bench.active()).containsExactly("scheduler");
    }

    @Test
    void a_pod_deleted_while_the_node_was_off_is_not_started_if_the_api_server_is_there() {
        SimProcess checkpointer = stored("");
        bench.pod(SYSTEM, "scheduler", "");
        bench.pass(30);
        bench.powerCycle(checkpointer);
        bench.delete("pods", SYSTEM, "apiserver");
        bench.start();
        for (int i = 0; i < 40; i++) {
            bench.pass(1);
            assertThat(bench.active()).doesNotContain("apiserver");
        }
        bench.pass(100);
        assertThat(bench.stored()).containsExactly("kube-system/scheduler");
    }

    @Test
    void d19_an_empty_list_of_another_cluster_wipes_nothing() {
        stored("");
        bench.newCluster();
        bench.apiUp();
        bench.pass(Duration.ofMinutes(30));

        assertThat(bench.stored()).containsExactly("kube-system/apiserver");
        assertThat(bench.status().pods().get(0).remarks()).anyMatch(text -> text.contains("is not believed"));
    }

    @Test
    void an_empty_list_of_the_own_cluster_is_believed_in_the_end() {
        stored("");
        bench.delete("pods", SYSTEM, "apiserver");
        bench.stops(SYSTEM, "apiserver");
        bench.pass(50);
        assertThat(bench.stored()).hasSize(1);
        bench.pass(60);

        assertThat(bench.stored()).isEmpty();
    }

    @Test
    void d21_pods_of_other_namespaces_are_left_alone() {
        bench.create("namespaces", "", """
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "edge"}}
                """);
        bench.pod("edge", "cache", "");
        bench.start();
        bench.pass(300);

        assertThat(bench.stored()).isEmpty();
    }

    @Test
    void a_full_disk_keeps_what_is_there_says_so_and_goes_on_when_there_is_room() {
        secret("cert", "key");
        stored(WITH_SECRET);
        bench.machine.room(0);
        bench.replace("secrets", secretJson("cert 2", "key 2"));
        bench.pass(120);
        PodLine pod = bench.status().pods().get(0);
        assertThat(pod.objections()).isEmpty();

        bench.machine.room(Long.MAX_VALUE);
        bench.pass(70);
        bench.apiDown();
        bench.stops(SYSTEM, "apiserver");
        bench.pass(30);
        assertThat(bench.mounted("certs", "tls.crt")).hasValue("cert 2");
    }

    @Test
    void one_checkpointer_works_at_a_time_and_the_other_takes_over() {
        SimProcess first = stored("");
        bench.start();
        bench.pass(60);
        first.kill();
        bench.stops(SYSTEM, "apiserver");
        bench.apiDown();
        bench.pass(10);

        assertThat(bench.active()).containsExactly("apiserver");
    }

    @Test
    void one_whose_credentials_are_refused_for_a_minute_makes_way_for_the_other() {
        SimProcess first = stored("");
        SimProcess second = bench.start();
        bench.apiAnswers(401, "Unauthorized");
        bench.pass(50);
        assertThat(first.alive()).isTrue();
        bench.pass(30);
        assertThat(first.alive()).isFalse();
        assertThat(second.alive()).isTrue();
        bench.stops(SYSTEM, "apiserver");
        bench.pass(20);

        assertThat(bench.active()).containsExactly("apiserver");
    }

    @Test
    void a_checkpoint_of_the_original_gives_way_to_ours() throws IOException {
        DurableFiles files = new DurableFiles(bench.disk);
        files.ensureDirectory(Bench.LAYOUT.manifests(), Access.root(0755));
        Path theirs = Bench.LAYOUT.manifests().resolve("kube-system-apiserver.json");
        files.write(theirs, """
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"apiserver","namespace":"kube-system",
                 "annotations":{"checkpointer.alpha.coreos.com/checkpoint-of":"apiserver"}},"spec":{}}
                """.getBytes(UTF_8), Access.root(0644));
        Path foreign = Bench.LAYOUT.manifests().resolve("etcd.json");
        files.write(foreign, "{\"metadata\":{\"name\":\"etcd\"}}".getBytes(UTF_8), Access.root(0644));
        bench.pod(SYSTEM, "apiserver", "");
        bench.runs(SYSTEM, "apiserver", bench.uid(SYSTEM, "apiserver"));
        bench.start();
        bench.pass(60);

        assertThat(bench.disk.read(theirs)).isEmpty();
        assertThat(bench.disk.read(foreign)).isPresent();
    }

    @Test
    void a_clock_that_stands_in_1970_changes_nothing() {
        SimProcess checkpointer = stored("");
        bench.powerCycle(checkpointer);
        bench.apiDown();
        SimProcess late = bench.start();
        late.skewClock(Duration.ofDays(-56 * 365L));
        bench.pass(10);

        assertThat(bench.active()).containsExactly("apiserver");
    }

    /** kubernetes-retired/bootkube#548. */
    @Test
    void a_quiet_node_writes_nothing_but_its_report() {
        secret("cert", "key");
        stored(WITH_SECRET);
        bench.pass(120);
        int before = bench.machine.steps().size();
        bench.pass(600);

        assertThat(bench.machine.steps().subList(before, bench.machine.steps().size()))
                .allMatch(step -> step.contains("report") || step.endsWith("sync /var/lib/kip-checkpointer"));
    }

    @Test
    void what_was_stored_has_proven_itself_when_its_pod_has_run_for_a_while() {
        stored("");
        assertThat(bench.status().pods().get(0).proven()).isTrue();
        assertThat(bench.status().kubelet()).hasToString("1.34.4");
        assertThat(bench.status().fine()).isTrue();
    }
}
