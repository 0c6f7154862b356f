package dev.kip.sim.apiserver.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.kip.sim.apiserver.ApiFailure;
import io.kubernetes.client.proto.IntStr.IntOrString;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.Resource.Quantity;
import io.kubernetes.client.proto.Runtime;
import io.kubernetes.client.proto.V1;
import io.kubernetes.client.proto.V1Apps;
import io.kubernetes.client.proto.V1Authentication;
import io.kubernetes.client.proto.V1Authorization;
import io.kubernetes.client.proto.V1Autoscaling;
import io.kubernetes.client.proto.V1Batch;
import io.kubernetes.client.proto.V1Networking;
import io.kubernetes.client.proto.V1Policy;
import io.kubernetes.client.proto.V1Rbac;
import io.kubernetes.client.proto.V1Scheduling;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** The messages are built as Go sends them: scalars that are no pointers are there even when they are zero. */
class ProtobufBodiesTest {

    private static byte[] body(String apiVersion, String kind, Message message) {
        return body(apiVersion, kind, message.toByteString());
    }

    private static byte[] body(String apiVersion, String kind, ByteString raw) {
        return ByteString.copyFromUtf8("k8s\0")
                .concat(Runtime.Unknown.newBuilder()
                        .setTypeMeta(Runtime.TypeMeta.newBuilder()
                                .setApiVersion(apiVersion)
                                .setKind(kind))
                        .setRaw(raw)
                        .build()
                        .toByteString())
                .toByteArray();
    }

    private static String json(String apiVersion, String kind, Message message) {
        ObjectNode json = ProtobufBodies.toJson(body(apiVersion, kind, message));
        assertThat(json.remove("kind").asString()).isEqualTo(kind);
        assertThat(json.remove("apiVersion").asString()).isEqualTo(apiVersion);
        return json.toString().replace('"', '\'');
    }

    private static Meta.ObjectMeta.Builder named(String name) {
        return Meta.ObjectMeta.newBuilder()
                .setName(name)
                .setGenerateName("")
                .setNamespace("")
                .setSelfLink("")
                .setUid("")
                .setResourceVersion("")
                .setGeneration(0)
                .setCreationTimestamp(Meta.Time.newBuilder());
    }

    @Test
    void a_deployment_keeps_a_replica_count_of_zero_and_leaves_out_what_go_leaves_out() {
        V1Apps.Deployment deployment = V1Apps.Deployment.newBuilder()
                .setMetadata(named("web").putLabels("app", "web"))
                .setSpec(V1Apps.DeploymentSpec.newBuilder()
                        .setReplicas(0)
                        .setMinReadySeconds(0)
                        .setPaused(false)
                        .setSelector(Meta.LabelSelector.newBuilder().putMatchLabels("app", "web"))
                        .setTemplate(V1.PodTemplateSpec.newBuilder()
                                .setMetadata(named("").putLabels("app", "web"))
                                .setSpec(V1.PodSpec.newBuilder()
                                        .setHostNetwork(false)
                                        .setNodeName("")
                                        .addContainers(V1.Container.newBuilder()
                                                .setName("nginx")
                                                .setImage("nginx")
                                                .setStdin(false)
                                                .addPorts(V1.ContainerPort.newBuilder()
                                                        .setContainerPort(80)
                                                        .setHostPort(0))
                                                .setResources(V1.ResourceRequirements.newBuilder()
                                                        .putLimits(
                                                                "cpu",
                                                                Quantity.newBuilder()
                                                                        .setString("100m")
                                                                        .build())))))
                        .setStrategy(V1Apps.DeploymentStrategy.newBuilder()
                                .setType("")
                                .setRollingUpdate(V1Apps.RollingUpdateDeployment.newBuilder()
                                        .setMaxSurge(IntOrString.newBuilder()
                                                .setType(1)
                                                .setStrVal("25%"))
                                        .setMaxUnavailable(IntOrString.newBuilder()
                                                .setType(0)
                                                .setIntVal(0)))))
                .setStatus(V1Apps.DeploymentStatus.newBuilder())
                .build();

        assertThat(json("apps/v1", "Deployment", deployment))
                .isEqualTo("{'metadata':{'name':'web','labels':{'app':'web'}},'spec':{'replicas':0,"
                        + "'selector':{'matchLabels':{'app':'web'}},'template':{'metadata':{'labels':{'app':'web'}},"
                        + "'spec':{'containers':[{'name':'nginx','image':'nginx','ports':[{'containerPort':80}],"
                        + "'resources':{'limits':{'cpu':'100m'}}}]}},'strategy':{'rollingUpdate':"
                        + "{'maxUnavailable':0,'maxSurge':'25%'}}},'status':{}}");
    }

