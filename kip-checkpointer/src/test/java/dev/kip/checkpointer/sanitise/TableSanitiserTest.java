package dev.kip.checkpointer.sanitise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.checkpointer.sanitise.Finding.Action;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class TableSanitiserTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Sanitiser.Site SITE = new Sanitiser.Site("/var/lib/kip/g7", "Master-1");

    private final TableSanitiser sanitiser = new TableSanitiser();

    /** As kube-apiserver's DaemonSet pod is in a cluster of 1.21 or later. */
    private static ObjectNode apiServer() {
        return parse("""
                {"metadata": {"name": "kube-apiserver-x7k2p", "namespace": "kube-system", "uid": "u-1",
                   "generateName": "kube-apiserver-", "resourceVersion": "77", "creationTimestamp": "2026-01-01T00:00:00Z",
                   "labels": {"k8s-app": "kube-apiserver", "controller-revision-hash": "abc"},
                   "annotations": {"checkpointer.alpha.coreos.com/checkpoint": "true", "mine": "1"},
                   "ownerReferences": [{"kind": "DaemonSet", "name": "kube-apiserver"}]},
                 "spec": {"hostNetwork": true, "nodeName": "master-1", "serviceAccountName": "kube-apiserver",
                   "nodeSelector": {"node-role.kubernetes.io/master": ""},
                   "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms":
                     [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["master-1"]}]}]}}},
                   "tolerations": [{"operator": "Exists"}], "restartPolicy": "Always",
                   "priorityClassName": "system-node-critical", "priority": 2000001000,
                   "containers": [{"name": "api", "image": "k8s.gcr.io/hyperkube:v1.12.1", "imagePullPolicy": "Always",
                     "ports": [{"name": "https", "containerPort": 6443}],
                     "livenessProbe": {"httpGet": {"port": "https", "scheme": "HTTPS"}},
                     "env": [{"name": "P", "valueFrom": {"secretKeyRef": {"name": "api", "key": "p"}}}],
                     "volumeMounts": [{"name": "certs", "mountPath": "/certs"}, {"name": "token", "mountPath": "/t"}],
                     "futureField": {"a": [1, 2.50, 1e3]}}],
                   "volumes": [{"name": "certs", "secret": {"secretName": "api", "defaultMode": 256,
                       "items": [{"key": "c", "path": "tls/c.pem"}]}},
                     {"name": "token", "projected": {"sources": [
                       {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
                       {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                       {"downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}}]}}]},
                 "status": {"phase": "Running"}}
                """);
    }

    private static Supplies supplies() {
        return new Supplies(
                ImmutableMap.of(
                        new Need.Thing(Need.Kind.SECRET, "api", false),
                        parse("{\"data\": {\"c\": \"Q0VSVA==\", \"p\": \"YSRi\"}}"),
                        new Need.Thing(Need.Kind.CONFIG_MAP, "kube-root-ca.crt", false),
                        parse("{\"data\": {\"ca.crt\": \"CA\"}}")),
                ImmutableMap.of(new Need.Token("kube-apiserver", "", Duration.ofSeconds(3607)), "jwt"));
    }

    private static ObjectNode parse(String json) {
        return (ObjectNode) JSON.readTree(json);
    }

    private StaticPod checkpoint(ObjectNode pod) {
        Sanitised sanitised = sanitiser.sanitise(pod, supplies(), SITE);
        return sanitised.pod().orElseThrow(() -> new AssertionError(sanitised.findings()));
    }

    static ImmutableList<KubeletVersion> kubelets() {
        return KubeletVersion.MODELLED;
    }

    @ParameterizedTest
    @MethodSource("kubelets")
    void a_control_plane_pod_becomes_a_static_pod_that_every_kubelet_brings_back(KubeletVersion version) {
        ManifestCheck check = new KubeletCheck(KubeletModel.of(version), NodeFacts.named("Master-1"));

        assertThat(check.objections(checkpoint(apiServer()).manifest())).isEmpty();
    }

    @Test
    void the_affinity_that_a_typed_round_trip_emptied_is_gone_and_so_is_the_one_that_survived() {
        ObjectNode mangled = apiServer();
        ObjectNode emptied = parse("""
                {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                  {"nodeSelectorTerms": [{"matchExpressions": null}]}}}
                """);
        mangled.withObject("/spec").set("affinity", emptied);

        assertThat(checkpoint(mangled).manifest().path("spec").has("affinity")).isFalse();
        assertThat(checkpoint(apiServer()).manifest().path("spec").has("affinity"))
                .isFalse();
    }

    @Test
    void d7_a_field_that_nobody_knows_yet_is_carried_digit_by_digit() {
        assertThat(checkpoint(apiServer()).manifest().at("/spec/containers/0/futureField"))
                .isEqualTo(apiServer().at("/spec/containers/0/futureField"));
    }

    @Test
    void d12_secrets_config_maps_and_tokens_become_files_with_their_paths_and_modes() {
        StaticPod pod = checkpoint(apiServer());

        assertThat(pod.volumes()).extracting(StaticPod.Volume::name).containsExactly("certs", "token");
        assertThat(pod.volumes().get(0).files())
                .containsExactly(new StaticPod.File("tls/c.pem", "Q0VSVA==", 0400, 0, 0));
        assertThat(pod.volumes().get(1).files())
                .extracting(StaticPod.File::path, file -> text(file.contentBase64()))
                .containsExactly(
                        tuple("token", "jwt"), tuple("ca.crt", "CA"), tuple("name", "kube-apiserver-x7k2p-master-1"));
        assertThat(pod.manifest().at("/spec/volumes/0")).isEqualTo(parse("""
                        {"name": "certs", "hostPath": {"path": "/var/lib/kip/g7/certs", "type": "Directory"}}
                        """));
        assertThat(pod.manifest()
                        .at("/spec/containers/0/volumeMounts/0/readOnly")
                        .asBoolean(false))
                .isTrue();
    }

    @Test
    void d12_what_is_optional_may_be_missing_and_binary_data_is_carried_too() {
        ObjectNode pod = parse("""
                {"metadata": {"name": "p", "namespace": "default"},
                 "spec": {"containers": [{"name": "c", "image": "i:1",
                     "env": [{"name": "E", "valueFrom": {"secretKeyRef": {"name": "gone", "key": "k", "optional": true}}}],
                     "envFrom": [{"configMapRef": {"name": "gone", "optional": true}}],
                     "volumeMounts": [{"name": "v", "mountPath": "/v"}, {"name": "b", "mountPath": "/b"}]}],
                   "volumes": [{"name": "v", "secret": {"secretName": "gone", "optional": true}},
                     {"name": "b", "configMap": {"name": "both", "defaultMode": 292}}]}}
                """);
        Supplies both = new Supplies(
                ImmutableMap.of(
                        new Need.Thing(Need.Kind.CONFIG_MAP, "both", false),
                        parse("{\"data\": {\"text\": \"T\"}, \"binaryData\": {\"bytes\": \"AP8=\"}}")),
                ImmutableMap.of());

        StaticPod made = sanitiser.sanitise(pod, both, SITE).pod().orElseThrow();

        assertThat(made.manifest().at("/spec/containers/0").toString()).doesNotContain("gone", "\"E\"");
        assertThat(made.volumes().get(0).files()).isEmpty();
        assertThat(made.volumes().get(1).files())
                .containsExactlyInAnyOrder(
                        new StaticPod.File("text", "VA==", 0444, 0, 0),
                        new StaticPod.File("bytes", "AP8=", 0444, 0, 0));
    }

    @Test
    void d25_an_image_is_not_pulled_again_when_the_registry_may_be_away() {
        ObjectNode pod = apiServer();
        pod.withObject("/spec").withArray("initContainers").add(parse("""
                {"name": "i", "image": "i:latest", "restartPolicy": "Always"}
                """));

        ObjectNode spec = (ObjectNode) checkpoint(pod).manifest().path("spec");

        assertThat(spec.at("/containers/0/imagePullPolicy").asString()).isEqualTo("IfNotPresent");
        assertThat(spec.at("/initContainers/0/imagePullPolicy").asString())
                .as("of a tag that kubelet would pull each time")
                .isEqualTo("IfNotPresent");
    }

    @Test
    void init_and_sidecar_containers_stay_what_they_are_and_those_for_debugging_go() {
        ObjectNode pod = apiServer();
        pod.withObject("/spec").withArray("initContainers").add(parse("""
                {"name": "first", "image": "i:1"}
                """)).add(parse("""
                {"name": "beside", "image": "i:1", "restartPolicy": "Always"}
                """));
        pod.withObject("/spec").withArray("ephemeralContainers").add(parse("""
                {"name": "debug", "image": "i:1"}
                """));

        ObjectNode spec = (ObjectNode) checkpoint(pod).manifest().path("spec");

        assertThat(spec.at("/initContainers/0").has("restartPolicy")).isFalse();
        assertThat(spec.at("/initContainers/1/restartPolicy").asString()).isEqualTo("Always");
        assertThat(spec.has("ephemeralContainers")).isFalse();
    }

    @Test
    void runtime_classes_and_resource_claims_are_refused_by_name() {
        ObjectNode pod = apiServer();
        pod.withObject("/spec").put("runtimeClassName", "gvisor");
        pod.withObject("/spec").withArray("resourceClaims").add(parse("""
                {"name": "gpu", "resourceClaimName": "gpu"}
                """));

        Sanitised sanitised = sanitiser.sanitise(pod, supplies(), SITE);

        assertThat(sanitised.pod()).isEmpty();
        assertThat(sanitised.findings())
                .filteredOn(finding -> finding.action() == Action.REFUSED)
                .extracting(Finding::path)
                .containsExactlyInAnyOrder("spec.runtimeClassName", "spec.resourceClaims");
    }

    private static String text(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }

    @Test
    void a_secret_in_the_environment_becomes_a_value_that_kubelet_does_not_expand() {
        assertThat(checkpoint(apiServer())
                        .manifest()
                        .at("/spec/containers/0/env/0/value")
                        .asString(""))
                .isEqualTo("a$$b");
    }

    @Test
    void ports_of_the_hosts_network_go_and_probes_that_name_them_get_their_numbers() {
        ObjectNode manifest = checkpoint(apiServer()).manifest();

        assertThat(manifest.at("/spec/containers/0/ports").isMissingNode()).isTrue();
        assertThat(manifest.at("/spec/containers/0/livenessProbe/httpGet/port").asInt(0))
                .isEqualTo(6443);
    }

    @Test
    void the_checkpoint_says_whose_it_is_and_is_itself_no_pod_to_checkpoint() {
        ObjectNode manifest = checkpoint(apiServer()).manifest();

        assertThat(manifest.at("/metadata/annotations")).isEqualTo(parse("""
                {"mine": "1", "checkpointer.alpha.coreos.com/checkpoint-of": "kube-apiserver-x7k2p",
                 "kip.elotl.co/checkpoint-of-uid": "u-1"}
                """));
        assertThat(manifest.at("/metadata/labels")).isEqualTo(parse("{\"k8s-app\": \"kube-apiserver\"}"));
        assertThat(manifest.at("/metadata").has("uid")).isFalse();
    }

    @Test
    void sanitising_a_checkpoint_changes_nothing() {
        StaticPod once = checkpoint(apiServer());

        assertThat(checkpoint(once.manifest()).manifest()).isEqualTo(once.manifest());
        assertThat(sanitiser.needs(once.manifest())).isEmpty();
    }

    @Test
    void what_is_missing_stops_the_checkpoint_and_is_named() {
        Sanitised sanitised = sanitiser.sanitise(apiServer(), Supplies.none(), SITE);

        assertThat(sanitised.pod()).isEmpty();
        assertThat(sanitised.findings())
                .filteredOn(finding -> finding.action() == Action.MISSING)
                .extracting(Finding::path, Finding::reason)
                .contains(
                        tuple("spec.containers[0].env[0].valueFrom.secretKeyRef", "secret \"api\" not found"),
                        tuple("spec.volumes[0].secret", "secret \"api\" not found"));
    }

    @Test
    void needs_name_each_thing_once() {
        assertThat(sanitiser.needs(apiServer()))
                .containsExactly(
                        new Need.Thing(Need.Kind.SECRET, "api", false),
                        new Need.Thing(Need.Kind.CONFIG_MAP, "kube-root-ca.crt", false),
                        new Need.Token("kube-apiserver", "", Duration.ofSeconds(3607)));
    }

    @Test
    void every_change_is_told_with_its_path_and_nothing_that_stayed_is() {
        Sanitised sanitised = sanitiser.sanitise(apiServer(), supplies(), SITE);

        assertThat(sanitised.findings())
                .extracting(finding -> finding.action() + " " + finding.path())
                .contains(
                        "DROPPED metadata.uid",
                        "DROPPED metadata.annotations.checkpointer.alpha.coreos.com/checkpoint",
                        "REWRITTEN metadata.annotations.checkpointer.alpha.coreos.com/checkpoint-of",
                        "DROPPED spec.affinity",
                        "REWRITTEN spec.containers[0].env[0]",
                        "REWRITTEN spec.containers[0].imagePullPolicy",
                        "REWRITTEN spec.volumes[0]",
                        "REWRITTEN spec.automountServiceAccountToken")
                .doesNotContain("REWRITTEN spec.hostNetwork", "REWRITTEN spec.containers[0].futureField");
    }

    @Test
    void files_are_readable_for_the_pods_user_and_group() {
        ObjectNode pod = apiServer();
        pod.withObject("/spec").set("securityContext", parse("{\"runAsUser\": 1000, \"fsGroup\": 3000}"));

        assertThat(checkpoint(pod).volumes().get(0).files())
                .containsExactly(new StaticPod.File("tls/c.pem", "Q0VSVA==", 0440, 1000, 3000));
    }

    @Test
    void containers_of_different_users_are_warned_of_files_that_are_closed_to_them() {
        ObjectNode pod = apiServer();
        pod.withObject("/spec")
                .withArray("containers")
                .addObject()
                .put("name", "b")
                .put("image", "b:1")
                .set("securityContext", parse("{\"runAsUser\": 2000}"));

        assertThat(sanitiser.sanitise(pod, supplies(), SITE).findings())
                .filteredOn(finding -> finding.path().equals("spec.securityContext"))
                .extracting(Finding::action)
                .containsExactly(Action.WARNED);
    }

    @Test
    void a_secrets_content_is_in_no_finding() {
        assertThat(sanitiser.sanitise(apiServer(), supplies(), SITE).findings().toString())
                .doesNotContain("CERT", "Q0VSVA", "a$b", "a$$b", "jwt");
    }
}
