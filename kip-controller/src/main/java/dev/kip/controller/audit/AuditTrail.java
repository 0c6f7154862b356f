package dev.kip.controller.audit;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.controller.gc.Audit;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Records of ended instances, oldest first. Pure. */
public final class AuditTrail {

    private static final Pattern INSTANCE = Pattern.compile("\\bi-[0-9a-f]{8,17}\\b");
    private static final Pattern LEADING_TIME = Pattern.compile("^(\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z)\\s.*");
    private static final String STARTED = "InstanceTerminating";

    /** Reasons of events that tell of an instance's end. */
    private static final ImmutableSet<String> ENDS =
            ImmutableSet.of(Audit.TERMINATED, "InstanceWouldBeTerminated", STARTED);

    private static final Comparator<AuditRecord> BY_TIME =
            Comparator.comparing(record -> record.time().orElse(Instant.EPOCH));

    private AuditTrail() {}

    /**
     * From events on the Installation.
     *
     * @param all what else was said of it too: takeovers, a breaker that opened
     */
    public static ImmutableList<AuditRecord> ofEvents(ImmutableList<ObjectNode> events, boolean all) {
        return events.stream()
                .filter(event -> all || ENDS.contains(event.path("reason").asString("")))
                .map(AuditTrail::ofEvent)
                .sorted(BY_TIME)
                .collect(ImmutableList.toImmutableList());
    }

    private static AuditRecord ofEvent(ObjectNode event) {
        String message = event.path("message").asString("");
        Matcher instance = INSTANCE.matcher(message);
        return new AuditRecord(
                time(event.path("lastTimestamp").asString("")),
                event.path("reason").asString(""),
                instance.find() ? instance.group() : "",
                event.path("source").path("host").asString(""),
                message);
    }

    /**
     * From the controller's log, as JSON lines or as text, in any order; other lines are skipped. An end that was begun and
     * has no line that it was accepted is kept: its outcome was not recorded.
     */
    public static ImmutableList<AuditRecord> ofLog(Iterable<String> lines) {
        List<Found> found = new ArrayList<>();
        Set<String> accepted = new LinkedHashSet<>();
        for (String line : lines) {
            ofLine(line).ifPresent(record -> {
                found.add(record);
                if (record.event().equals(Audit.TERMINATED)) {
                    accepted.add(record.instance());
                }
            });
        }
        return found.stream()
                .filter(record -> !record.event().equals(STARTED) || !accepted.contains(record.instance()))
                .map(Found::record)
                .sorted(BY_TIME)
                .collect(ImmutableList.toImmutableList());
    }

    private record Found(Optional<Instant> time, ObjectNode json) {

        String event() {
            return json.path("event").asString("");
        }

        String instance() {
            return json.path("instance").asString("");
        }

        AuditRecord record() {
            String text = json.path("type").asString("") + ", launched "
                    + json.path("launched").asString("") + ": it "
                    + json.path("proof").asString("") + "; unclaimed for "
                    + json.path("unclaimedSeconds").asLong(0) + " s; its agent: "
                    + json.path("agent").asString("");
            return new AuditRecord(
                    time,
                    event(),
                    instance(),
                    json.path("node").asString("") + ", epoch "
                            + json.path("epoch").asString(""),
                    event().equals(STARTED)
                            ? text + "; NO ANSWER WAS RECORDED, so whether it was ended shows EC2"
                            : text);
        }
    }

    private static Optional<Found> ofLine(String line) {
        Optional<ObjectNode> outer = json(line.strip());
        if (outer.isPresent() && outer.get().path("loggerName").asString("").equals("dev.kip.audit")) {
            JsonNode at = outer.get().path("timestamp");
            Optional<Instant> time =
                    at.isNumber() ? Optional.of(Instant.ofEpochMilli(at.longValue())) : time(at.asString(""));
            return json(outer.get().path("formattedMessage").asString(""))
                    .filter(AuditTrail::isRecord)
                    .map(record -> new Found(time, record));
        }
        if (outer.isPresent()) {
            return outer.filter(AuditTrail::isRecord).map(record -> new Found(Optional.empty(), record));
        }
        int brace = line.indexOf('{');
        Matcher time = LEADING_TIME.matcher(line);
        return brace < 0
                ? Optional.empty()
                : json(line.substring(brace))
                        .filter(AuditTrail::isRecord)
                        .map(record -> new Found(time.matches() ? time(time.group(1)) : Optional.empty(), record));
    }

    private static boolean isRecord(ObjectNode json) {
        return ENDS.contains(json.path("event").asString("")) && json.has("instance");
    }

    private static Optional<ObjectNode> json(String text) {
        if (!text.startsWith("{")) {
            return Optional.empty();
        }
        try {
            return JsonMapper.shared().readTree(text) instanceof ObjectNode object
                    ? Optional.of(object)
                    : Optional.empty();
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    private static Optional<Instant> time(String text) {
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
