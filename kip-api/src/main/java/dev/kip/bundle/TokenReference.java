package dev.kip.bundle;

import java.util.Comparator;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A token of the pod's service account that its bundle needs.
 *
 * @param audience for whom it is meant; empty for the API server itself
 * @param expirationSeconds how long it is asked to live
 */
public record TokenReference(String audience, long expirationSeconds) implements Comparable<TokenReference> {

    private static final Comparator<TokenReference> ORDER =
            Comparator.comparing(TokenReference::audience).thenComparingLong(TokenReference::expirationSeconds);

    /** The body of a TokenRequest; bound to nothing. */
    public ObjectNode request() {
        ObjectNode request = JsonNodeFactory.instance.objectNode();
        request.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenRequest");
        ObjectNode spec = request.putObject("spec");
        if (!audience.isEmpty()) {
            spec.putArray("audiences").add(audience);
        }
        spec.put("expirationSeconds", expirationSeconds);
        return request;
    }

    @Override
    public int compareTo(TokenReference other) {
        return ORDER.compare(this, other);
    }
}
