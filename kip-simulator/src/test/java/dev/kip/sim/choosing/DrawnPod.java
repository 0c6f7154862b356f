package dev.kip.sim.choosing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A pod that asks for this and that, and how it is written as JSON. */
final class DrawnPod {

    /** One line of an affinity term. */
    record Line(String key, String operator, List<String> values) {}

    /** Millicores and MiB; 0 if not said. */
    record Box(boolean init, boolean sidecar, int cpuRequest, int cpuLimit, int memoryRequest, int memoryLimit) {
        int cpu() {
            return Math.max(cpuRequest, cpuLimit);
        }

        int memory() {
            return Math.max(memoryRequest, memoryLimit);
        }
    }

    final List<Box> boxes = new ArrayList<>();
    final Map<String, String> annotations = new LinkedHashMap<>();
    final Map<String, String> selector = new LinkedHashMap<>();
    final List<List<Line>> terms = new ArrayList<>();
    int overheadCpu;
    int gpus;

    private static final List<String> KEYS = List.of(
            "node.kubernetes.io/instance-type",
            "topology.kubernetes.io/zone",
            "kubernetes.io/arch",
            "karpenter.sh/capacity-type",
            "karpenter.k8s.aws/instance-family",
            "karpenter.k8s.aws/instance-category",
            "karpenter.k8s.aws/instance-generation",
            "karpenter.k8s.aws/instance-size",
            "karpenter.k8s.aws/instance-cpu",
            "karpenter.k8s.aws/instance-memory",
            "karpenter.k8s.aws/instance-gpu-name",
            "karpenter.k8s.aws/instance-hypervisor",
            "team.example.com/name");

    static DrawnPod draw(Random random, List<String> types, List<String> zones) {
        DrawnPod pod = new DrawnPod();
        int boxes = 1 + random.nextInt(3);
        for (int i = 0; i < boxes; i++) {
            boolean init = i > 0 && random.nextInt(3) == 0;
            pod.boxes.add(new Box(
                    init,
                    init && random.nextBoolean(),
                    one(random, 4, 0, 250, 1000, 3500, 16000),
                    one(random, 4, 0, 0, 2000, 30000),
                    one(random, 4, 0, 100, 700, 7168, 60000),
                    one(random, 4, 0, 0, 2048, 200000)));
        }
        pod.overheadCpu = one(random, 1, 0, 0, 0, 250);
        pod.gpus = random.nextInt(8) == 0 ? 1 + random.nextInt(4) : 0;
        if (random.nextInt(5) == 0) {
            String type = types.get(random.nextInt(types.size()));
            String family = type.substring(0, type.indexOf('.'));
            pod.annotations.put(
                    "pod.elotl.co/instance-type",
                    List.of(type, family + ".*", type.charAt(0) + "*", "*.xlarge", "*", "zz*", family + ".metal*")
                            .get(random.nextInt(7)));
        }
        if (random.nextInt(4) == 0) {
            pod.annotations.put("pod.elotl.co/launch-type", random.nextBoolean() ? "spot" : "On-Demand");
        }
        if (random.nextInt(3) == 0) {
            Line line = line(random, types, zones);
            if (line.operator.equals("In")) {
                pod.selector.put(line.key, line.values.get(0));
            }
        }
        if (pod.gpus > 0 && random.nextInt(2) == 0) {
            pod.selector.put("accelerator", random.nextBoolean() ? "nvidia-tesla-v100" : "nvidia-t4");
        }
        if (random.nextInt(3) == 0) {
            int terms = 1 + random.nextInt(2);
            for (int i = 0; i < terms; i++) {
                List<Line> term = new ArrayList<>();
                int lines = 1 + random.nextInt(2);
                for (int j = 0; j < lines; j++) {
                    term.add(line(random, types, zones));
                }
                pod.terms.add(term);
            }
        }
        return pod;
    }

