package dev.kip.sim.fuzz;

import com.google.common.base.Splitter;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.ScenarioReader;
import dev.kip.sim.world.SimWorld;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlReader;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The manifest of a campaign on a cluster, as an API server and as a shell read it. */
final class JobManifest {

    private static final Pattern PROGRAM = Pattern.compile("dev\\.kip\\.sim\\.cli\\.Simulator (.*?) \\|\\| test");

    private JobManifest() {}

    /** As the simulated API server keeps it. */
    static JsonNode created(String manifest) throws Exception {
        Scenario scenario = ScenarioReader.read("empty.yaml", "scenario: empty\nsteps: [{wait: 1s}]\n");
        SimWorld world = SimWorld.make(scenario, 1, false);
        ObjectNode job = (ObjectNode) json(YamlReader.read("fuzz-job.yaml", manifest));
        return world.api().create(world.api().resource("batch", "jobs"), "default", job);
    }

    /** The simulator's arguments in the pod with index 0. */
    static List<String> simulatorOptions(String manifest) throws Exception {
        JsonNode job = json(YamlReader.read("fuzz-job.yaml", manifest));
        String script = job.at("/spec/template/spec/containers/0/args/0").asString();
        Matcher matcher = PROGRAM.matcher(script);
        if (!matcher.find()) {
            throw new IllegalStateException("the simulator is not run in: " + script);
        }
        return Splitter.on(' ')
                .splitToList(
                        matcher.group(1).replace("$JOB_COMPLETION_INDEX", "0").replace("\"", ""));
    }

    private static JsonNode json(Yaml yaml) {
        JsonMapper mapper = JsonMapper.shared();
        if (yaml instanceof Yaml.Mapping map) {
            ObjectNode node = mapper.createObjectNode();
            map.entries().forEach((key, value) -> node.set(key, json(value)));
            return node;
        }
        if (yaml instanceof Yaml.Sequence list) {
            ArrayNode node = mapper.createArrayNode();
            list.items().forEach(item -> node.add(json(item)));
            return node;
        }
        Yaml.Scalar scalar = (Yaml.Scalar) yaml;
        return scalar.plain() && scalar.text().matches("\\d+|true|false")
                ? mapper.readTree(scalar.text())
                : mapper.getNodeFactory().stringNode(scalar.text());
    }
}
