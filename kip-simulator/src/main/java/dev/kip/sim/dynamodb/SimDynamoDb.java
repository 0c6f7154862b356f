package dev.kip.sim.dynamodb;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.hash.Hashing;
import dev.kip.entropy.Entropy;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import dev.kip.sim.aws.CallLog;
import dev.kip.sim.aws.HttpDate;
import dev.kip.sim.aws.Ids;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * DynamoDB of one account in one region, with tables whose only key is the text attribute {@code key}: GetItem, PutItem,
 * DeleteItem and Scan, with the expressions of {@link Expression}. It does what DynamoDB documents for consistent reads:
 * they see the last write, and a condition is judged as one with what it guards. Whatever else is asked for is refused.
 * Every call is answered before {@link #handle} returns. All of it on the loop.
 *
 * @see <a href="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.html">Expressions</a>
 */
public final class SimDynamoDb implements HttpService {

    private static final Logger LOG = LoggerFactory.getLogger(SimDynamoDb.class);
    private static final String TARGET = "DynamoDB_20120810";
    private static final String KEY = "key";
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int MOST_ITEM_BYTES = 400 * 1024;
    private static final int MOST_PAGE_BYTES = 1024 * 1024;
    private static final int MOST_KEY_BYTES = 2048;

    private static final ImmutableMap<String, ImmutableSet<String>> MEMBERS = ImmutableMap.of(
            "GetItem",
            ImmutableSet.of("TableName", "Key", "ConsistentRead"),
            "PutItem",
            ImmutableSet.of(
                    "TableName",
                    "Item",
                    "ConditionExpression",
                    "ExpressionAttributeNames",
                    "ExpressionAttributeValues",
                    "ReturnValuesOnConditionCheckFailure"),
            "DeleteItem",
            ImmutableSet.of(
                    "TableName",
                    "Key",
                    "ConditionExpression",
                    "ExpressionAttributeNames",
                    "ExpressionAttributeValues",
                    "ReturnValuesOnConditionCheckFailure"),
            "Scan",
            ImmutableSet.of(
                    "TableName",
                    "ConsistentRead",
                    "FilterExpression",
                    "ProjectionExpression",
                    "ExpressionAttributeNames",
                    "ExpressionAttributeValues",
                    "ExclusiveStartKey",
                    "Limit"));

    private final Loop loop;
    private final Ids requestIds;

    /** By name; the items by a digest of their key, since a scan sees them in no order that means anything. */
    private final TreeMap<String, TreeMap<String, ObjectNode>> tables = new TreeMap<>();

    private final CallLog log = new CallLog();
    private Interceptor interceptor = (action, table) -> Optional.empty();
    private boolean denied;

    public SimDynamoDb(Loop loop, Entropy entropy) {
        this.loop = loop;
        this.requestIds = new Ids(entropy.fork("dynamodb-requests"));
    }

    /** Decides before a call whether it fails, and how; for the failures that a scenario asks for. */
    public interface Interceptor {
        Optional<DynamoDbFailure> before(String action, String table);
    }

    /** All that outlives a restart: items by table, then digest of the key. */
    record Snapshot(Map<String, TreeMap<String, ObjectNode>> tables) {}

    /** No effect if it is there. */
    public void createTable(String name) {
        tables.computeIfAbsent(name, any -> new TreeMap<>());
    }

    public CallLog log() {
        return log;
    }

    public void intercept(Interceptor next) {
        interceptor = next;
    }

    /** From now on, whether every call is refused with AccessDeniedException. */
    public void denyAccess(boolean all) {
        denied = all;
    }

    /** The attribute {@code content} of a table's items by key, as someone sees them who sees everything. */
    public ImmutableSortedMap<String, String> contents(String table) {
        ImmutableSortedMap.Builder<String, String> contents = ImmutableSortedMap.naturalOrder();
        items(table)
                .values()
                .forEach(item -> contents.put(keyOf(item), item.at("/content/S").asString("")));
        return contents.buildOrThrow();
    }

    /** Someone deletes, by other means than this API, every item whose key begins so. */
    public void removeFromOutside(String table, String prefix) {
        items(table).values().removeIf(item -> keyOf(item).startsWith(prefix));
    }

    @Override
    public void handle(HttpCall call) {
        String action = "-";
        String requestId = requestIds.request();
        try {
            action = action(call);
            ObjectNode request = body(call);
            if (denied) {
                throw DynamoDbFailure.accessDenied();
            }
            interceptor.before(action, request.path("TableName").asString("")).ifPresent(failure -> {
                throw failure;
            });
            ObjectNode answer = answer(action, request);
            log.add(new CallLog.Call(loop.now(), action, "ok"));
            respond(call, 200, answer, requestId);
        } catch (DynamoDbFailure failure) {
            log.add(new CallLog.Call(loop.now(), action, failure.code()));
            respond(call, failure.status(), error(failure), requestId);
        } catch (RuntimeException bug) {
            LOG.error("The simulated DynamoDB failed at {}", action, bug);
            log.add(new CallLog.Call(loop.now(), action, "InternalServerError"));
            respond(call, 500, error(DynamoDbFailure.internal("A defect of this server: " + bug)), requestId);
        }
    }

    private static String action(HttpCall call) {
        var target = Splitter.on('.').splitToList(call.header("x-amz-target").orElse(""));
        if (!call.method().equals("POST")
                || target.size() != 2
                || !target.get(0).equals(TARGET)
                || !MEMBERS.containsKey(target.get(1))) {
            throw DynamoDbFailure.unknownOperation();
        }
        return target.get(1);
    }

    private static ObjectNode body(HttpCall call) {
        try {
            return JSON.readValue(call.body(), ObjectNode.class);
        } catch (JacksonException e) {
            throw DynamoDbFailure.serialization();
        }
    }

    private ObjectNode answer(String action, ObjectNode request) {
        ImmutableSet<String> known = MEMBERS.getOrDefault(action, ImmutableSet.of());
        request.propertyNames().stream()
                .filter(member -> !known.contains(member))
                .findFirst()
                .ifPresent(member -> {
                    throw DynamoDbFailure.validation("this simulated DynamoDB has no " + member + " of " + action);
                });
        NavigableMap<String, ObjectNode> items = items(request.path("TableName").asString(""));
        return switch (action) {
            case "GetItem" -> get(items, request);
            case "PutItem" -> put(items, request);
            case "DeleteItem" -> delete(items, request);
            default -> scan(items, request);
        };
    }

    private static ObjectNode get(NavigableMap<String, ObjectNode> items, ObjectNode request) {
        ObjectNode answer = JSON.createObjectNode();
        Optional.ofNullable(items.get(place(request, "Key"))).ifPresent(item -> answer.set("Item", item));
        return answer;
    }

    private static ObjectNode put(NavigableMap<String, ObjectNode> items, ObjectNode request) {
        String place = place(request, "Item");
        judge(items, place, request);
        ObjectNode item = (ObjectNode) request.path("Item");
        if (JSON.writeValueAsBytes(item).length > MOST_ITEM_BYTES) {
            throw DynamoDbFailure.validation("Item size has exceeded the maximum allowed size");
        }
        items.put(place, item);
        return JSON.createObjectNode();
    }

    private static ObjectNode delete(NavigableMap<String, ObjectNode> items, ObjectNode request) {
        String place = place(request, "Key");
        judge(items, place, request);
        items.remove(place);
        return JSON.createObjectNode();
    }

    private static void judge(NavigableMap<String, ObjectNode> items, String place, ObjectNode request) {
        Expression expression = new Expression(request);
        Predicate<ObjectNode> condition = expression.condition("ConditionExpression");
        expression.refuseUnused();
        Optional<ObjectNode> found = Optional.ofNullable(items.get(place));
        if (!condition.test(found.orElseGet(JSON::createObjectNode))) {
            boolean shown = request.path("ReturnValuesOnConditionCheckFailure")
                    .asString("NONE")
                    .equals("ALL_OLD");
            throw DynamoDbFailure.conditionFailed(shown ? found : Optional.empty());
        }
    }

    /** Looks at items until it has seen {@code Limit} or a megabyte, whether they match or not. */
    private static ObjectNode scan(NavigableMap<String, ObjectNode> items, ObjectNode request) {
        Expression expression = new Expression(request);
        Predicate<ObjectNode> filter = expression.condition("FilterExpression");
        var projection = expression.projection();
        expression.refuseUnused();
        int limit = request.path("Limit").asInt(Integer.MAX_VALUE);
        if (limit < 1) {
            throw DynamoDbFailure.validation("Limit must be greater than or equal to 1");
        }
        ObjectNode answer = JSON.createObjectNode();
        ArrayNode shown = answer.putArray("Items");
        var rest = request.has("ExclusiveStartKey") ? items.tailMap(place(request, "ExclusiveStartKey"), false) : items;
        int seen = 0;
        long bytes = 0;
        String last = "";
        for (ObjectNode item : rest.values()) {
            if (seen == limit || bytes >= MOST_PAGE_BYTES) {
                answer.putObject("LastEvaluatedKey").putObject(KEY).put("S", last);
                break;
            }
            seen++;
            bytes += JSON.writeValueAsBytes(item).length;
            last = keyOf(item);
            if (filter.test(item)) {
                shown.add(projection.isEmpty() ? item : item.deepCopy().retain(projection));
            }
        }
        return answer.put("Count", shown.size()).put("ScannedCount", seen);
    }

    private static String place(ObjectNode request, String member) {
        JsonNode given = request.path(member);
        JsonNode key = given.path(KEY);
        if (!given.isObject() || key.isMissingNode() || (!member.equals("Item") && given.size() != 1)) {
            throw DynamoDbFailure.validation("The provided key element does not match the schema");
        }
        if (!key.path("S").isString()) {
            throw DynamoDbFailure.validation(
                    "One or more parameter values were invalid: Type mismatch for key " + KEY + " expected: S");
        }
        String text = key.path("S").stringValue();
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > MOST_KEY_BYTES) {
            throw DynamoDbFailure.validation("One or more parameter values were invalid: the key " + KEY + " has 1 to "
                    + MOST_KEY_BYTES + " bytes, not " + bytes);
        }
        return digest(text);
    }

    private static String digest(String key) {
        return Hashing.sha256().hashString(key, StandardCharsets.UTF_8).toString();
    }

    private static String keyOf(ObjectNode item) {
        return item.path(KEY).path("S").stringValue();
    }

    private NavigableMap<String, ObjectNode> items(String table) {
        return Optional.ofNullable(tables.get(table)).orElseThrow(DynamoDbFailure::noSuchTable);
    }

    private static ObjectNode error(DynamoDbFailure failure) {
        ObjectNode answer = JSON.createObjectNode()
                .put("__type", failure.type())
                .put("message", String.valueOf(failure.getMessage()));
        failure.item().ifPresent(item -> answer.set("Item", item));
        return answer;
    }

    private void respond(HttpCall call, int status, ObjectNode answer, String requestId) {
        byte[] body = JSON.writeValueAsBytes(answer);
        CRC32 sum = new CRC32();
        sum.update(body);
        call.respond(
                status,
                ImmutableMap.of(
                        "Date",
                        HttpDate.of(loop.now()),
                        "Server",
                        "Server",
                        "Content-Type",
                        "application/x-amz-json-1.0",
                        "x-amzn-RequestId",
                        requestId,
                        "x-amz-crc32",
                        String.valueOf(sum.getValue())),
                body);
    }

    public ObjectNode snapshot() {
        return JSON.valueToTree(new Snapshot(tables));
    }

    /** Takes up a snapshot in place of all there is. */
    public void restore(ObjectNode saved) {
        tables.clear();
        tables.putAll(JSON.treeToValue(saved, Snapshot.class).tables());
    }
}
