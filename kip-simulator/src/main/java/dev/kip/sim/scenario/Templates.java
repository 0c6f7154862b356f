package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The objects that a story's short words stand for. */
public final class Templates {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private Templates() {}

    /**
     * What a pod of a story is like.
     *
     * @param tolerate whether it tolerates every taint
     * @param graceSeconds the default of the API server if empty
     */
    public record Template(
            String namespace,
            String image,
            boolean tolerate,
            Optional<Integer> graceSeconds,
            ImmutableMap<String, String> annotations,
            Optional<String> cpu,
            Optional<String> memory,
            Optional<String> restartPolicy) {

        /** A pod that runs until it is told to end. */
        public static Template plain(String namespace) {
            return new Template(
                    namespace,
                    "nginx:1.27",
                    false,
                    Optional.empty(),
                    ImmutableMap.of(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());
        }
    }

    public static ObjectNode pod(String name, Template template) {
        ObjectNode pod = object("v1", "Pod", template.namespace(), name);
        annotate(pod, template);
        pod.set("spec", podSpec(template));
        return pod;
    }

    public static ObjectNode deployment(String name, int replicas, Template template) {
        ObjectNode deployment = object("apps/v1", "Deployment", template.namespace(), name);
        ObjectNode spec = deployment.putObject("spec");
        spec.put("replicas", replicas);
        workload(spec, name, template);
        return deployment;
    }

    /** A DaemonSet as kube-proxy's: on every node, whatever its taints. */
    public static ObjectNode daemonSet(String name) {
        ObjectNode daemonSet = object("apps/v1", "DaemonSet", "kube-system", name);
        Template template = new Template(
                "kube-system",
                name + ":v1.34.4",
                true,
                Optional.empty(),
                ImmutableMap.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        workload(daemonSet.putObject("spec"), name, template);
        return daemonSet;
    }

    private static void workload(ObjectNode spec, String name, Template template) {
        spec.putObject("selector").putObject("matchLabels").put("app", name);
        ObjectNode podTemplate = spec.putObject("template");
        podTemplate.putObject("metadata").putObject("labels").put("app", name);
        annotate(podTemplate, template);
        podTemplate.set("spec", podSpec(template));
    }

    private static ObjectNode object(String apiVersion, String kind, String namespace, String name) {
        ObjectNode object = JSON.objectNode();
        object.put("apiVersion", apiVersion);
        object.put("kind", kind);
        object.putObject("metadata").put("name", name).put("namespace", namespace);
        return object;
    }

    private static void annotate(ObjectNode object, Template template) {
        if (!template.annotations().isEmpty()) {
            ObjectNode annotations = ((ObjectNode) object.path("metadata")).putObject("annotations");
            template.annotations().forEach(annotations::put);
        }
    }

    private static ObjectNode podSpec(Template template) {
        ObjectNode spec = JSON.objectNode();
        template.restartPolicy().ifPresent(policy -> spec.put("restartPolicy", policy));
        template.graceSeconds().ifPresent(grace -> spec.put("terminationGracePeriodSeconds", grace));
        ObjectNode container = spec.putArray("containers").addObject();
        container.put("name", "main").put("image", template.image());
        if (template.cpu().isPresent() || template.memory().isPresent()) {
            ObjectNode requests = container.putObject("resources").putObject("requests");
            template.cpu().ifPresent(cpu -> requests.put("cpu", cpu));
            template.memory().ifPresent(memory -> requests.put("memory", memory));
        }
        if (template.tolerate()) {
            spec.putArray("tolerations").addObject().put("operator", "Exists");
        }
        return spec;
    }
}