    @Test
    void a_pod_has_its_volumes_sources_and_probe_handlers_inline() {
        V1.Pod pod = V1.Pod.newBuilder()
                .setMetadata(named("p")
                        .setDeletionTimestamp(Meta.Time.newBuilder().setSeconds(1_700_000_000L))
                        .addOwnerReferences(
                                Meta.OwnerReference.newBuilder().setKind("Node").setController(false)))
                .setSpec(V1.PodSpec.newBuilder()
                        .addVolumes(V1.Volume.newBuilder()
                                .setName("root")
                                .setVolumeSource(V1.VolumeSource.newBuilder()
                                        .setHostPath(V1.HostPathVolumeSource.newBuilder()
                                                .setPath("/")
                                                .setType(""))))
                        .setHostPID(true)
                        .addTolerations(
                                V1.Toleration.newBuilder().setOperator("Exists").setKey(""))
                        .addContainers(V1.Container.newBuilder()
                                .setName("c")
                                .addEnv(V1.EnvVar.newBuilder()
                                        .setName("E")
                                        .setValue("")
                                        .setValueFrom(V1.EnvVarSource.newBuilder()
                                                .setSecretKeyRef(V1.SecretKeySelector.newBuilder()
                                                        .setLocalObjectReference(V1.LocalObjectReference.newBuilder()
                                                                .setName("s"))
                                                        .setKey("k"))))
                                .setReadinessProbe(V1.Probe.newBuilder()
                                        .setHandler(V1.ProbeHandler.newBuilder()
                                                .setHttpGet(V1.HTTPGetAction.newBuilder()
                                                        .setPort(IntOrString.newBuilder()
                                                                .setType(0)
                                                                .setIntVal(80))))
                                        .setTimeoutSeconds(0))))
                .build();

        assertThat(json("v1", "Pod", pod))
                .isEqualTo("{'metadata':{'name':'p','deletionTimestamp':'2023-11-14T22:13:20Z',"
                        + "'ownerReferences':[{'kind':'Node','controller':false}]},'spec':{'volumes':"
                        + "[{'name':'root','hostPath':{'path':'/'}}],'containers':[{'name':'c','env':[{'name':'E',"
                        + "'valueFrom':{'secretKeyRef':{'name':'s','key':'k'}}}],'readinessProbe':"
                        + "{'httpGet':{'port':80}}}],'hostPID':true,'tolerations':[{'operator':'Exists'}]}}");
    }

    @Test
    void bytes_are_base64_and_maps_are_objects() {
        assertThat(json(
                        "v1",
                        "Secret",
                        V1.Secret.newBuilder()
                                .setMetadata(named("s"))
                                .putData("k", ByteString.copyFromUtf8("value"))
                                .setImmutable(false)
                                .setType("Opaque")
                                .build()))
                .isEqualTo("{'metadata':{'name':'s'},'data':{'k':'dmFsdWU='},'type':'Opaque','immutable':false}");
        assertThat(json(
                        "v1",
                        "ConfigMap",
                        V1.ConfigMap.newBuilder()
                                .setMetadata(named("c"))
                                .putData("k", "")
                                .putBinaryData("b", ByteString.copyFrom(new byte[] {1}))
                                .build()))
                .isEqualTo("{'metadata':{'name':'c'},'data':{'k':''},'binaryData':{'b':'AQ=='}}");
    }

