package dev.kip.sim.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** What the manifests allow is what the checkpointer asks for: no less, and no more. */
class RightsTest {

    private static final Path RBAC = Path.of("..", "kip-checkpointer", "deploy", "rbac.yaml");

    private static final ImmutableMap<String, String> METHODS =
            ImmutableMap.of("get", "GET one", "list", "GET all", "create", "POST");

    /** What this pod has no use for: a priority class of the cluster's own, a trust bundle. */
    private static final ImmutableList<String> UNSEEN =
            ImmutableList.of("GET one clustertrustbundles", "GET one priorityclasses");

    @Test
    void rbac_allows_what_is_asked_for_and_nothing_else() throws IOException {
        Set<String> allowed = allowed();
        assertThat(allowed.removeAll(UNSEEN)).isTrue();

        assertThat(asked()).isEqualTo(allowed);
    }

    private static Set<String> asked() {
        Bench bench = new Bench();
        bench.create("secrets", "kube-system", """
                {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
                """);
        bench.create("configmaps", "kube-system", """
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
                """);
        bench.pod("kube-system", "apiserver", """
                "serviceAccountName": "apiserver", "priorityClassName": "system-node-critical",
                "volumes": [
                  {"name": "s", "secret": {"secretName": "s"}},
                  {"name": "c", "configMap": {"name": "c"}},
                  {"name": "p", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}],
                """);
        bench.runs("kube-system", "apiserver", bench.uid("kube-system", "apiserver"));
        bench.start();
        bench.pass(60);
        bench.delete("pods", "kube-system", "apiserver");
        bench.pass(200);
        assertThat(bench.stored()).isEmpty();
        Set<String> asked = new TreeSet<>();
        bench.asked.forEach(call -> asked.add(described(call)));
        return asked;
    }

    /** Method and path as one of {@link #METHODS} with its resource. */
    private static String described(String call) {
        String[] words = call.split(" ", 2);
        String path = words[1].replaceFirst("^/apis?/([^/]+/)?v1[a-z0-9]*/", "").replaceFirst("^namespaces/[^/]+/", "");
        String[] parts = path.split("/", -1);
        String resource = parts.length > 2 ? parts[0] + "/" + parts[2] : parts[0];
        String what = words[0].equals("GET") ? (parts.length > 1 ? "GET one" : "GET all") : words[0];
        return what + " " + resource;
    }

    private static Set<String> allowed() throws IOException {
        YAMLMapper yaml = new YAMLMapper();
        Set<String> allowed = new TreeSet<>();
        for (String document : Files.readString(RBAC).split("(?m)^---$")) {
            JsonNode role = JsonMapper.shared().valueToTree(yaml.readTree(document));
            for (JsonNode rule : role.path("rules")) {
                for (JsonNode resource : rule.path("resources")) {
                    for (JsonNode verb : rule.path("verbs")) {
                        allowed.add(METHODS.get(verb.asString()) + " " + resource.asString());
                    }
                }
            }
        }
        return allowed;
    }
}
