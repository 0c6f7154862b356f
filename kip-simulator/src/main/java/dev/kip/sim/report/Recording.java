package dev.kip.sim.report;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.kernel.Witness;
import dev.kip.sim.scenario.Runner.SimulatedWorld;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Keeps what happens in a world: lines, messages, and each version of each object and instance. */
public final class Recording implements Witness {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final ImmutableList<String> KINDS = ImmutableList.of(
            "pod", "node", "deployment", "replicaset", "daemonset", "cell", "launchbatch", "installation");

    private final List<Trace.Line> lines = new ArrayList<>();
    private final Map<Long, Message> messages = new LinkedHashMap<>();
    private final List<Version> versions = new ArrayList<>();
    private final Map<String, ObjectNode> now = new LinkedHashMap<>();
    private Instances instances = ImmutableList::of;

    /** A request on the network; times are empty as long as it has not come so far. */
    static final class Message {

        final long sent;
        final Call call;
        final Fate fate;
        long arrived = -1;
        long answered = -1;
        int status = -1;

        Message(long sent, Call call, Fate fate) {
            this.sent = sent;
            this.call = call;
            this.fate = fate;
        }
    }

    /**
     * A version of an object.
     *
     * @param key {@code cluster/kind/namespace/name}
     * @param change a whole object if it was not there before, else a merge patch
     */
    record Version(long at, String key, String event, ObjectNode change) {}

    /** What the cloud shows. */
    interface Instances {
        ImmutableList<World.Machine> all();
    }

    /** From now on it hears of everything in this world, and knows what is there already. */
    public void attach(SimulatedWorld world, Scenario scenario) {
        if (scenario.given().nodes().isEmpty()) {
            for (int i = 0; i < scenario.given().clusters(); i++) {
                String cluster = String.valueOf((char) ('a' + i));
                for (String kind : KINDS) {
                    world.objects(cluster, kind)
                            .forEach(object -> object(world.elapsed(), cluster, "ADDED", kind, object));
                }
            }
            instances = world::machines;
        }
        world.kernel().trace().lines().forEach(lines::add);
        world.kernel().trace().witness(this);
    }

    @Override
    public void line(Trace.Line line) {
        lines.add(line);
        if (line.actor().equals("ec2") || line.actor().equals("world")) {
            look(line.at());
        }
    }

    /** The instances as they are now. */
    private void look(Duration at) {
        for (World.Machine machine : instances.all()) {
            ObjectNode seen = JSON.objectNode();
            seen.put("kind", "Instance");
            seen.putObject("metadata").put("name", machine.id());
            seen.put("state", machine.state());
            ObjectNode tags = seen.putObject("tags");
            machine.tags().forEach(tags::put);
            object(at, "ec2", "MODIFIED", "instance", seen);
        }
    }

    @Override
    public void sent(Duration at, long id, Call call, Fate fate) {
        messages.put(id, new Message(micros(at), call, fate));
    }

    @Override
    public void arrived(Duration at, long id) {
        Message message = messages.get(id);
        if (message != null) {
            message.arrived = micros(at);
        }
    }

    @Override
    public void answered(Duration at, long id, int status) {
        Message message = messages.get(id);
        if (message != null && message.answered < 0) {
            message.answered = micros(at);
            message.status = status;
        }
    }

    @Override
    public void object(Duration at, String cluster, String event, String kind, ObjectNode object) {
        String key =
                cluster + "/" + kind + "/" + object.at("/metadata/namespace").asString("") + "/"
                        + object.at("/metadata/name").asString("");
        if (event.equals("DELETED")) {
            if (now.remove(key) != null) {
                versions.add(new Version(micros(at), key, event, JSON.objectNode()));
            }
            return;
        }
        ObjectNode copy = object.deepCopy();
        if (copy.path("metadata") instanceof ObjectNode metadata) {
            metadata.remove("managedFields");
        }
        ObjectNode before = now.put(key, copy);
        ObjectNode change = before == null ? copy : MergeDiff.between(before, copy);
        if (!change.isEmpty()) {
            versions.add(new Version(micros(at), key, before == null ? "ADDED" : "MODIFIED", change));
        }
    }

    static long micros(Duration time) {
        return time.toNanos() / 1_000;
    }

    /** How many lines, messages and versions there are. */
    public int size() {
        return lines.size() + messages.size() + versions.size();
    }

    /** As the page reads it: words that occur often are numbers into a list. */
    void writeTo(ObjectNode report) {
        Map<String, Integer> actors = new LinkedHashMap<>();
        Map<String, Integer> words = new LinkedHashMap<>();
        ArrayNode told = report.putArray("lines");
        for (Trace.Line line : lines) {
            told.addArray()
                    .add(micros(line.at()))
                    .add(number(actors, line.actor()))
                    .add(line.text());
        }
        ArrayNode crossed = report.putArray("messages");
        for (Message message : messages.values()) {
            crossed.addArray()
                    .add(message.sent)
                    .add(number(actors, message.call.from()))
                    .add(number(actors, message.call.to()))
                    .add(number(words, message.call.action()))
                    .add(message.call.target())
                    .add(number(words, message.fate.name()))
                    .add(message.call.mutating() ? 1 : 0)
                    .add(message.arrived)
                    .add(message.answered)
                    .add(message.status);
        }
        ArrayNode objects = report.putArray("versions");
        for (Version version : versions) {
            objects.addArray()
                    .add(version.at)
                    .add(number(words, version.key))
                    .add(number(words, version.event))
                    .add(version.change);
        }
        names(report.putArray("actors"), actors);
        names(report.putArray("words"), words);
    }

    private static int number(Map<String, Integer> numbers, String word) {
        return numbers.computeIfAbsent(word, unused -> numbers.size());
    }

    private static void names(ArrayNode list, Map<String, Integer> numbers) {
        numbers.keySet().forEach(list::add);
    }

    /** The whole of it, for programs. */
    public String json() {
        ObjectNode report = JSON.objectNode();
        writeTo(report);
        return JsonMapper.shared().writeValueAsString(report);
    }
}
