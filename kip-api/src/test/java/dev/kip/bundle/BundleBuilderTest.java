package dev.kip.bundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import com.google.common.collect.ImmutableMap;
import com.google.common.net.HostAndPort;
import dev.kip.bundle.PodBundle.BundleFile;
import dev.kip.bundle.Reference.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class BundleBuilderTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Materials FOUND = new Materials(
            ImmutableMap.of(
                    "s", object("{'data':{'user':'" + base64("ada") + "','price':'" + base64("$(HOME) $5") + "'}}")),
            ImmutableMap.of("c", object("{'data':{'colour':'blue'},'binaryData':{'raw':'AAE='}}")));

    @Test
    void identity_and_what_nobody_knows_survive() {
        ObjectNode pod = pod("{'containers':[{'name':'a','image':'i','future':{'x':[1,2]}}],'fromTomorrow':1.50}");

        JsonNode manifest = manifest(pod, Materials.none());

        assertThat(manifest.at("/metadata/uid").asString()).isEqualTo("u-1");
        assertThat(manifest.at("/metadata/name").asString()).isEqualTo("web");
        assertThat(manifest.at("/metadata/namespace").asString()).isEqualTo("shop");
        assertThat(manifest.at("/metadata/labels/app").asString()).isEqualTo("web");
        assertThat(manifest.at("/metadata/annotations/y").asString()).isEqualTo("n");
        assertThat(manifest.at("/spec/containers/0/future")).isEqualTo(JSON.readTree("{\"x\":[1,2]}"));
        assertThat(manifest.at("/spec/fromTomorrow").asDouble()).isEqualTo(1.5);
        assertThat(manifest.at("/kind").asString()).isEqualTo("Pod");
    }

    @Test
    void what_means_nothing_on_a_cell_is_dropped() {
        ObjectNode pod = pod("{'containers':[],'nodeName':'vk','nodeSelector':{'a':'b'},'affinity':{'x':1},"
                + "'topologySpreadConstraints':[{}],'schedulerName':'s','schedulingGates':[],'tolerations':[{'operator':'Exists'}],"
                + "'serviceAccountName':'robot','serviceAccount':'robot'}");
        pod.withObject("/metadata")
                .put("resourceVersion", "7")
                .putArray("ownerReferences")
                .addObject();
        pod.withObject("/metadata").putArray("managedFields").addObject();
        pod.withObject("/metadata").put("deletionTimestamp", "2030-01-01T00:00:00Z");
        pod.putObject("status").put("phase", "Pending");

        JsonNode manifest = manifest(pod, Materials.none());

        assertThat(manifest.path("spec").propertyNames()).containsExactlyInAnyOrder("containers", "hostname");
        assertThat(manifest.path("metadata").propertyNames())
                .containsExactlyInAnyOrder("name", "namespace", "uid", "labels", "annotations");
        assertThat(manifest.has("status")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "web, '', web",
        "web, given, given",
        "a.b.c, '', a-b-c",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbb, '', aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    })
    void the_host_name_is_the_pods_name_unless_given(String name, String given, String expected) {
        ObjectNode pod = pod("{'containers':[]}");
        pod.withObject("/metadata").put("name", name);
        if (!given.isEmpty()) {
            pod.withObject("/spec").put("hostname", given);
        }

        assertThat(manifest(pod, Materials.none()).at("/spec/hostname").asString())
                .isEqualTo(expected);
    }

    @Test
    void variables_from_secrets_and_config_maps_become_plain_and_are_not_expanded_again() {
        ObjectNode pod = pod("{'containers':[{'name':'a','env':["
                + "{'name':'U','valueFrom':{'secretKeyRef':{'name':'s','key':'user'}}},"
                + "{'name':'P','valueFrom':{'secretKeyRef':{'name':'s','key':'price'}}},"
                + "{'name':'C','valueFrom':{'configMapKeyRef':{'name':'c','key':'colour'}}},"
                + "{'name':'NONE','valueFrom':{'secretKeyRef':{'name':'s','key':'x','optional':true}}},"
                + "{'name':'GONE','valueFrom':{'secretKeyRef':{'name':'absent','key':'x','optional':true}}},"
                + "{'name':'PLAIN','value':'$(U)'},"
                + "{'name':'IP','valueFrom':{'fieldRef':{'fieldPath':'status.podIP'}}}]}]}");

        assertThat(manifest(pod, FOUND).at("/spec/containers/0/env"))
                .isEqualTo(json("[{'name':'U','value':'ada'},{'name':'P','value':'$$(HOME) $$5'},"
                        + "{'name':'C','value':'blue'},{'name':'PLAIN','value':'$(U)'},"
                        + "{'name':'IP','valueFrom':{'fieldRef':{'fieldPath':'status.podIP'}}}]"));
    }

    @Test
    void fields_that_a_static_pod_shows_wrongly_become_plain() {
        ObjectNode pod = pod("{'serviceAccountName':'robot','nodeName':'vk','initContainers':[{'name':'a','env':["
                + "{'name':'N','valueFrom':{'fieldRef':{'fieldPath':'metadata.name'}}},"
                + "{'name':'S','valueFrom':{'fieldRef':{'fieldPath':'spec.serviceAccountName'}}},"
                + "{'name':'K','valueFrom':{'fieldRef':{'fieldPath':'spec.nodeName'}}}]}]}");

        assertThat(manifest(pod, FOUND).at("/spec/initContainers/0/env"))
                .isEqualTo(json("[{'name':'N','value':'web'},{'name':'S','value':'robot'},{'name':'K','value':'vk'}]"));
    }

    @Test
    void env_overrides_what_comes_from_whole_objects() {
        ObjectNode pod = pod("{'containers':[{'name':'a','envFrom':[{'prefix':'X_','configMapRef':{'name':'c'}},"
                + "{'secretRef':{'name':'s'}},{'secretRef':{'name':'no','optional':true}}],"
                + "'env':[{'name':'user','value':'eve'}]}]}");

        JsonNode container = manifest(pod, FOUND).at("/spec/containers/0");

        assertThat(container.has("envFrom")).isFalse();
        assertThat(container.path("env"))
                .isEqualTo(json("[{'name':'X_colour','value':'blue'},{'name':'X_raw','value':'\\u0000\\u0001'},"
                        + "{'name':'price','value':'$$(HOME) $$5'},{'name':'user','value':'ada'},"
                        + "{'name':'user','value':'eve'}]"));
    }

    @Test
    void secret_and_config_map_volumes_become_read_only_directories_of_the_bundle() {
        ObjectNode pod = pod(
                "{'containers':[{'name':'a','volumeMounts':[{'name':'v','mountPath':'/s'},{'name':'w','mountPath':'/c'},"
                        + "{'name':'e','mountPath':'/e'}]}],"
                        + "'volumes':[{'name':'v','secret':{'secretName':'s','defaultMode':256,'items':[{'key':'user','path':'who/am/i'}]}},"
                        + "{'name':'w','configMap':{'name':'c'}},{'name':'e','emptyDir':{}}]}");

        PodBundle bundle = built(pod, FOUND);
        JsonNode spec = json(bundle.manifest()).path("spec");

        assertThat(spec.path("volumes"))
                .isEqualTo(
                        json("[{'name':'v','hostPath':{'path':'/run/kip/bundle/volumes/v','type':'DirectoryOrCreate'}},"
                                + "{'name':'w','hostPath':{'path':'/run/kip/bundle/volumes/w','type':'DirectoryOrCreate'}},"
                                + "{'name':'e','emptyDir':{}}]"));
        assertThat(spec.at("/containers/0/volumeMounts"))
                .isEqualTo(json(
                        "[{'name':'v','mountPath':'/s','readOnly':true},{'name':'w','mountPath':'/c','readOnly':true},"
                                + "{'name':'e','mountPath':'/e'}]"));
        assertThat(bundle.files())
                .containsExactly(
                        new BundleFile("volumes/v/who/am/i", base64("ada"), 0400),
                        new BundleFile("volumes/w/colour", base64("blue"), 0644),
                        new BundleFile("volumes/w/raw", "AAE=", 0644));
    }

    private static final String ACCESS =
            "{'name':'v','projected':{'defaultMode':%d,'sources':[{'serviceAccountToken':{'path':'token','expirationSeconds':3607}},"
                    + "{'serviceAccountToken':{'path':'vault','audience':'vault'}},"
                    + "{'configMap':{'name':'c','items':[{'key':'colour','path':'ca.crt'}]}},"
                    + "{'downwardAPI':{'items':[{'path':'namespace','fieldRef':{'fieldPath':'metadata.namespace'}}]}}]}}";

    private static final Materials WITH_TOKENS = new Materials(
            ImmutableMap.of(),
            FOUND.configMaps(),
            ImmutableMap.of(new TokenReference("", 3607), "t-1", new TokenReference("vault", 3600), "t-2"),
            Optional.of(HostAndPort.fromString("10.0.0.10:6443")));

    @Test
    void tokens_of_the_service_account_are_files_of_their_volume() {
        ObjectNode pod = pod("{'containers':[],'volumes':[" + String.format(ACCESS, 0644) + "]}");
        assertThat(BundleBuilder.tokens(pod))
                .containsExactly(new TokenReference("", 3607), new TokenReference("vault", 3600));

        Bundled bundled = BundleBuilder.build(pod, WITH_TOKENS, 1);

        assertThat(bundled.refusals()).isEmpty();
        assertThat(bundled.bundle().orElseThrow().files())
                .contains(
                        new BundleFile("volumes/v/token", base64("t-1"), 0644),
                        new BundleFile("volumes/v/vault", base64("t-2"), 0644))
                .extracting(BundleFile::path)
                .containsExactly("volumes/v/token", "volumes/v/vault", "volumes/v/ca.crt", "volumes/v/namespace");
    }

    @Test
    void a_token_can_be_read_by_the_user_that_the_pod_names() {
        String volumes = "'volumes':[" + String.format(ACCESS, 0400) + "]}";
        assertThat(token(pod("{'containers':[]," + volumes)).mode()).isEqualTo(0400);
        assertThat(token(pod("{'containers':[{'securityContext':{'runAsUser':1000}}]," + volumes))
                        .mode())
                .isEqualTo(0444);
        assertThat(token(pod("{'securityContext':{'fsGroup':2000},'containers':[]," + volumes))
                        .mode())
                .isEqualTo(0444);
    }

    private static BundleFile token(ObjectNode pod) {
        return built(pod, WITH_TOKENS).files().get(0);
    }

    @Test
    void a_pod_without_its_token_waits() {
        ObjectNode pod =
                pod("{'serviceAccountName':'builder','containers':[],'volumes':[" + String.format(ACCESS, 0644) + "]}");

        Bundled bundled = BundleBuilder.build(pod, FOUND, 1);

        assertThat(bundled.bundle()).isEmpty();
        assertThat(bundled.refusals()).first().satisfies(refusal -> {
            assertThat(refusal.kind()).isEqualTo(Refusal.Kind.MISSING);
            assertThat(refusal.field()).isEqualTo("spec.volumes[0].projected.sources[0].serviceAccountToken");
            assertThat(refusal.message()).isEqualTo("no token of service account \"builder\"");
        });
    }

    @Test
    void pull_secrets_become_one_configuration_of_registries_and_the_first_of_a_registry_counts() {
        ObjectNode pod = pod("{'imagePullSecrets':[{'name':'new'},{'name':'old'},{'name':'gone'},{'name':'s'},"
                + "{'name':'broken'}],'containers':[]}");
        Materials materials = new Materials(
                ImmutableMap.of(
                        "new",
                        secret(
                                "kubernetes.io/dockerconfigjson",
                                ".dockerconfigjson",
                                "{'auths':{'a.example':{'auth':'MQ=='},'b.example:5000/team':{'auth':'Mg=='}}}"),
                        "old",
                        secret("kubernetes.io/dockercfg", ".dockercfg", "{'a.example':{'auth':'Mw=='},'c.example':{}}"),
                        "s",
                        secret("Opaque", "x", "{}"),
                        "broken",
                        secret("kubernetes.io/dockerconfigjson", ".dockerconfigjson", "[")),
                ImmutableMap.of());
        assertThat(BundleBuilder.pullSecrets(pod)).hasSize(5).allMatch(Reference::optional);

        Bundled bundled = BundleBuilder.build(pod, materials, 1);

        PodBundle bundle = bundled.bundle().orElseThrow();
        assertThat(json(bundle.manifest()).at("/spec").has("imagePullSecrets")).isFalse();
        BundleFile config = bundle.files().get(0);
        assertThat(config.path()).isEqualTo(PodBundle.REGISTRIES);
        assertThat(config.mode()).isEqualTo(0400);
        assertThat(json(new String(Base64.getDecoder().decode(config.contentBase64()), StandardCharsets.UTF_8)))
                .isEqualTo(
                        json(
                                "{'auths':{'a.example':{'auth':'MQ=='},'b.example:5000/team':{'auth':'Mg=='},'c.example':{}}}"));
        assertThat(bundled.refusals()).allMatch(refusal -> refusal.kind() == Refusal.Kind.NOTE);
        assertThat(bundled.refusals())
                .extracting(Refusal::field, Refusal::message)
                .containsExactly(
                        tuple("spec.imagePullSecrets[2]", "secret \"gone\" not found: images are pulled without it"),
                        tuple(
                                "spec.imagePullSecrets[3]",
                                "secret \"s\" is of type Opaque, or not as that type is: images are pulled without it"),
                        tuple(
                                "spec.imagePullSecrets[4]",
                                "secret \"broken\" is of type kubernetes.io/dockerconfigjson, or not as that type is:"
                                        + " images are pulled without it"));
    }

    private static ObjectNode secret(String type, String key, String content) {
        ObjectNode secret = (ObjectNode) json("{'type':'" + type + "'}");
        secret.putObject("data").put(key, base64(content.replace('\'', '"')));
        return secret;
    }

    @Test
    void variables_say_where_the_api_server_is_and_the_pods_own_come_after_them() {
        ObjectNode pod = pod("{'containers':[{'name':'a'},{'name':'b','env':[{'name':'KUBERNETES_SERVICE_HOST',"
                + "'value':'my.own'}]}],'initContainers':[{'name':'i'}]}");

        JsonNode spec = manifest(pod, WITH_TOKENS).path("spec");

        JsonNode told = json("[{'name':'KUBERNETES_SERVICE_HOST','value':'10.0.0.10'},"
                + "{'name':'KUBERNETES_SERVICE_PORT','value':'6443'},"
                + "{'name':'KUBERNETES_SERVICE_PORT_HTTPS','value':'6443'}]");
        assertThat(spec.at("/containers/0/env")).isEqualTo(told);
        assertThat(spec.at("/initContainers/0/env")).isEqualTo(told);
        assertThat(spec.at("/containers/1/env")).hasSize(4);
        assertThat(spec.at("/containers/1/env/3/value").asString()).isEqualTo("my.own");
        assertThat(manifest(pod, FOUND).at("/spec/containers/0").has("env")).isFalse();
    }

    @Test
    void a_downward_volume_is_left_to_kubelet_unless_it_names_the_pod() {
        ObjectNode pod = pod("{'containers':[],'volumes':["
                + "{'name':'l','downwardAPI':{'items':[{'path':'l','fieldRef':{'fieldPath':'metadata.labels'}}]}},"
                + "{'name':'n','downwardAPI':{'items':[{'path':'n','fieldRef':{'fieldPath':'metadata.name'}},"
                + "{'path':'a','fieldRef':{'fieldPath':'metadata.annotations'}}]}}]}");

        PodBundle bundle = built(pod, FOUND);

        assertThat(json(bundle.manifest()).at("/spec/volumes/0").has("downwardAPI"))
                .isTrue();
        assertThat(bundle.files())
                .containsExactly(
                        new BundleFile("volumes/n/n", base64("web"), 0644),
                        new BundleFile("volumes/n/a", base64("q=\"a\\\"b\"\ny=\"n\""), 0644));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spec.runtimeClassName | {'runtimeClassName':'gvisor'}",
                "spec.ephemeralContainers | {'ephemeralContainers':[{'name':'debug'}]}",
                "spec.resourceClaims | {'resourceClaims':[{'name':'gpu'}]}",
                "spec.containers[0].restartPolicy | {'containers':[{'name':'a','restartPolicy':'Always'}]}",
                "spec.volumes[0].persistentVolumeClaim | {'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}",
                "spec.volumes[1].ephemeral | {'volumes':[{'name':'a','emptyDir':{}},{'name':'v','ephemeral':{'x':1}}]}",
                "spec.volumes[0].csi | {'volumes':[{'name':'v','csi':{'driver':'d'}}]}",
                "spec.volumes[0].projected.sources[0].clusterTrustBundle | {'volumes':[{'name':'v','projected':{'sources':[{'clusterTrustBundle':{}}]}}]}",
            })
    void what_kubelet_would_refuse_or_crash_on_is_refused_by_name(String field, String spec) {
        Bundled bundled = BundleBuilder.build(pod(spec), FOUND, 1);

        assertThat(bundled.bundle()).isEmpty();
        assertThat(bundled.refusals()).singleElement().satisfies(refusal -> {
            assertThat(refusal.field()).isEqualTo(field);
            assertThat(refusal.kind()).isEqualTo(Refusal.Kind.REFUSED);
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "secret \"no\" not found | {'volumes':[{'name':'v','secret':{'secretName':'no'}}]}",
                "references non-existent configmap key: k of \"c\" | {'volumes':[{'name':'v','configMap':{'name':'c','items':[{'key':'k','path':'p'}]}}]}",
                "couldn't find key x in secret \"s\" | {'containers':[{'name':'a','env':[{'name':'E','valueFrom':{'secretKeyRef':{'name':'s','key':'x'}}}]}]}",
                "configmap \"no\" not found | {'containers':[{'name':'a','envFrom':[{'configMapRef':{'name':'no'}}]}]}",
            })
    void a_pod_waits_for_what_does_not_exist_yet(String message, String spec) {
        Bundled bundled = BundleBuilder.build(pod(spec), FOUND, 1);

        assertThat(bundled.bundle()).isEmpty();
        assertThat(bundled.refusals()).singleElement().satisfies(refusal -> {
            assertThat(refusal.kind()).isEqualTo(Refusal.Kind.MISSING);
            assertThat(refusal.message()).isEqualTo(message);
        });
    }

    @Test
    void an_empty_optional_volume_is_an_empty_directory() {
        PodBundle bundle = built(pod("{'volumes':[{'name':'v','secret':{'secretName':'no','optional':true}}]}"), FOUND);

        assertThat(bundle.files()).isEmpty();
        assertThat(json(bundle.manifest()).at("/spec/volumes/0/hostPath/type").asString())
                .isEqualTo("DirectoryOrCreate");
    }

    @Test
    void the_condition_of_a_readiness_gate_goes_along() {
        ObjectNode pod = pod("{'containers':[],'readinessGates':[{'conditionType':'lb'}]}");
        pod.set(
                "status",
                json(
                        "{'phase':'Running','conditions':[{'type':'lb','status':'True'},{'type':'Ready','status':'False'}]}"));

        assertThat(manifest(pod, FOUND).path("status"))
                .isEqualTo(json("{'conditions':[{'type':'lb','status':'True'}]}"));
    }

    @Test
    void every_reference_is_listed_once_and_is_optional_only_if_all_its_uses_are() {
        ObjectNode pod = pod(
                "{'containers':[{'name':'a','envFrom':[{'secretRef':{'name':'s','optional':true}}],"
                        + "'env':[{'name':'U','valueFrom':{'configMapKeyRef':{'name':'c','key':'k','optional':true}}}]}],"
                        + "'initContainers':[{'name':'i','envFrom':[{'configMapRef':{'name':'d'}}]}],"
                        + "'volumes':[{'name':'v','secret':{'secretName':'s'}},"
                        + "{'name':'w','projected':{'sources':[{'configMap':{'name':'c','optional':true}},{'secret':{'name':'t'}}]}}]}");

        assertThat(BundleBuilder.references(pod))
                .containsExactly(
                        new Reference(Kind.SECRET, "s", false),
                        new Reference(Kind.SECRET, "t", false),
                        new Reference(Kind.CONFIG_MAP, "c", true),
                        new Reference(Kind.CONFIG_MAP, "d", false));
    }

    @Test
    void the_digest_follows_content_and_not_the_generation_or_the_status() {
        ObjectNode pod = pod("{'containers':[],'volumes':[{'name':'v','secret':{'secretName':'s'}}]}");
        ObjectNode later = pod.deepCopy();
        later.withObject("/metadata").put("resourceVersion", "9");
        later.putObject("status").put("phase", "Running");
        ObjectNode relabelled = pod.deepCopy();
        relabelled.withObject("/metadata/labels").put("app", "other");

        String digest = BundleBuilder.digest(built(pod, FOUND));

        assertThat(BundleBuilder.digest(
                        BundleBuilder.build(later, FOUND, 2).bundle().orElseThrow()))
                .isEqualTo(digest);
        assertThat(BundleBuilder.digest(built(relabelled, FOUND))).isNotEqualTo(digest);
        Materials renewed = new Materials(
                ImmutableMap.of("s", object("{'data':{'user':'" + base64("bob") + "'}}")), ImmutableMap.of());
        assertThat(BundleBuilder.digest(built(pod, renewed))).isNotEqualTo(digest);
    }

    @Test
    void files_of_a_pod_with_a_group_can_be_read_by_it() {
        ObjectNode pod = pod(
                "{'securityContext':{'fsGroup':2000},'volumes':[{'name':'v','secret':{'secretName':'s','defaultMode':256}}]}");

        assertThat(built(pod, FOUND).files()).extracting(BundleFile::mode).containsOnly(0444);
    }

    private static PodBundle built(ObjectNode pod, Materials materials) {
        Bundled bundled = BundleBuilder.build(pod, materials, 1);
        assertThat(bundled.refusals()).isEmpty();
        Optional<PodBundle> bundle = bundled.bundle();
        return bundle.orElseThrow();
    }

    private static JsonNode manifest(ObjectNode pod, Materials materials) {
        return json(built(pod, materials).manifest());
    }

    private static ObjectNode pod(String spec) {
        return object("{'metadata':{'name':'web','namespace':'shop','uid':'u-1','labels':{'app':'web'},"
                + "'annotations':{'y':'n','q':'a\\\"b'}},'spec':" + spec + "}");
    }

    private static ObjectNode object(String json) {
        return (ObjectNode) json(json);
    }

    private static JsonNode json(String json) {
        return JSON.readTree(json.startsWith("{\"") ? json : json.replace('\'', '"'));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
