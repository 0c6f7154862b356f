package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.http.HttpCall;
import dev.kip.sim.apiserver.WriteContext.FieldValidation;
import dev.kip.sim.apiserver.schema.FieldErrors;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.StringNode;

/**
 * A request to a resource, taken apart.
 *
 * @param namespace empty for cluster-scoped resources and for all namespaces
 * @param name empty for the collection
 * @param subresource empty for the object itself
 */
record Request(HttpCall call, Resource resource, String namespace, String name, String subresource, User user) {

    private static final int LONGEST_MANAGER = 128;

    /** Who asks. */
    record User(String name, ImmutableList<String> groups) {}

    static ImmutableList<String> segments(String rawPath) {
        ImmutableList.Builder<String> segments = ImmutableList.builder();
        for (String segment : rawPath.split("/", -1)) {
            if (!segment.isEmpty()) {
                // A plus sign in a path is a plus sign.
                segments.add(URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8));
            }
        }
        return segments.build();
    }

    /**
     * Reads {@code /api/v1/...} and {@code /apis/G/V/...}; empty if the path names no resource that is served.
     */
    static Optional<Request> parse(HttpCall call, ImmutableList<String> segments, Registry registry, User user) {
        boolean core = segments.get(0).equals("api");
        int start = core ? 2 : 3;
        if (segments.size() <= start) {
            return Optional.empty();
        }
        String group = core ? "" : segments.get(1);
        String version = segments.get(start - 1);
        ImmutableList<String> rest = segments.subList(start, segments.size());
        String namespace = "";
        // namespaces/NAME/status and namespaces/NAME/finalize are of the namespace itself.
        boolean scoped = rest.get(0).equals("namespaces")
                && rest.size() > 2
                && !(core
                        && rest.size() == 3
                        && (rest.get(2).equals("status") || rest.get(2).equals("finalize")));
        if (scoped) {
            namespace = rest.get(1);
            rest = rest.subList(2, rest.size());
        }
        Optional<Resource> resource = registry.find(group, version, rest.get(0));
        String name = rest.size() > 1 ? rest.get(1) : "";
        String subresource = rest.size() > 2 ? rest.get(2) : "";
        String inNamespace = namespace;
        return resource
                // A namespaced object is only reached through its namespace, a cluster-scoped one never is.
                .filter(found ->
                        found.type().namespaced() ? !inNamespace.isEmpty() || name.isEmpty() : inNamespace.isEmpty())
                .map(found -> new Request(call, found, inNamespace, name, subresource, user));
    }

    String parameter(String name) {
        return call.parameter(name).orElse("");
    }

    boolean isWatch() {
        String watch = parameter("watch");
        return call.query().containsKey("watch") && !watch.equals("false") && !watch.equals("0");
    }

    boolean dryRun() {
        ImmutableList<String> values = call.query().get("dryRun");
        if (values.stream().anyMatch(value -> !value.equals("All"))) {
            FieldErrors errors = new FieldErrors();
            errors.notSupportedValue(
                    "dryRun",
                    JsonNodeFactory.instance.arrayNode().addAll(nodes(values)).toString(),
                    ImmutableList.of("All"));
            throw badOptions(errors);
        }
        return !values.isEmpty();
    }

    private static ImmutableList<JsonNode> nodes(ImmutableList<String> values) {
        return values.stream().map(StringNode::valueOf).collect(ImmutableList.toImmutableList());
    }

    WriteContext writeContext() {
        String asked = parameter("fieldValidation");
        FieldValidation validation = switch (asked) {
            case "Strict" -> FieldValidation.STRICT;
            case "Ignore" -> FieldValidation.IGNORE;
            case "", "Warn" -> FieldValidation.WARN;
            default -> {
                FieldErrors errors = new FieldErrors();
                errors.notSupported("fieldValidation", asked, ImmutableList.of("", "Ignore", "Strict", "Warn"));
                throw badOptions(errors);
            }
        };
        boolean applies = Patches.isApply(this);
        return new WriteContext(dryRun(), validation, new ArrayList<>(), manager(applies), subresource, applies);
    }

    /** Who writes: as the client calls itself, or its program. */
    private String manager(boolean applies) {
        String named = parameter("fieldManager");
        String force = parameter("force");
        FieldErrors errors = new FieldErrors();
        if (applies && named.isEmpty()) {
            errors.required("fieldManager", "is required for apply patch");
        } else if (!applies && call.method().equals("PATCH") && !force.isEmpty()) {
            errors.forbidden("force", "may not be specified for non-apply patch");
        }
        if (named.length() > LONGEST_MANAGER) {
            errors.tooLong("fieldManager", LONGEST_MANAGER);
        }
        if (!errors.isEmpty()) {
            throw badOptions(errors);
        }
        if (!named.isEmpty()) {
            return named;
        }
        String agent = call.header("user-agent").orElse("");
        int slash = agent.indexOf('/');
        int length = Math.min(slash < 0 ? agent.length() : slash, LONGEST_MANAGER);
        return length == 0 ? "unknown" : agent.substring(0, length);
    }

    boolean force() {
        String force = parameter("force");
        return force.equals("true") || force.equals("1");
    }

    private ApiFailure badOptions(FieldErrors errors) {
        String kind = switch (call.method()) {
            case "POST" -> "CreateOptions";
            case "PUT" -> "UpdateOptions";
            case "PATCH" -> "PatchOptions";
            default -> "DeleteOptions";
        };
        return Failures.invalid("meta.k8s.io", kind, "", errors.causes());
    }

    String contentType() {
        return call.header("content-type").orElse("");
    }
}
