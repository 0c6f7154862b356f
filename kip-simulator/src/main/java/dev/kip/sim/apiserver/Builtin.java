package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.BuiltinTypes.Draft;
import dev.kip.sim.apiserver.kinds.CronJobs;
import dev.kip.sim.apiserver.kinds.CustomResourceDefinitions;
import dev.kip.sim.apiserver.kinds.Jobs;
import dev.kip.sim.apiserver.kinds.Names;
import dev.kip.sim.apiserver.kinds.Namespaces;
import dev.kip.sim.apiserver.kinds.Nodes;
import dev.kip.sim.apiserver.kinds.Pods;
import dev.kip.sim.apiserver.kinds.Services;
import dev.kip.sim.apiserver.kinds.SigningRequests;
import dev.kip.sim.apiserver.kinds.SimpleKinds;
import dev.kip.sim.apiserver.kinds.Strategy;
import dev.kip.sim.apiserver.kinds.Traits;
import dev.kip.sim.apiserver.kinds.Traits.Generation;
import dev.kip.sim.apiserver.kinds.Workloads;
import dev.kip.sim.apiserver.store.Store;
import java.time.Instant;
import java.util.function.Supplier;

/** The built-in kinds, each with its rules and its shelf. */
final class Builtin {

    private static final Strategy PLAIN = Strategy.plain(Traits.PLAIN);
    private static final Strategy SPEC_AND_STATUS = Strategy.plain(Traits.SPEC_AND_STATUS);
    private static final Strategy WITH_GENERATION = Strategy.plain(Traits.PLAIN.generation(Generation.SPEC));
    private static final Strategy PLAIN_DELETED = Strategy.plain(Traits.PLAIN.answeringDeleted());
    private static final Strategy ROLES =
            Strategy.plain(Traits.PLAIN.creatingOnUpdate().named(Names.PATH_SEGMENT));
    private static final String RBAC = "rbac.authorization.k8s.io";
    private static final String STORAGE = "storage.k8s.io";

    private final Store store;
    private final Registry registry;
    private final Supplier<Instant> now;

    private Builtin(Store store, Registry registry, Supplier<Instant> now) {
        this.store = store;
        this.registry = registry;
        this.now = now;
    }

    static void register(Store store, Registry registry, Supplier<Instant> now) {
        new Builtin(store, registry, now).registerAll();
    }

    private void registerAll() {
        core();
        reviews();
        workloads();
        policyAndAccess();
        storageAndNetwork();
    }

    private void core() {
        BuiltinTypes v1 = BuiltinTypes.in("", "v1");
        ResourceType binding = new ResourceType(
                "",
                "v1",
                "Binding",
                "bindings",
                "binding",
                true,
                ImmutableList.of(),
                ImmutableList.of(),
                ImmutableList.of("create"),
                ImmutableList.of());
        add(binding, PLAIN);
        add(v1.namespaced("ConfigMap", "configmaps", "cm"), new SimpleKinds.ConfigMaps());
        add(v1.namespaced("Endpoints", "endpoints", "ep"), Strategy.plain(Traits.PLAIN.creatingOnUpdate()));
        Resource events = add(v1.namespaced("Event", "events", "ev"), new SimpleKinds.Events());
        add(v1.namespaced("LimitRange", "limitranges", "limits"), Strategy.plain(Traits.PLAIN.creatingOnUpdate()));
        add(
                v1.cluster("Namespace", "namespaces", "ns")
                        .withoutCollectionDelete()
                        .sub("finalize", "", "v1", "Namespace", ImmutableList.of("update"))
                        .status(),
                new Namespaces());
        add(
                v1.cluster("Node", "nodes", "no").stream("proxy", "NodeProxyOptions")
                        .status(),
                new Nodes());
        add(
                v1.namespaced("PersistentVolumeClaim", "persistentvolumeclaims", "pvc")
                        .status(),
                new SimpleKinds.Claims());
        add(v1.cluster("PersistentVolume", "persistentvolumes", "pv").status(), new SimpleKinds.Volumes());
        add(pods(v1), new Pods());
        add(v1.namespaced("PodTemplate", "podtemplates", ""), PLAIN_DELETED);
        add(
                v1.namespaced("ReplicationController", "replicationcontrollers", "rc")
                        .category("all")
                        .scale()
                        .status(),
                new Workloads("ReplicationController"));
        add(
                v1.namespaced("ResourceQuota", "resourcequotas", "quota").status(),
                Strategy.plain(Traits.PLAIN.withStatus().answeringDeleted()));
        add(v1.namespaced("Secret", "secrets", ""), new SimpleKinds.Secrets());
        add(
                v1.namespaced("ServiceAccount", "serviceaccounts", "sa")
                        .posted("token", "authentication.k8s.io", "v1", "TokenRequest"),
                PLAIN_DELETED);
        add(v1.namespaced("Service", "services", "svc").category("all").status(), new Services());

        ResourceType laterEvents = BuiltinTypes.in("events.k8s.io", "v1")
                .namespaced("Event", "events", "ev")
                .type();
        registry.add(events.inVersion(laterEvents, Conversions::eventToCore, Conversions::eventFromCore));
    }

