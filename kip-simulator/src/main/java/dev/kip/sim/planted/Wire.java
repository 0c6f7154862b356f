package dev.kip.sim.planted;

import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.sim.faults.Passing;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.SimNetwork;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/** A controller that writes something else than it should: what it sends is changed on its way. */
final class Wire {

    private Wire() {}

    /** Requests of controllers of this action have another body. */
    static SimNetwork.Filter body(String action, UnaryOperator<String> change) {
        return (call, http, service) -> {
            if (isOf(call, action)) {
                String body = change.apply(new String(http.body(), StandardCharsets.UTF_8));
                service.handle(with(http, http.method(), http.rawPath(), body));
            } else {
                service.handle(http);
            }
        };
    }

    /** Requests of this action are answered as if all were well, and nothing is done. */
    static SimNetwork.Filter pretended(String action, int status, UnaryOperator<String> answer) {
        return (call, http, service) -> {
            if (isOf(call, action)) {
                String body = answer.apply(new String(http.body(), StandardCharsets.UTF_8));
                http.respond(
                        status,
                        ImmutableMap.of("content-type", call.to().equals("ec2") ? "text/xml" : "application/json"),
                        body.getBytes(StandardCharsets.UTF_8));
            } else {
                service.handle(http);
            }
        };
    }

    /** After a request of this action something else is written too. */
    interface Afterthought {
        void write(HttpCall http, HttpService service);
    }

    static SimNetwork.Filter after(String action, Afterthought afterthought) {
        return (call, http, service) -> {
            service.handle(http);
            if (isOf(call, action)) {
                afterthought.write(http, service);
            }
        };
    }

    /** Patches an object whatever its version, and hears no answer. */
    static void patch(HttpCall like, HttpService service, String path, String body) {
        service.handle(Passing.intoTheVoid(with(like, "PATCH", path, body)));
    }

    private static boolean isOf(Call call, String action) {
        return call.from().contains("kip-") && call.action().equals(action);
    }

    private static HttpCall with(HttpCall http, String method, String path, String body) {
        return new Passing(http) {
            @Override
            public String method() {
                return method;
            }

            @Override
            public String rawPath() {
                return path;
            }

            @Override
            public byte[] body() {
                return body.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public com.google.common.collect.ImmutableListMultimap<String, String> headers() {
                return method.equals("PATCH") && !http.method().equals("PATCH")
                        ? com.google.common.collect.ImmutableListMultimap.of(
                                "content-type", "application/merge-patch+json")
                        : super.headers();
            }
        };
    }
}
