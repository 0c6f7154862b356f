package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.store.Shelf;
import dev.kip.sim.apiserver.store.Versioned;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads of many objects: at a revision, page by page. */
final class Lists {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final long ANY_REVISION = -1;

    private final Core core;

    Lists(Core core) {
        this.core = core;
    }

    /**
     * One page.
     *
     * @param items as stored
     * @param remaining how many follow, where that is known without looking at them
     */
    record Page(ImmutableList<Versioned> items, long revision, String continueToken, OptionalInt remaining) {}

    Page list(Resource resource, String namespace, ListRequest request) {
        if (!request.continueToken().isEmpty()) {
            return continued(resource, namespace, request);
        }
        long asked = request.resourceVersion().isEmpty() ? 0 : Long.parseLong(request.resourceVersion());
        long current = core.store().revision();
        if (asked > current) {
            throw Failures.tooLargeResourceVersion(asked, current);
        }
        boolean exact =
                request.match().equals("Exact") || (request.match().isEmpty() && asked > 0 && request.limit() > 0);
        long revision = exact ? asked : current;
        // A read "at any version" comes from the watch cache, which does not page.
        boolean unlimited = request.resourceVersion().equals("0");
        try {
            return page(resource, namespace, request, revision, "", unlimited ? 0 : request.limit());
        } catch (Shelf.Compacted compacted) {
            throw Failures.expired("The resourceVersion for the provided list is too old.");
        }
    }

    private Page continued(Resource resource, String namespace, ListRequest request) {
        Token token = Token.parse(request.continueToken());
        if (!request.resourceVersion().isEmpty()) {
            throw Failures.badRequest("specifying resource version is not allowed when using continue");
        }
        long revision = token.revision == ANY_REVISION ? core.store().revision() : token.revision;
        try {
            return page(resource, namespace, request, revision, token.after, request.limit());
        } catch (Shelf.Compacted compacted) {
            throw Failures.expiredPage(new Token(ANY_REVISION, token.after).text());
        }
    }

    private Page page(
            Resource resource, String namespace, ListRequest request, long revision, String after, int limit) {
        long current = core.store().revision();
        NavigableMap<String, Versioned> state =
                revision == current ? resource.shelf().now() : resource.shelf().at(revision);
        if (request.exactName().isPresent()
                && (!namespace.isEmpty() || !resource.type().namespaced())) {
            ImmutableList<Versioned> only = Optional.ofNullable(state.get(
                            resource.key(namespace, request.exactName().get())))
                    .filter(item -> matches(resource, request, item))
                    .map(ImmutableList::of)
                    .orElse(ImmutableList.of());
            return new Page(only, revision, "", OptionalInt.empty());
        }
        NavigableMap<String, Versioned> wanted =
                resource.type().namespaced() ? Shelf.inNamespace(state, namespace) : state;
        NavigableMap<String, Versioned> rest = after.isEmpty() ? wanted : wanted.tailMap(after, false);
        ImmutableList.Builder<Versioned> items = ImmutableList.builder();
        int count = 0;
        String last = "";
        for (Versioned item : rest.values()) {
            if (!matches(resource, request, item)) {
                continue;
            }
            if (limit > 0 && count == limit) {
                OptionalInt remaining = request.selects()
                        ? OptionalInt.empty()
                        : OptionalInt.of(rest.tailMap(last, false).size());
                return new Page(items.build(), revision, new Token(revision, last).text(), remaining);
            }
            items.add(item);
            count++;
            last = item.key();
        }
        return new Page(items.build(), revision, "", OptionalInt.empty());
    }

    static boolean matches(Resource resource, ListRequest request, Versioned item) {
        return request.labels().matches(item.object().path("metadata").path("labels"))
                && request.fields().matches(item.object());
    }

    /** Where the next page starts, and at which revision; opaque to clients. */
    private record Token(long revision, String after) {

        String text() {
            String json = JSON.createObjectNode()
                    .put("v", "meta.k8s.io/v1")
                    .put("rv", revision)
                    .put("start", after + "\u0000")
                    .toString();
            return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(StandardCharsets.UTF_8));
        }

        static Token parse(String text) {
            return decode(text)
                    .filter(json -> json.path("v").asString("").equals("meta.k8s.io/v1"))
                    .filter(json -> json.path("rv").isIntegralNumber())
                    .map(json -> new Token(
                            json.path("rv").longValue(),
                            json.path("start").asString("").replace("\u0000", "")))
                    .orElseThrow(
                            () -> Failures.badRequest("continue key is not valid: illegal base64 data or encoding"));
        }

        private static Optional<JsonNode> decode(String text) {
            try {
                return Optional.of(JSON.readTree(Base64.getUrlDecoder().decode(text)));
            } catch (IllegalArgumentException | JacksonException broken) {
                return Optional.empty();
            }
        }
    }
}
