package dev.kip.sim.sqs;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.BaseEncoding;
import dev.kip.entropy.Entropy;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import dev.kip.sim.aws.CallLog;
import dev.kip.sim.aws.HttpDate;
import dev.kip.sim.aws.Ids;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * SQS of one account in one region, over its JSON protocol: standard queues with visibility timeouts, delivery at least once,
 * and tags. An answer never waits: a receive of an empty queue is answered at once, as with a wait of 0 s. Whatever else is
 * asked for is refused. All of it on the loop.
 *
 * @see <a href="https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/Welcome.html">SQS API</a>
 */
public final class SimSqs implements HttpService {

    private static final Logger LOG = LoggerFactory.getLogger(SimSqs.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String TARGET = "AmazonSQS";
    private static final int MOST_MESSAGES = 10;

    private final Loop loop;
    private final Ids ids;
    private final Map<String, Queue> queues = new TreeMap<>();
    private final CallLog log = new CallLog();
    private boolean denied;

    public SimSqs(Loop loop, Entropy entropy) {
        this.loop = loop;
        this.ids = new Ids(entropy.fork("sqs"));
    }

    private static final class Queue {
        private final Map<String, Stored> messages = new LinkedHashMap<>();
        private final Map<String, String> tags = new TreeMap<>();
    }

    private static final class Stored {
        private final String id;
        private final String body;
        private long visibleFrom;
        private int receptions;

        Stored(String id, String body, long now) {
            this.id = id;
            this.body = body;
            this.visibleFrom = now;
        }
    }

    /** No effect if it is there. */
    public void createQueue(String name) {
        queues.computeIfAbsent(name, any -> new Queue());
    }

    /** Somebody puts a message into the queue; nothing if there is no such queue. */
    public void send(String queue, String body) {
        Optional.ofNullable(queues.get(queue)).ifPresent(found -> {
            String id = ids.request();
            found.messages.put(id, new Stored(id, body, loop.nanos()));
        });
    }

    /** Messages that nobody has deleted. */
    public int depth(String queue) {
        return Optional.ofNullable(queues.get(queue))
                .map(found -> found.messages.size())
                .orElse(0);
    }

    /** Someone tags the queue, by other means than this API. */
    public void tagFromOutside(String queue, Map<String, String> tags) {
        Optional.ofNullable(queues.get(queue)).ifPresent(found -> found.tags.putAll(tags));
    }

    /** From now on, whether every call is refused. */
    public void denyAccess(boolean all) {
        denied = all;
    }

    public CallLog log() {
        return log;
    }

    @Override
    public void handle(HttpCall call) {
        String action = "-";
        try {
            action = action(call);
            if (denied) {
                throw SqsFailure.denied();
            }
            ObjectNode answer = answer(action, body(call));
            log.add(new CallLog.Call(loop.now(), action, "ok"));
            respond(call, 200, Optional.empty(), answer);
        } catch (SqsFailure failure) {
            log.add(new CallLog.Call(loop.now(), action, failure.type()));
            respond(call, failure.status(), Optional.of(failure.query()), error(failure));
        } catch (RuntimeException bug) {
            LOG.error("The simulated SQS failed at {}", action, bug);
            SqsFailure failure = SqsFailure.internal("A defect of this server: " + bug);
            respond(call, failure.status(), Optional.of(failure.query()), error(failure));
        }
    }

    private static String action(HttpCall call) {
        List<String> target =
                Splitter.on('.').splitToList(call.header("x-amz-target").orElse(""));
        if (!call.method().equals("POST")
                || target.size() != 2
                || !target.get(0).equals(TARGET)) {
            throw SqsFailure.unknownOperation("only the JSON protocol is spoken here");
        }
        return target.get(1);
    }

    private static ObjectNode body(HttpCall call) {
        try {
            return JSON.readValue(call.body(), ObjectNode.class);
        } catch (JacksonException e) {
            throw SqsFailure.invalid("The request is no JSON object");
        }
    }

    private ObjectNode answer(String action, ObjectNode request) {
        Queue queue = queue(request);
        return switch (action) {
            case "ReceiveMessage" -> receive(queue, request);
            case "DeleteMessageBatch" -> delete(queue, request);
            case "SendMessage" -> send(queue, request);
            case "ListQueueTags" -> tags(queue);
            case "TagQueue" -> tag(queue, request);
            default -> throw SqsFailure.unknownOperation("this simulated SQS has no " + action);
        };
    }

    private Queue queue(ObjectNode request) {
        String url = request.path("QueueUrl").asString("");
        return Optional.ofNullable(queues.get(url.substring(url.lastIndexOf('/') + 1)))
                .orElseThrow(SqsFailure::noSuchQueue);
    }

    private ObjectNode receive(Queue queue, ObjectNode request) {
        int most = request.path("MaxNumberOfMessages").asInt(1);
        int wait = request.path("WaitTimeSeconds").asInt(0);
        if (most < 1 || most > MOST_MESSAGES) {
            throw SqsFailure.invalid("Value " + most + " for parameter MaxNumberOfMessages is invalid. Reason: Must be"
                    + " between 1 and 10, if provided.");
        }
        if (wait < 0 || wait > 20) {
            throw SqsFailure.invalid("Value " + wait + " for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0"
                    + " and <= 20, if provided.");
        }
        Duration hidden = Duration.ofSeconds(request.path("VisibilityTimeout").asInt(30));
        ObjectNode answer = JSON.createObjectNode();
        long now = loop.nanos();
        List<Stored> taken = new ArrayList<>();
        for (Stored message : queue.messages.values()) {
            if (taken.size() < most && message.visibleFrom - now <= 0) {
                taken.add(message);
            }
        }
        if (taken.isEmpty()) {
            return answer;
        }
        ArrayNode messages = answer.putArray("Messages");
        for (Stored message : taken) {
            message.visibleFrom = now + hidden.toNanos();
            message.receptions++;
            messages.addObject()
                    .put("MessageId", message.id)
                    .put("ReceiptHandle", message.id + "#" + message.receptions)
                    .put("MD5OfBody", md5(message.body))
                    .put("Body", message.body);
        }
        return answer;
    }

    /** Also by the handle of an earlier reception, as SQS mostly allows. */
    private static ObjectNode delete(Queue queue, ObjectNode request) {
        ImmutableList<JsonNode> entries = ImmutableList.copyOf(request.path("Entries"));
        if (entries.isEmpty() || entries.size() > MOST_MESSAGES) {
            throw SqsFailure.invalid("A batch has 1 to 10 entries, not " + entries.size());
        }
        ObjectNode answer = JSON.createObjectNode();
        ArrayNode successful = answer.putArray("Successful");
        answer.putArray("Failed");
        for (JsonNode entry : entries) {
            String handle = entry.path("ReceiptHandle").asString("");
            queue.messages.remove(handle.substring(0, Math.max(0, handle.indexOf('#'))));
            successful.addObject().put("Id", entry.path("Id").asString(""));
        }
        return answer;
    }

    private ObjectNode send(Queue queue, ObjectNode request) {
        String id = ids.request();
        String body = request.path("MessageBody").asString("");
        queue.messages.put(id, new Stored(id, body, loop.nanos()));
        return JSON.createObjectNode().put("MessageId", id).put("MD5OfMessageBody", md5(body));
    }

    private static ObjectNode tags(Queue queue) {
        ObjectNode answer = JSON.createObjectNode();
        ObjectNode tags = answer.putObject("Tags");
        queue.tags.forEach(tags::put);
        return answer;
    }

    private static ObjectNode tag(Queue queue, ObjectNode request) {
        for (Map.Entry<String, JsonNode> tag : request.path("Tags").properties()) {
            queue.tags.put(tag.getKey(), tag.getValue().asString(""));
        }
        return JSON.createObjectNode();
    }

    private static String md5(String text) {
        try {
            byte[] sum = MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8));
            return BaseEncoding.base16().lowerCase().encode(sum);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
    }

    private static ObjectNode error(SqsFailure failure) {
        return JSON.createObjectNode()
                .put("__type", failure.type())
                .put("message", String.valueOf(failure.getMessage()));
    }

    private void respond(HttpCall call, int status, Optional<String> queryError, ObjectNode answer) {
        ImmutableMap.Builder<String, String> headers = ImmutableMap.<String, String>builder()
                .put("Date", HttpDate.of(loop.now()))
                .put("Content-Type", "application/x-amz-json-1.0")
                .put("x-amzn-RequestId", ids.request());
        queryError.ifPresent(code -> headers.put("x-amzn-query-error", code));
        call.respond(status, headers.buildOrThrow(), JSON.writeValueAsBytes(answer));
    }
}