    @Test
    void the_other_kinds_that_kubectl_creates_are_known() {
        assertThat(json(
                        "v1",
                        "Namespace",
                        V1.Namespace.newBuilder().setMetadata(named("n")).build()))
                .isEqualTo("{'metadata':{'name':'n'}}");
        assertThat(json(
                        "v1",
                        "ServiceAccount",
                        V1.ServiceAccount.newBuilder().setMetadata(named("a")).build()))
                .isEqualTo("{'metadata':{'name':'a'}}");
        assertThat(json(
                        "v1",
                        "ResourceQuota",
                        V1.ResourceQuota.newBuilder()
                                .setSpec(V1.ResourceQuotaSpec.newBuilder()
                                        .putHard(
                                                "pods",
                                                Quantity.newBuilder()
                                                        .setString("2")
                                                        .build()))
                                .build()))
                .isEqualTo("{'spec':{'hard':{'pods':'2'}}}");
        assertThat(json(
                        "rbac.authorization.k8s.io/v1",
                        "Role",
                        V1Rbac.Role.newBuilder()
                                .addRules(V1Rbac.PolicyRule.newBuilder()
                                        .addVerbs("get")
                                        .addApiGroups(""))
                                .build()))
                .isEqualTo("{'rules':[{'verbs':['get'],'apiGroups':['']}]}");
        assertThat(json("rbac.authorization.k8s.io/v1", "ClusterRole", V1Rbac.ClusterRole.getDefaultInstance()))
                .isEqualTo("{}");
        assertThat(json(
                        "rbac.authorization.k8s.io/v1",
                        "RoleBinding",
                        V1Rbac.RoleBinding.newBuilder()
                                .addSubjects(V1Rbac.Subject.newBuilder()
                                        .setKind("User")
                                        .setName("u"))
                                .build()))
                .isEqualTo("{'subjects':[{'kind':'User','name':'u'}]}");
        assertThat(json(
                        "batch/v1",
                        "Job",
                        V1Batch.Job.newBuilder()
                                .setSpec(V1Batch.JobSpec.newBuilder().setBackoffLimit(0))
                                .build()))
                .isEqualTo("{'spec':{'backoffLimit':0}}");
        assertThat(json(
                        "policy/v1",
                        "PodDisruptionBudget",
                        V1Policy.PodDisruptionBudget.newBuilder()
                                .setSpec(V1Policy.PodDisruptionBudgetSpec.newBuilder()
                                        .setMinAvailable(IntOrString.newBuilder()
                                                .setType(0)
                                                .setIntVal(1)))
                                .build()))
                .isEqualTo("{'spec':{'minAvailable':1}}");
        assertThat(json(
                        "networking.k8s.io/v1",
                        "Ingress",
                        V1Networking.Ingress.newBuilder()
                                .setSpec(V1Networking.IngressSpec.newBuilder()
                                        .addRules(V1Networking.IngressRule.newBuilder()
                                                .setHost("h")
                                                .setIngressRuleValue(V1Networking.IngressRuleValue.newBuilder()
                                                        .setHttp(V1Networking.HTTPIngressRuleValue.newBuilder()
                                                                .addPaths(V1Networking.HTTPIngressPath.newBuilder()
                                                                        .setPath("/"))))))
                                .build()))
                .isEqualTo("{'spec':{'rules':[{'host':'h','http':{'paths':[{'path':'/'}]}}]}}");
        assertThat(json(
                        "scheduling.k8s.io/v1",
                        "PriorityClass",
                        V1Scheduling.PriorityClass.newBuilder()
                                .setValue(0)
                                .setGlobalDefault(false)
                                .build()))
                .isEqualTo("{'value':0}");
        assertThat(json(
                        "autoscaling/v1",
                        "HorizontalPodAutoscaler",
                        V1Autoscaling.HorizontalPodAutoscaler.newBuilder()
                                .setSpec(V1Autoscaling.HorizontalPodAutoscalerSpec.newBuilder()
                                        .setMinReplicas(0)
                                        .setMaxReplicas(3))
                                .build()))
                .isEqualTo("{'spec':{'minReplicas':0,'maxReplicas':3}}");
    }

