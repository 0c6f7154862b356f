package dev.kip.sim.s3;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.hash.Hashing;
import dev.kip.entropy.Entropy;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import dev.kip.sim.aws.CallLog;
import dev.kip.sim.aws.HttpDate;
import dev.kip.sim.aws.Ids;
import dev.kip.sim.aws.Xml;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * S3 of one account in one region, buckets named in the path: GetObject, PutObject and DeleteObject with their
 * conditions, ListObjectsV2. It does what S3 documents: reads and lists see the last write, conditions are judged as one
 * with what they guard. Whatever else is asked for is refused with NotImplemented. Every call is answered before
 * {@link #handle} returns. All of it on the loop.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-requests.html">Conditional requests</a>
 */
public final class SimS3 implements HttpService {

    private static final Logger LOG = LoggerFactory.getLogger(SimS3.class);
    private static final String NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int MOST_KEYS = 1000;
    private static final int LONGEST_KEY = 1024;

    private final Loop loop;
    private final Ids requestIds;
    private final TreeMap<String, TreeMap<String, StoredObject>> buckets = new TreeMap<>();
    private final CallLog log = new CallLog();
    private Interceptor interceptor = (action, key) -> Optional.empty();
    private boolean denied;

    public SimS3(Loop loop, Entropy entropy) {
        this.loop = loop;
        this.requestIds = new Ids(entropy.fork("s3-requests"));
    }

    /** Decides before a call whether it fails, and how; for the failures that a scenario asks for. */
    public interface Interceptor {

        /** @param key of the object, empty for a list */
        Optional<S3Failure> before(String action, String key);
    }

    /** All that outlives a restart: objects by bucket, then key. */
    record Snapshot(Map<String, TreeMap<String, StoredObject>> buckets) {}

    /** No effect if it is there. */
    public void createBucket(String name) {
        buckets.computeIfAbsent(name, any -> new TreeMap<>());
    }

    public CallLog log() {
        return log;
    }

    public void intercept(Interceptor next) {
        interceptor = next;
    }

    /** From now on, whether every call is refused with AccessDenied. */
    public void denyAccess(boolean all) {
        denied = all;
    }

    /** The texts of a bucket by key, as someone sees them who sees everything. */
    public ImmutableSortedMap<String, String> contents(String bucket) {
        ImmutableSortedMap.Builder<String, String> contents = ImmutableSortedMap.naturalOrder();
        objects(bucket).forEach((key, object) -> contents.put(key, text(object)));
        return contents.buildOrThrow();
    }

    /** Someone deletes, by other means than this API, every object whose key begins so. */
    public void removeFromOutside(String bucket, String prefix) {
        objects(bucket).keySet().removeIf(key -> key.startsWith(prefix));
    }

    private static String text(StoredObject object) {
        return new String(Base64.getDecoder().decode(object.content()), StandardCharsets.UTF_8);
    }

    @Override
    public void handle(HttpCall call) {
        String action = call.method();
        String requestId = requestIds.request();
        try {
            S3Request request = S3Request.of(call);
            action = request.action();
            if (denied) {
                throw S3Failure.accessDenied();
            }
            interceptor.before(action, request.key()).ifPresent(failure -> {
                throw failure;
            });
            Answer answer = answer(request);
            log.add(new CallLog.Call(loop.now(), action, "ok"));
            respond(call, answer, requestId);
        } catch (S3Failure failure) {
            log.add(new CallLog.Call(loop.now(), action, failure.code()));
            respond(call, error(failure, requestId), requestId);
        } catch (RuntimeException bug) {
            LOG.error("The simulated S3 failed at {}", action, bug);
            log.add(new CallLog.Call(loop.now(), action, "InternalError"));
            respond(
                    call,
                    error(new S3Failure(500, "InternalError", "A defect of this server: " + bug), requestId),
                    requestId);
        }
    }

    private record Answer(int status, ImmutableMap<String, String> headers, byte[] body) {}

    private Answer answer(S3Request request) {
        return switch (request.action()) {
            case "GetObject" -> get(request);
            case "PutObject" -> put(request);
            case "DeleteObject" -> delete(request);
            default -> list(request);
        };
    }

    private Answer get(S3Request request) {
        StoredObject object = require(request);
        ImmutableMap.Builder<String, String> headers = ImmutableMap.<String, String>builder()
                .put("ETag", object.etag())
                .put("Content-Type", object.contentType())
                .put("Last-Modified", HttpDate.of(object.modified()))
                .put("Accept-Ranges", "bytes");
        encryption(headers, object);
        return new Answer(200, headers.buildOrThrow(), Base64.getDecoder().decode(object.content()));
    }

    private Answer put(S3Request request) {
        HttpCall call = request.call();
        NavigableMap<String, StoredObject> objects = objects(request.bucket());
        if (request.key().getBytes(StandardCharsets.UTF_8).length > LONGEST_KEY) {
            throw new S3Failure(400, "KeyTooLongError", "Your key is too long");
        }
        call.header("if-none-match").ifPresent(value -> {
            if (!value.equals("*")) {
                throw S3Failure.notImplemented("The header If-None-Match with a value other than *");
            }
            if (objects.containsKey(request.key())) {
                throw S3Failure.precondition("If-None-Match");
            }
        });
        checkMatch(request);
        String encryption = call.header("x-amz-server-side-encryption").orElse("AES256");
        Optional<String> kmsKey = call.header("x-amz-server-side-encryption-aws-kms-key-id");
        if (!encryption.equals("AES256") && !encryption.equals("aws:kms")) {
            throw S3Failure.invalid("x-amz-server-side-encryption", encryption);
        }
        if (kmsKey.isPresent() && encryption.equals("AES256")) {
            throw S3Failure.invalid("x-amz-server-side-encryption-aws-kms-key-id", kmsKey.get());
        }
        StoredObject object = new StoredObject(
                Base64.getEncoder().encodeToString(call.body()),
                "\"" + etag(call.body()) + "\"",
                call.header("content-type").orElse("binary/octet-stream"),
                encryption,
                kmsKey,
                loop.now());
        objects.put(request.key(), object);
        ImmutableMap.Builder<String, String> headers =
                ImmutableMap.<String, String>builder().put("ETag", object.etag());
        encryption(headers, object);
        return new Answer(200, headers.buildOrThrow(), new byte[0]);
    }

    /** Clients may only compare it; S3's is an MD5 of the content or something else, this is something else. */
    private static String etag(byte[] content) {
        return Hashing.murmur3_128().hashBytes(content).toString();
    }

    private static void encryption(ImmutableMap.Builder<String, String> headers, StoredObject object) {
        headers.put("x-amz-server-side-encryption", object.encryption());
        object.kmsKey().ifPresent(key -> headers.put("x-amz-server-side-encryption-aws-kms-key-id", key));
    }

    private Answer delete(S3Request request) {
        checkMatch(request);
        objects(request.bucket()).remove(request.key());
        return new Answer(204, ImmutableMap.of(), new byte[0]);
    }

    private void checkMatch(S3Request request) {
        request.call().header("if-match").ifPresent(wanted -> {
            String found = require(request).etag();
            if (!wanted.equals("*") && !unquoted(wanted).equals(unquoted(found))) {
                throw S3Failure.precondition("If-Match");
            }
        });
    }

    private static String unquoted(String etag) {
        return etag.replace("\"", "");
    }

    private Answer list(S3Request request) {
        HttpCall call = request.call();
        if (!call.parameter("delimiter").orElse("").isEmpty()) {
            throw S3Failure.notImplemented("The parameter delimiter of a ListObjectsV2");
        }
        String prefix = call.parameter("prefix").orElse("");
        int most = Math.min(MOST_KEYS, maxKeys(call.parameter("max-keys").orElse(String.valueOf(MOST_KEYS))));
        String after = call.parameter("continuation-token")
                .map(SimS3::untoken)
                .or(() -> call.parameter("start-after"))
                .orElse("");
        boolean urlEncoded = call.parameter("encoding-type").equals(Optional.of("url"));
        TreeMap<String, StoredObject> page = new TreeMap<>();
        boolean more = false;
        for (var entry :
                objects(request.bucket()).tailMap(after, after.isEmpty()).entrySet()) {
            if (entry.getKey().startsWith(prefix)) {
                if (page.size() == most) {
                    more = true;
                    break;
                }
                page.put(entry.getKey(), entry.getValue());
            }
        }
        Xml xml = new Xml()
                .put("Name", request.bucket())
                .put("Prefix", shown(prefix, urlEncoded))
                .put("KeyCount", page.size())
                .put("MaxKeys", most)
                .put("IsTruncated", more)
                .put("EncodingType", urlEncoded ? Optional.of("url") : Optional.empty())
                .put("ContinuationToken", call.parameter("continuation-token"));
        if (more && !page.isEmpty()) {
            xml.put("NextContinuationToken", token(page.lastKey()));
        }
        page.forEach((key, object) -> xml.in(
                "Contents",
                item -> item.put("Key", shown(key, urlEncoded))
                        .put("LastModified", object.modified().toString())
                        .put("ETag", object.etag())
                        .put("Size", Base64.getDecoder().decode(object.content()).length)
                        .put("StorageClass", "STANDARD")));
        return xml(200, "<ListBucketResult xmlns=\"" + NAMESPACE + "\">" + xml + "</ListBucketResult>");
    }

    private static int maxKeys(String text) {
        if (!text.matches("[0-9]{1,9}")) {
            throw S3Failure.invalid("max-keys", text);
        }
        return Integer.parseInt(text);
    }

    private static String shown(String key, boolean urlEncoded) {
        return urlEncoded ? URLEncoder.encode(key, StandardCharsets.UTF_8) : key;
    }

    private static String token(String lastKey) {
        return Base64.getEncoder().encodeToString(lastKey.getBytes(StandardCharsets.UTF_8));
    }

    private static String untoken(String token) {
        try {
            return new String(Base64.getDecoder().decode(token), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw S3Failure.invalid("continuation-token", token);
        }
    }

    private NavigableMap<String, StoredObject> objects(String bucket) {
        return Optional.ofNullable(buckets.get(bucket)).orElseThrow(() -> S3Failure.noSuchBucket(bucket));
    }

    private StoredObject require(S3Request request) {
        return Optional.ofNullable(objects(request.bucket()).get(request.key()))
                .orElseThrow(() -> S3Failure.noSuchKey(request.key()));
    }

    private static Answer error(S3Failure failure, String requestId) {
        Xml xml = new Xml().put("Code", failure.code()).put("Message", String.valueOf(failure.getMessage()));
        failure.details().forEach(xml::put);
        return xml(
                failure.status(), "<Error>" + xml.put("RequestId", requestId).put("HostId", "simulated") + "</Error>");
    }

    private static Answer xml(int status, String body) {
        return new Answer(
                status,
                ImmutableMap.of("Content-Type", "application/xml"),
                ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + body).getBytes(StandardCharsets.UTF_8));
    }

    private void respond(HttpCall call, Answer answer, String requestId) {
        call.respond(
                answer.status,
                ImmutableMap.<String, String>builder()
                        .put("Date", HttpDate.of(loop.now()))
                        .put("Server", "AmazonS3")
                        .put("x-amz-request-id", requestId)
                        .putAll(answer.headers)
                        .buildOrThrow(),
                answer.body);
    }

    public ObjectNode snapshot() {
        return JSON.valueToTree(new Snapshot(buckets));
    }

    /** Takes up a snapshot in place of all there is. */
    public void restore(ObjectNode saved) {
        buckets.clear();
        buckets.putAll(JSON.treeToValue(saved, Snapshot.class).buckets());
    }
}