    private static Draft pods(BuiltinTypes v1) {
        return v1.namespaced("Pod", "pods", "po").category("all").stream("attach", "PodAttachOptions")
                .posted("binding", "", "v1", "Binding")
                .own("ephemeralcontainers")
                .posted("eviction", "policy", "v1", "Eviction")
                .stream("exec", "PodExecOptions")
                .sub("log", "", "v1", "Pod", ImmutableList.of("get"))
                .stream("portforward", "PodPortForwardOptions")
                .status();
    }

    private void reviews() {
        String authentication = "authentication.k8s.io";
        String authorization = "authorization.k8s.io";
        add(BuiltinTypes.review(authentication, "SelfSubjectReview", "selfsubjectreviews", false), PLAIN);
        add(BuiltinTypes.review(authentication, "TokenReview", "tokenreviews", false), PLAIN);
        add(BuiltinTypes.review(authorization, "LocalSubjectAccessReview", "localsubjectaccessreviews", true), PLAIN);
        add(BuiltinTypes.review(authorization, "SelfSubjectAccessReview", "selfsubjectaccessreviews", false), PLAIN);
        add(BuiltinTypes.review(authorization, "SelfSubjectRulesReview", "selfsubjectrulesreviews", false), PLAIN);
        add(BuiltinTypes.review(authorization, "SubjectAccessReview", "subjectaccessreviews", false), PLAIN);
    }

    private void workloads() {
        BuiltinTypes apps = BuiltinTypes.in("apps", "v1");
        add(apps.namespaced("ControllerRevision", "controllerrevisions", ""), PLAIN);
        add(apps.namespaced("DaemonSet", "daemonsets", "ds").category("all").status(), new Workloads("DaemonSet"));
        add(
                apps.namespaced("Deployment", "deployments", "deploy")
                        .category("all")
                        .scale()
                        .status(),
                new Workloads("Deployment"));
        add(
                apps.namespaced("ReplicaSet", "replicasets", "rs")
                        .category("all")
                        .scale()
                        .status(),
                new Workloads("ReplicaSet"));
        add(
                apps.namespaced("StatefulSet", "statefulsets", "sts")
                        .category("all")
                        .scale()
                        .status(),
                new Workloads("StatefulSet"));

        Resource autoscalers = add(
                BuiltinTypes.in("autoscaling", "v2")
                        .namespaced("HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa")
                        .category("all")
                        .status(),
                new SimpleKinds.Autoscalers());
        ResourceType first = BuiltinTypes.in("autoscaling", "v1")
                .namespaced("HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa")
                .category("all")
                .status()
                .type();
        registry.add(autoscalers.inVersion(first, Conversions::autoscalerToV2, Conversions::autoscalerFromV2));

        BuiltinTypes batch = BuiltinTypes.in("batch", "v1");
        add(batch.namespaced("CronJob", "cronjobs", "cj").category("all").status(), new CronJobs());
        add(batch.namespaced("Job", "jobs", "").category("all").status(), new Jobs());
    }

