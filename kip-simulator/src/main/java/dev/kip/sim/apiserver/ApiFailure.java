package dev.kip.sim.apiserver;

import tools.jackson.databind.node.ObjectNode;

/** The request is answered with a {@code metav1.Status} of failure. */
public final class ApiFailure extends RuntimeException {

    private final transient ObjectNode status;

    public ApiFailure(ObjectNode status) {
        super(status.path("message").asString(""), null, false, false);
        this.status = status;
    }

    /** The Status to answer with; its {@code code} is the HTTP status. */
    public ObjectNode status() {
        return status;
    }

    public String reason() {
        return status.path("reason").asString("");
    }
}