    @Test
    void reviews_and_token_requests_are_known() {
        assertThat(json(
                        "authentication.k8s.io/v1",
                        "TokenRequest",
                        V1Authentication.TokenRequest.newBuilder()
                                .setSpec(V1Authentication.TokenRequestSpec.newBuilder()
                                        .addAudiences("a")
                                        .setExpirationSeconds(600))
                                .build()))
                .isEqualTo("{'spec':{'audiences':['a'],'expirationSeconds':600}}");
        assertThat(json(
                        "authentication.k8s.io/v1",
                        "SelfSubjectReview",
                        V1Authentication.SelfSubjectReview.newBuilder()
                                .setMetadata(named(""))
                                .build()))
                .isEqualTo("{'metadata':{}}");
        assertThat(json(
                        "authorization.k8s.io/v1",
                        "SelfSubjectAccessReview",
                        V1Authorization.SelfSubjectAccessReview.newBuilder()
                                .setSpec(V1Authorization.SelfSubjectAccessReviewSpec.newBuilder()
                                        .setResourceAttributes(V1Authorization.ResourceAttributes.newBuilder()
                                                .setVerb("get")
                                                .setResource("pods")
                                                .setGroup("")))
                                .build()))
                .isEqualTo("{'spec':{'resourceAttributes':{'verb':'get','resource':'pods'}}}");
        assertThat(json(
                        "authorization.k8s.io/v1",
                        "SelfSubjectRulesReview",
                        V1Authorization.SelfSubjectRulesReview.newBuilder()
                                .setSpec(V1Authorization.SelfSubjectRulesReviewSpec.newBuilder()
                                        .setNamespace("default"))
                                .build()))
                .isEqualTo("{'spec':{'namespace':'default'}}");
    }

    @Test
    void delete_options_come_under_any_group() {
        Meta.DeleteOptions options = Meta.DeleteOptions.newBuilder()
                .setGracePeriodSeconds(0)
                .setPropagationPolicy("Background")
                .build();

        assertThat(json("v1", "DeleteOptions", options))
                .isEqualTo("{'gracePeriodSeconds':0,'propagationPolicy':'Background'}");
        assertThat(json("apps/v1", "DeleteOptions", options))
                .isEqualTo("{'gracePeriodSeconds':0,'propagationPolicy':'Background'}");
    }

    @Test
    void what_cannot_be_understood_is_refused_and_not_dropped() {
        ByteString later = ByteString.copyFrom(new byte[] {(byte) 0xF8, 0x3E, 1}); // field 1007, varint 1
        ByteString laterAndZero = ByteString.copyFrom(new byte[] {(byte) 0xF8, 0x3E, 0});

        assertThatThrownBy(() -> ProtobufBodies.toJson(body("v1", "Pod", later)))
                .isInstanceOfSatisfying(
                        ApiFailure.class,
                        failure -> assertThat(failure.reason()).isEqualTo("BadRequest"))
                .hasMessageContaining("field 1007 of Pod");
        assertThat(ProtobufBodies.toJson(body("v1", "Pod", laterAndZero)).size())
                .isEqualTo(2);
        assertThatThrownBy(() -> ProtobufBodies.toJson(body("kip.elotl.co/v1", "Cell", later)))
                .isInstanceOfSatisfying(
                        ApiFailure.class,
                        failure -> assertThat(failure.status().path("code").asInt())
                                .isEqualTo(415));
        assertThatThrownBy(() -> ProtobufBodies.toJson("{}".getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .isInstanceOf(ApiFailure.class)
                .hasMessageContaining("expected prefix");
        assertThatThrownBy(() ->
                        ProtobufBodies.toJson("k8s\0\377\377".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1)))
                .isInstanceOf(ApiFailure.class)
                .hasMessageContaining("unable to decode");
    }
}
