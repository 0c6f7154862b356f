package dev.kip.sim.world;

import com.google.common.base.Splitter;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.SimNetwork.Request;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads what a request on the simulated network asks for. */
public final class Requests {

    private Requests() {}

    public static Call describe(String from, String to, Request request) {
        if (to.endsWith(SimCluster.SERVICE)) {
            return kubernetes(from, to, request);
        }
        return switch (to) {
            case "ec2" -> ec2(from, to, request);
            case "s3" -> s3(from, to, request);
            case "dynamodb" -> dynamoDb(from, to, request);
            case "queue" -> sqs(from, to, request);
            default ->
                new Call(
                        from,
                        to,
                        request.method() + " " + request.rawPath(),
                        "",
                        !request.method().equals("GET"));
        };
    }

    /** {@code POST cells}, {@code PATCH pods/status default/nginx-1}. */
    public static Call kubernetes(String from, String to, Request request) {
        List<String> path = Splitter.on('/').omitEmptyStrings().splitToList(request.rawPath());
        int at = !path.isEmpty() && path.get(0).equals("api") ? 2 : 3;
        String namespace = "";
        if (path.size() > at + 2 && path.get(at).equals("namespaces")) {
            namespace = path.get(at + 1) + "/";
            at += 2;
        }
        String plural = at < path.size() ? path.get(at) : request.rawPath();
        String name = at + 1 < path.size() ? path.get(at + 1) : "";
        String subresource = at + 2 < path.size() ? "/" + path.get(at + 2) : "";
        boolean changes = !request.method().equals("GET")
                && !plural.equals("leases")
                && !plural.equals("events")
                && !subresource.equals("/token");
        return new Call(from, to, request.method() + " " + plural + subresource, namespace + name, changes);
    }

    private static Call ec2(String from, String to, Request request) {
        String action = "";
        String target = "";
        for (String pair : Splitter.on('&').split(new String(request.body(), StandardCharsets.UTF_8))) {
            if (pair.startsWith("Action=")) {
                action = pair.substring("Action=".length());
            } else if (pair.startsWith("InstanceId.")
                    || pair.startsWith("MaxCount=")
                    || pair.startsWith("LaunchTemplateName=")) {
                target += (target.isEmpty() ? "" : " ") + URLDecoder.decode(pair, StandardCharsets.UTF_8);
            }
        }
        return new Call(from, to, action, target, !action.startsWith("Describe") && !action.startsWith("Get"));
    }

    /** {@code PutObject installations/…}; the target is what follows the bucket. */
    private static Call s3(String from, String to, Request request) {
        List<String> path = Splitter.on('/').limit(3).splitToList(request.rawPath());
        String key = path.size() > 2 ? path.get(2) : "";
        String action = switch (request.method()) {
            case "PUT" -> "PutObject";
            case "DELETE" -> "DeleteObject";
            default -> key.isEmpty() ? "ListObjectsV2" : "GetObject";
        };
        return new Call(from, to, action, key, !request.method().equals("GET"));
    }

    private static Call sqs(String from, String to, Request request) {
        String operation =
                request.headers().get("x-amz-target").stream().findFirst().orElse("");
        String action = operation.substring(operation.indexOf('.') + 1);
        return new Call(from, to, action, "", action.equals("TagQueue"));
    }

    /** {@code PutItem installations/…}. */
    private static Call dynamoDb(String from, String to, Request request) {
        String operation =
                request.headers().get("x-amz-target").stream().findFirst().orElse("");
        String action = operation.substring(operation.indexOf('.') + 1);
        JsonNode body = JsonMapper.shared().readTree(request.body());
        JsonNode key = action.equals("PutItem") ? body.at("/Item/key/S") : body.at("/Key/key/S");
        return new Call(from, to, action, key.asString(""), action.equals("PutItem") || action.equals("DeleteItem"));
    }
}
