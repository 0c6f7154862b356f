package dev.kip.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.WebSocket;
import java.net.URI;
import tools.jackson.databind.JsonNode;

/** How a verb becomes an HTTP request. */
final class KubeRequests {

    private static final String JSON = "application/json";
    private static final String UNRESERVED = "-._~";

    private final HttpClient client;
    private final String base;

    KubeRequests(HttpClient client, URI base) {
        this.client = client;
        String text = base.toString();
        this.base = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    /** @param subresource empty for the object itself */
    URI object(ResourceKind<?> kind, ObjectRef ref, String subresource) {
        String path = collectionPath(kind, ref.namespace()) + "/" + escape(ref.name());
        return URI.create(subresource.isEmpty() ? path : path + "/" + escape(subresource));
    }

    URI collection(ResourceKind<?> kind, String namespace) {
        return URI.create(collectionPath(kind, namespace));
    }

    URI list(ResourceKind<?> kind, ListQuery query) {
        var parameters = new Parameters();
        parameters.add("labelSelector", query.labelSelector());
        parameters.add("fieldSelector", query.fieldSelector());
        parameters.add("resourceVersion", query.resourceVersion());
        parameters.add("limit", query.limit() == 0 ? "" : Integer.toString(query.limit()));
        parameters.add("continue", query.continueToken());
        return URI.create(collectionPath(kind, query.namespace()) + parameters);
    }

    URI watch(ResourceKind<?> kind, WatchQuery query) {
        var parameters = new Parameters();
        parameters.add("watch", "true");
        parameters.add("allowWatchBookmarks", "true");
        parameters.add("labelSelector", query.labelSelector());
        parameters.add("fieldSelector", query.fieldSelector());
        parameters.add("resourceVersion", query.resourceVersion());
        parameters.add(
                "timeoutSeconds", Long.toString(Math.max(1, query.timeout().toSeconds())));
        return URI.create(collectionPath(kind, query.namespace()) + parameters);
    }

    HttpRequest get(URI uri) {
        return request(uri).build();
    }

    HttpRequest stream(URI uri) {
        return request(uri).forStreaming().build();
    }

    HttpRequest send(String method, URI uri, JsonNode body) {
        return send(method, uri, JSON, body);
    }

    HttpRequest send(String method, URI uri, String mediaType, JsonNode body) {
        return request(uri)
                .method(method, mediaType, KubeJson.MAPPER.writeValueAsString(body))
                .build();
    }

    WebSocket.Builder webSocket(URI uri) {
        return client.newWebSocketBuilder().uri(uri).setHeader("Accept", JSON);
    }

    private HttpRequest.Builder request(URI uri) {
        HttpRequest.Builder request = client.newHttpRequestBuilder().uri(uri);
        request.setHeader("Accept", JSON);
        return request;
    }

    private String collectionPath(ResourceKind<?> kind, String namespace) {
        String api = kind.group().isEmpty() ? "/api/" : "/apis/" + escape(kind.group()) + "/";
        String within = namespace.isEmpty() || !kind.namespaced() ? "/" : "/namespaces/" + escape(namespace) + "/";
        return base + api + escape(kind.version()) + within + escape(kind.plural());
    }

    /** Percent-encodes all but the unreserved characters of RFC 3986, so that the result fits a path segment or a query. */
    private static String escape(String text) {
        var escaped = new StringBuilder(text.length());
        for (byte octet : text.getBytes(UTF_8)) {
            char character = (char) (octet & 0xff);
            boolean plain =
                    character < 0x80 && (Character.isLetterOrDigit(character) || UNRESERVED.indexOf(character) >= 0);
            if (plain) {
                escaped.append(character);
            } else {
                escaped.append('%');
                escaped.append(Character.toUpperCase(Character.forDigit((octet >> 4) & 0xf, 16)));
                escaped.append(Character.toUpperCase(Character.forDigit(octet & 0xf, 16)));
            }
        }
        return escaped.toString();
    }

    private static final class Parameters {

        private final StringBuilder text = new StringBuilder();

        void add(String name, String value) {
            if (!value.isEmpty()) {
                text.append(text.length() == 0 ? '?' : '&')
                        .append(name)
                        .append('=')
                        .append(escape(value));
            }
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
