package dev.kip.sim.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.sim.kernel.SimNetwork.Counted;
import dev.kip.sim.scenario.Library;
import dev.kip.sim.scenario.Runner;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.world.SimWorld;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** What the manifests allow is what the controller does in the stories of the library: no less, and no more. */
class PermissionsTest {

    private static final Path DEPLOY = Path.of("..", "kip-controller", "deploy");

    /** The HTTP method of each RBAC verb. */
    private static final ImmutableMap<String, String> METHODS = ImmutableMap.<String, String>builder()
            .put("get", "GET")
            .put("list", "GET")
            .put("watch", "GET")
            .put("create", "POST")
            .put("update", "PUT")
            .put("patch", "PATCH")
            .put("delete", "DELETE")
            .buildOrThrow();

    private static final SortedSet<String> KUBERNETES = new TreeSet<>();
    private static final SortedSet<String> EC2 = new TreeSet<>();

    @BeforeAll
    static void run_every_story() throws YamlProblem, IOException {
        for (String name : Library.names()) {
            Scenario scenario = Library.find(name);
            if (scenario.given().nodes().isPresent()) {
                continue; // no controller is in it
            }
            SimWorld world = SimWorld.make(scenario, 7, false);
            new Runner(SimWorld::make).run(scenario, 7, world);
            for (Counted call : world.network().counts().keySet()) {
                if (call.to().equals("kubernetes")) {
                    KUBERNETES.add(call.action());
                } else if (call.to().equals("ec2")) {
                    EC2.add(call.action());
                }
            }
        }
    }

    @Test
    void rbac_allows_every_call_that_is_made() throws IOException {
        assertThat(allowedByRbac()).containsAll(KUBERNETES);
    }

    @Test
    void rbac_allows_no_change_that_is_never_made() throws IOException {
        SortedSet<String> unused = allowedByRbac();
        unused.removeAll(KUBERNETES);

        assertThat(unused)
                .as(
                        "config maps are read, and tokens asked for, for pods that have some; the node is mended when somebody has changed it; the"
                                + " definition is looked at when the Installation is deleted; the Installation is deleted at the end"
                                + " of a drain, unless that is how it began; callers of the kubelet API are examined, and the simulated"
                                + " network carries no streams")
                .isSubsetOf(
                        "GET configmaps",
                        "POST serviceaccounts/token",
                        "PATCH nodes",
                        "GET customresourcedefinitions",
                        "DELETE installations",
                        "POST tokenreviews",
                        "POST subjectaccessreviews",
                        "GET certificatesigningrequests",
                        "POST certificatesigningrequests");
    }

    @Test
    void the_iam_policy_allows_every_action_that_is_asked_for() throws IOException {
        SortedSet<String> allowed = new TreeSet<>();
        for (JsonNode statement : JsonMapper.shared()
                .readTree(Files.readString(DEPLOY.resolve("iam-policy.json")))
                .path("Statement")) {
            JsonNode actions = statement.path("Action");
            if (actions.isString()) {
                allowed.add(withoutService(actions.stringValue()));
            }
            actions.forEach(action -> allowed.add(withoutService(action.asString())));
        }

        allowed.add("GetCallerIdentity"); // everybody may ask who he is; no policy can forbid it

        assertThat(allowed).containsAll(EC2);
    }

    /** The simulated cloud answers for the security token service, too. */
    private static String withoutService(String action) {
        return action.replaceFirst("^(ec2|sts):", "");
    }

    private static SortedSet<String> allowedByRbac() throws IOException {
        SortedSet<String> allowed = new TreeSet<>();
        try (var documents = YAMLMapper.builder()
                .build()
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(DEPLOY.resolve("rbac.yaml").toFile())) {
            for (JsonNode document : documents.readAll()) {
                for (JsonNode rule : document.path("rules")) {
                    for (JsonNode resource : rule.path("resources")) {
                        for (JsonNode verb : rule.path("verbs")) {
                            allowed.add(METHODS.get(verb.asString()) + " " + resource.asString());
                        }
                    }
                }
            }
        }
        return allowed;
    }
}
