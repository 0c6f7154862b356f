package dev.kip.controller.events;

import com.google.common.hash.Hashing;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.store.PodFacts;
import dev.kip.crd.CrdKinds;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.loop.Loop;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Events on objects of the cluster. The same thing is said once in a while only; nothing depends on it, so a lost one is lost. Confined to the loop. */
public final class ObjectEvents {

    private static final Logger LOG = LoggerFactory.getLogger(ObjectEvents.class);
    private static final Duration QUIET = Duration.ofMinutes(10);
    private static final int REMEMBERED = 4096;
    private static final int LONGEST_MESSAGE = 1024;
    private static final int LONGEST_NAME = 200;

    private final Loop loop;
    private final KubeApi kube;
    private final Calls calls;
    private final String node;
    private final BooleanSupplier allowed;

    private final Map<String, Long> said = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > REMEMBERED;
        }
    };

    /** @param allowed whether we may write now */
    public ObjectEvents(Loop loop, KubeApi kube, Calls calls, String node, BooleanSupplier allowed) {
        this.loop = loop;
        this.kube = kube;
        this.calls = calls;
        this.node = node;
        this.allowed = allowed;
    }

    /**
     * What an event is about.
     *
     * @param namespace empty for what is in none
     * @param uid empty if it is not known
     */
    public record Subject(String apiVersion, String kind, String namespace, String name, String uid) {

        public static Subject pod(PodFacts pod) {
            return new Subject("v1", "Pod", pod.ref().namespace(), pod.ref().name(), pod.uid());
        }

        public static Subject installation(String name, String uid) {
            return new Subject(CrdKinds.INSTALLATIONS.apiVersion(), CrdKinds.INSTALLATIONS.kind(), "", name, uid);
        }

        /** Events on what is in no namespace are kept here, as kubectl expects. */
        private String eventNamespace() {
            return namespace.isEmpty() ? "default" : namespace;
        }
    }

    public void tell(Subject subject, boolean warning, String reason, String message) {
        long now = loop.nanos();
        String same = subject + "\n" + reason + "\n" + message;
        @Nullable Long before = said.get(same);
        if ((before != null && now - before < QUIET.toNanos()) || !allowed.getAsBoolean()) {
            return;
        }
        said.put(same, now);
        create(subject, warning, reason, message, same + now);
    }

    /** What happens once: whoever tells it again, of the same {@code matter}, is not heard as long as the event is kept. */
    public void tellOnce(Subject subject, boolean warning, String reason, String message, String matter) {
        if (allowed.getAsBoolean()) {
            create(subject, warning, reason, message, subject + "\n" + reason + "\n" + matter);
        }
    }

    private void create(Subject subject, boolean warning, String reason, String message, String unique) {
        calls.on(
                "kube",
                "create events",
                kube.create(Kinds.EVENTS, subject.eventNamespace(), event(subject, warning, reason, message, unique)),
                done -> {},
                error -> LOG.debug("event {} on {}: {}", reason, subject, error.message()));
    }

    private ObjectNode event(Subject subject, boolean warning, String reason, String message, String unique) {
        String time = loop.now().truncatedTo(ChronoUnit.SECONDS).toString();
        String name = subject.name();
        ObjectNode event = JsonNodeFactory.instance.objectNode();
        event.put("apiVersion", "v1");
        event.put("kind", "Event");
        ObjectNode metadata = event.putObject("metadata");
        metadata.put(
                "name",
                name.substring(0, Math.min(name.length(), LONGEST_NAME)) + "."
                        + Hashing.murmur3_128()
                                .hashString(unique, StandardCharsets.UTF_8)
                                .toString()
                                .substring(0, 16));
        metadata.put("namespace", subject.eventNamespace());
        ObjectNode object = event.putObject("involvedObject");
        object.put("apiVersion", subject.apiVersion());
        object.put("kind", subject.kind());
        if (!subject.namespace().isEmpty()) {
            object.put("namespace", subject.namespace());
        }
        object.put("name", name);
        if (!subject.uid().isEmpty()) {
            object.put("uid", subject.uid());
        }
        event.put("type", warning ? "Warning" : "Normal");
        event.put("reason", reason);
        event.put("message", message.substring(0, Math.min(message.length(), LONGEST_MESSAGE)));
        event.put("count", 1);
        event.put("firstTimestamp", time);
        event.put("lastTimestamp", time);
        ObjectNode source = event.putObject("source");
        source.put("component", "kip");
        source.put("host", node);
        event.put("reportingComponent", "kip");
        event.put("reportingInstance", node);
        return event;
    }
}
