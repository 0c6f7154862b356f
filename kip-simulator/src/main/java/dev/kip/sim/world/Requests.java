package dev.kip.sim.world;

import com.google.common.base.Splitter;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.SimNetwork.Request;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads what a request on the simulated network asks for. */
final class Requests {

    private Requests() {}

    static Call describe(String from, String to, Request request) {
        if (to.endsWith(SimCluster.SERVICE)) {
            return kubernetes(from, to, request);
        }
        return to.equals("ec2")
                ? ec2(from, to, request)
                : new Call(
                        from,
                        to,
                        request.method() + " " + request.rawPath(),
                        "",
                        !request.method().equals("GET"));
    }

    /** {@code POST cells}, {@code PATCH pods/status default/nginx-1}. */
    private static Call kubernetes(String from, String to, Request request) {
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
        return new Call(
                from, to, action, target, !action.startsWith("Describe") && !action.equals("GetCallerIdentity"));
    }
}