    private void policyAndAccess() {
        add(BuiltinTypes.in("coordination.k8s.io", "v1").namespaced("Lease", "leases", ""), new SimpleKinds.Leases());
        add(
                BuiltinTypes.in("policy", "v1")
                        .namespaced("PodDisruptionBudget", "poddisruptionbudgets", "pdb")
                        .status(),
                new SimpleKinds.DisruptionBudgets());
        add(
                BuiltinTypes.in("certificates.k8s.io", "v1")
                        .cluster("CertificateSigningRequest", "certificatesigningrequests", "csr")
                        .own("approval")
                        .status(),
                new SigningRequests());
        BuiltinTypes rbac = BuiltinTypes.in(RBAC, "v1");
        add(rbac.cluster("ClusterRoleBinding", "clusterrolebindings", ""), new SimpleKinds.Bindings());
        add(rbac.cluster("ClusterRole", "clusterroles", ""), ROLES);
        add(rbac.namespaced("RoleBinding", "rolebindings", ""), new SimpleKinds.Bindings());
        add(rbac.namespaced("Role", "roles", ""), ROLES);
        add(
                BuiltinTypes.in("scheduling.k8s.io", "v1").cluster("PriorityClass", "priorityclasses", "pc"),
                new SimpleKinds.PriorityClasses());
        BuiltinTypes admission = BuiltinTypes.in("admissionregistration.k8s.io", "v1");
        Strategy webhooks = Strategy.plain(
                Traits.PLAIN.generation(Generation.ALL_BUT_METADATA).versionRequired());
        add(
                admission
                        .cluster("MutatingWebhookConfiguration", "mutatingwebhookconfigurations", "")
                        .category("api-extensions"),
                webhooks);
        add(
                admission
                        .cluster("ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "")
                        .category("api-extensions"),
                webhooks);
        add(
                BuiltinTypes.in("apiextensions.k8s.io", "v1")
                        .cluster("CustomResourceDefinition", "customresourcedefinitions", "crd,crds")
                        .category("api-extensions")
                        .status(),
                new CustomResourceDefinitions(now));
    }

    private void storageAndNetwork() {
        BuiltinTypes storage = BuiltinTypes.in(STORAGE, "v1");
        add(storage.cluster("CSIDriver", "csidrivers", ""), PLAIN);
        add(storage.cluster("CSINode", "csinodes", ""), PLAIN);
        add(storage.cluster("StorageClass", "storageclasses", "sc"), PLAIN);
        BuiltinTypes networking = BuiltinTypes.in("networking.k8s.io", "v1");
        add(networking.cluster("IngressClass", "ingressclasses", ""), WITH_GENERATION);
        add(networking.namespaced("Ingress", "ingresses", "ing").status(), SPEC_AND_STATUS);
        add(networking.namespaced("NetworkPolicy", "networkpolicies", "netpol"), WITH_GENERATION);
        add(
                BuiltinTypes.in("discovery.k8s.io", "v1").namespaced("EndpointSlice", "endpointslices", ""),
                Strategy.plain(Traits.PLAIN.generation(Generation.ALL_BUT_METADATA)));
        add(
                BuiltinTypes.in("node.k8s.io", "v1").cluster("RuntimeClass", "runtimeclasses", ""),
                Strategy.plain(Traits.PLAIN.versionRequired()));
    }

    private Resource add(Draft draft, Strategy strategy) {
        return add(draft.type(), strategy);
    }

    private Resource add(ResourceType type, Strategy strategy) {
        String shelf = type.group().isEmpty() ? type.plural() : type.group() + "/" + type.plural();
        Resource resource = Resource.builtin(type, store.shelf(shelf), strategy);
        registry.add(resource);
        return resource;
    }
}