    private static Line line(Random random, List<String> types, List<String> zones) {
        String key = KEYS.get(random.nextInt(KEYS.size()));
        String operator = List.of("In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
                .get(random.nextInt(7));
        List<String> values = new ArrayList<>();
        if (operator.equals("Gt") || operator.equals("Lt")) {
            values.add(List.of("1", "4", "16", "8192", "x").get(random.nextInt(5)));
        } else if (operator.endsWith("In")) {
            int count = 1 + random.nextInt(3);
            for (int i = 0; i < count; i++) {
                values.add(value(random, key, types, zones));
            }
        }
        return new Line(key, operator, values);
    }

    private static String value(Random random, String key, List<String> types, List<String> zones) {
        String type = types.get(random.nextInt(types.size()));
        String name = key.substring(key.indexOf('/') + 1);
        switch (name) {
            case "instance-type":
                return type;
            case "zone":
                return zones.get(random.nextInt(zones.size()));
            case "arch":
                return random.nextBoolean() ? "amd64" : "arm64";
            case "capacity-type":
                return random.nextBoolean() ? "spot" : "on-demand";
            case "instance-family":
                return type.substring(0, type.indexOf('.'));
            case "instance-category":
                return List.of("t", "m", "c", "r", "g").get(random.nextInt(5));
            case "instance-generation":
                return Integer.toString(1 + random.nextInt(7));
            case "instance-size":
                return type.substring(type.indexOf('.') + 1);
            case "instance-cpu":
                return Integer.toString(1 << random.nextInt(6));
            case "instance-memory":
                return Integer.toString(2048 << random.nextInt(6));
            case "instance-gpu-name":
                return random.nextBoolean() ? "t4" : "v100";
            default:
                return "some";
        }
    }

    /** 0 in {@code rare} of {@code rare + 1} draws, so that most pods ask for little that is said in many places. */
    private static int one(Random random, int rare, int... amounts) {
        return random.nextInt(rare + 1) == 0 ? amounts[random.nextInt(amounts.length)] : amounts[0];
    }

    ObjectNode json() {
        ObjectNode pod = JsonMapper.shared().createObjectNode();
        ObjectNode noted = pod.putObject("metadata").putObject("annotations");
        annotations.forEach(noted::put);
        ObjectNode spec = pod.putObject("spec");
        ObjectNode selected = spec.putObject("nodeSelector");
        selector.forEach(selected::put);
        ArrayNode inits = spec.putArray("initContainers");
        ArrayNode containers = spec.putArray("containers");
        for (Box box : boxes) {
            ObjectNode container = (box.init ? inits : containers).addObject().put("name", "c");
            if (box.sidecar) {
                container.put("restartPolicy", "Always");
            }
            ObjectNode resources = container.putObject("resources");
            amounts(resources.putObject("requests"), box.cpuRequest, box.memoryRequest);
            amounts(resources.putObject("limits"), box.cpuLimit, box.memoryLimit);
        }
        if (gpus > 0) {
            containers.get(0).withObject("resources").withObject("limits").put("nvidia.com/gpu", gpus);
        }
        amounts(spec.putObject("overhead"), overheadCpu, 0);
        if (!terms.isEmpty()) {
            ArrayNode written = spec.putObject("affinity")
                    .putObject("nodeAffinity")
                    .putObject("requiredDuringSchedulingIgnoredDuringExecution")
                    .putArray("nodeSelectorTerms");
            for (List<Line> term : terms) {
                ArrayNode expressions = written.addObject().putArray("matchExpressions");
                for (Line line : term) {
                    ArrayNode values = expressions
                            .addObject()
                            .put("key", line.key)
                            .put("operator", line.operator)
                            .putArray("values");
                    line.values.forEach(values::add);
                }
            }
        }
        return pod;
    }

    private static void amounts(ObjectNode map, int cpu, int memory) {
        if (cpu > 0) {
            map.put("cpu", cpu + "m");
        }
        if (memory > 0) {
            map.put("memory", memory + "Mi");
        }
    }
}
