package dev.kip.sim.selfhosted;

import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.sim.apiserver.ApiClient;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What is stored in the API server of a self-hosted plane of one version. */
final class PlanePods {

    static final String NAMESPACE = "kube-system";

    private final KubeletVersion version;
    private final ApiClient client;

    PlanePods(KubeletVersion version, ApiClient client) {
        this.version = version;
        this.client = client;
    }

    /** Everything that is there before the first machine is switched on, but for nodes and their pods. */
    void common() {
        for (String account : new String[] {Plane.PROGRAM, Plane.CHECKPOINTER_PROGRAM}) {
            create("serviceaccounts", String.format(Locale.ROOT, """
                    {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "%s", "namespace": "kube-system"}}
                    """, account));
        }
        create("secrets", """
                {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "kube-apiserver", "namespace": "kube-system"},
                 "data": {"apiserver.key": "S0VZ"}}
                """);
        boolean known = client.get(client.resource("", "configmaps"), NAMESPACE, "kube-root-ca.crt")
                .isPresent();
        if (version.isAtLeast("1.21") && !known) {
            create("configmaps", """
                    {"apiVersion": "v1", "kind": "ConfigMap", "data": {"ca.crt": "CA"},
                     "metadata": {"name": "kube-root-ca.crt", "namespace": "kube-system"}}
                    """);
        }
    }

    void node(String name) {
        client.create(client.resource("", "nodes"), "", json(String.format(Locale.ROOT, """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "%1$s", "labels":
                  {"kubernetes.io/hostname": "%1$s", "node-role.kubernetes.io/master": ""}}}
                """, name)));
    }

    private void create(String plural, String object) {
        client.create(client.resource("", plural), NAMESPACE, json(object));
    }

    /** A pod of the program's DaemonSet, as the API server of this version has it. */
    void pod(String name, String program, String node) {
        ObjectNode pod = json(String.format(Locale.ROOT, """
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"name": "%1$s", "namespace": "kube-system", "labels": {"k8s-app": "%2$s"},
                   "annotations": {"checkpointer.alpha.coreos.com/checkpoint": "true"},
                   "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "%2$s", "uid": "ds-%2$s",
                     "controller": true}]},
                 "spec": {"nodeName": "%3$s", "hostNetwork": true, "serviceAccountName": "%2$s",
                   "restartPolicy": "Always", "nodeSelector": {"node-role.kubernetes.io/master": ""},
                   "tolerations": [{"operator": "Exists"}],
                   "containers": [{"name": "%2$s", "image": "%2$s:1", "imagePullPolicy": "IfNotPresent",
                     "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}],
                   "volumes": []}}
                """, name, program, node));
        ObjectNode spec = pod.withObject("/spec");
        if (program.equals(Plane.PROGRAM)) {
            spec.withArray("volumes").add(json("""
                    {"name": "secrets", "secret": {"secretName": "kube-apiserver"}}
                    """));
        }
        if (version.compareTo(KubeletVersion.parse("1.12.0-rc.1")) >= 0) {
            spec.set("affinity", json(String.format(Locale.ROOT, """
                    {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms":
                      [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["%s"]}]}]}}}
                    """, node)));
        }
        if (version.isAtLeast("1.21")) {
            spec.withArray("volumes").add(json("""
                    {"name": "kube-api-access", "projected": {"sources": [
                      {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
                      {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}]}}
                    """));
        }
        client.create(client.resource("", "pods"), NAMESPACE, pod);
    }

    static ObjectNode json(String text) {
        return (ObjectNode) JsonMapper.shared().readTree(text);
    }
}
