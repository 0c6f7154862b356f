package dev.kip.bench.adopt;

import com.google.common.collect.ImmutableMap;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cell.wire.Wire;
import dev.kip.cell.wire.Wire.GrantRequest;
import dev.kip.controller.launch.Tags;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A kept world in which one pod runs becomes one in which thousands do: each copy of the pod, its Cell, its instance and
 * its agent has names, addresses and proofs of its own, by the installation's keys.
 */
final class Multiplied {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int IPS_PER_PART = 250;

    private final ObjectNode world;
    private final int copies;
    private final Original original;
    private final InstallationKeys keys;

    /** What is different in each copy. */
    private record Original(
            String pod, String uid, String instance, String ip, String token, String volume, String networkInterface) {}

    private Multiplied(ObjectNode world, int copies) {
        this.world = world;
        this.copies = copies;
        JsonNode launch = launched().path("launch");
        JsonNode pod = only("pods");
        this.original = new Original(
                pod.at("/metadata/name").asString(),
                pod.at("/metadata/uid").asString(),
                launch.path("id").asString(),
                launch.path("privateIp").asString(),
                launch.path("clientToken").asString(),
                launch.path("volumeId").asString(),
                launch.path("interfaceId").asString());
        Map<String, String> data = new LinkedHashMap<>();
        secret().path("data").forEachEntry((name, value) -> data.put(name, value.asString()));
        this.keys = InstallationKeys.fromSecretData(ImmutableMap.copyOf(data));
    }

    /** @param world of one pod; changed in place */
    static void inPlace(ObjectNode world, int copies) {
        Multiplied multiplied = new Multiplied(world, copies);
        multiplied.objects("pods");
        multiplied.objects("cells");
        multiplied.machines();
        multiplied.agents();
    }

    private ObjectNode shelf(String plural) {
        ObjectNode shelves = world.withObjectProperty("kubernetes")
                .withObjectProperty("store")
                .withObjectProperty("objects");
        return shelves.propertyNames().stream()
                .filter(name -> name.equals(plural) || name.startsWith(plural + ".") || name.endsWith("/" + plural))
                .map(shelves::withObjectProperty)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + plural + " in " + shelves.propertyNames()));
    }

    private JsonNode only(String plural) {
        ObjectNode shelf = shelf(plural);
        if (shelf.size() != 1) {
            throw new IllegalStateException("one of the " + plural + " was expected, not " + shelf.propertyNames());
        }
        return shelf.iterator().next();
    }

    private JsonNode secret() {
        return shelf("secrets")
                .valueStream()
                .filter(found -> found.at("/metadata/name").asString("").endsWith("-installation"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the installation has no Secret"));
    }

    private JsonNode launched() {
        ArrayNode instances = world.withObjectProperty("ec2").withArrayProperty("instances");
        if (instances.size() != 1) {
            throw new IllegalStateException("one instance was expected, not " + instances.size());
        }
        return instances.get(0);
    }

    private String copied(String json, int number) {
        return json.replace(original.uid(), uid(number))
                .replace(original.pod(), pod(number))
                .replace(original.instance(), instance(number))
                .replace('"' + original.ip() + '"', '"' + ip(number) + '"')
                .replace(original.token(), token(number))
                .replace(original.volume(), original.volume().substring(0, 13) + hex(number))
                .replace(
                        original.networkInterface(), original.networkInterface().substring(0, 13) + hex(number));
    }

    private void objects(String plural) {
        String template = only(plural).toString();
        String key = shelf(plural).propertyNames().iterator().next();
        ObjectNode shelf = shelf(plural);
        shelf.removeAll();
        for (int i = 0; i < copies; i++) {
            shelf.set(copied(key, i), JSON.readTree(copied(template, i)));
        }
    }

    private void machines() {
        ObjectNode ec2 = world.withObjectProperty("ec2");
        String template = launched().toString();
        ObjectNode tags = ec2.withObjectProperty("tags");
        String tagged = tags.path(original.instance()).toString();
        ArrayNode instances = ec2.withArrayProperty("instances");
        instances.removeAll();
        tags.remove(original.instance());
        JsonNode installation = only("installations").path("spec");
        String region = installation.path("region").asString();
        String vpc = installation.path("vpc").asString();
        for (int i = 0; i < copies; i++) {
            ObjectNode machine = (ObjectNode) JSON.readTree(copied(template, i));
            machine.withObjectProperty("launch").put("sequence", i + 1);
            instances.add(machine);
            ObjectNode own = (ObjectNode) JSON.readTree(tagged);
            own.put(
                    Tags.MAC,
                    keys.ownershipProof(
                            own.path(Tags.INSTALLATION).asString(),
                            region,
                            vpc,
                            own.path(Tags.NODE).asString(),
                            token(i)));
            tags.set(instance(i), own);
        }
    }

    private void agents() {
        ArrayNode cells = world.withArrayProperty("cells");
        String template = cells.get(0).toString();
        cells.removeAll();
        for (int i = 0; i < copies; i++) {
            ObjectNode cell = (ObjectNode) JSON.readTree(copied(template, i));
            ObjectNode given = cell.withObjectProperty("disk").withObjectProperty("granted");
            Grant grant = Wire.decodeGrant(given.path("grant").asString().getBytes(StandardCharsets.UTF_8))
                    .grant();
            given.put(
                    "grant",
                    new String(
                            Wire.encode(new GrantRequest(grant, keys.cellSecret(instance(i)))),
                            StandardCharsets.UTF_8));
            cells.add(cell);
        }
    }

    private static String hex(int number) {
        return String.format("%08x", number);
    }

    private static String uid(int number) {
        return "6a1b0000-0000-4000-8000-0000" + hex(number);
    }

    private static String pod(int number) {
        return String.format("web-%06d", number);
    }

    private static String instance(int number) {
        return "i-0ada90000" + hex(number);
    }

    private static String ip(int number) {
        return "172.31." + number / IPS_PER_PART % 256 + "." + (number % IPS_PER_PART + 4);
    }

    private static String token(int number) {
        return "adopted" + hex(number);
    }
}
