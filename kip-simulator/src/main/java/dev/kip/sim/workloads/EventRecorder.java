package dev.kip.sim.workloads;

import dev.kip.entropy.Entropy;
import dev.kip.loop.Loop;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiFailure;
import dev.kip.sim.apiserver.ResourceType;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Writes Events; one that says the same again is counted up instead. An event that is refused is lost, as in reality. */
final class EventRecorder {

    private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);
    private static final int REMEMBERED = 4096;

    private final ApiClient api;
    private final ResourceType type;
    private final Loop loop;
    private final Entropy entropy;
    private final String component;

    /** What was said last, by what it said: name and namespace of its Event. */
    private final Map<String, ObjectNode> said = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ObjectNode> eldest) {
            return size() > REMEMBERED;
        }
    };

    EventRecorder(ApiClient api, Loop loop, Entropy entropy, String component) {
        this.api = api;
        this.type = api.resource("", "events");
        this.loop = loop;
        this.entropy = entropy;
        this.component = component;
    }

    void normal(ObjectNode about, ResourceType of, String reason, String message) {
        record(about, of, "Normal", reason, message);
    }

    void warning(ObjectNode about, ResourceType of, String reason, String message) {
        record(about, of, "Warning", reason, message);
    }

    private void record(ObjectNode about, ResourceType of, String severity, String reason, String message) {
        String what = Objects.uid(about) + " " + reason + " " + message;
        ObjectNode before = said.get(what);
        try {
            said.put(what, before == null ? say(about, of, severity, reason, message) : sayAgain(before));
        } catch (ApiFailure refused) {
            said.remove(what);
            LOG.debug("event {} of {} was refused: {}", reason, Objects.name(about), refused.getMessage());
        }
    }

    private ObjectNode say(ObjectNode about, ResourceType of, String severity, String reason, String message) {
        String namespace = Objects.namespace(about).isEmpty() ? "default" : Objects.namespace(about);
        String now = Objects.stamp(loop.now());
        ObjectNode event = Objects.JSON.objectNode().put("kind", "Event").put("apiVersion", "v1");
        event.putObject("metadata")
                .put("name", Objects.name(about) + "." + HexFormat.of().formatHex(entropy.bytes(8)))
                .put("namespace", namespace);
        event.putObject("involvedObject")
                .put("kind", of.kind())
                .put("namespace", Objects.namespace(about))
                .put("name", Objects.name(about))
                .put("uid", Objects.uid(about))
                .put("apiVersion", of.apiVersion())
                .put(
                        "resourceVersion",
                        about.path("metadata").path("resourceVersion").asString(""));
        event.put("reason", reason).put("message", message);
        event.putObject("source").put("component", component);
        event.put("firstTimestamp", now)
                .put("lastTimestamp", now)
                .put("count", 1)
                .put("type", severity)
                .putNull("eventTime")
                .put("reportingComponent", component)
                .put("reportingInstance", "");
        return api.create(type, namespace, event);
    }

    private ObjectNode sayAgain(ObjectNode before) {
        ObjectNode event = before.deepCopy();
        event.put("count", before.path("count").asInt(1) + 1).put("lastTimestamp", Objects.stamp(loop.now()));
        ((ObjectNode) event.path("metadata")).remove("resourceVersion");
        return api.update(type, "", event);
    }
}
