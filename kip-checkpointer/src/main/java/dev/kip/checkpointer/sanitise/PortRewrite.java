package dev.kip.checkpointer.sanitise;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.Refusal;
import dev.kip.bundle.Site;
import dev.kip.bundle.Workpiece;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Declared ports of a pod on the host's network decide nothing but admission, where pod and checkpoint would exclude each other. */
final class PortRewrite {

    private static final ImmutableList<String> HANDLERS = ImmutableList.of(
            "livenessProbe", "readinessProbe", "startupProbe", "lifecycle.postStart", "lifecycle.preStop");

    private PortRewrite() {}

    /** At a container's {@code ports}. */
    static void ports(Site site, Workpiece piece) {
        if (piece.original().path("spec").path("hostNetwork").asBoolean(false)) {
            for (String handler : HANDLERS) {
                number(site.parent(), handler, site.value());
            }
            site.remove();
            return;
        }
        for (JsonNode port : site.value()) {
            if (port.path("hostPort").asInt(0) > 0) {
                piece.refuse(
                        Refusal.Kind.NOTE,
                        site.path(),
                        "hostPort " + port.path("hostPort").asInt()
                                + ": while the checkpoint has it, kubelet rejects the pod itself, which must be made anew");
            }
        }
    }

    /** Names of ports in probes and hooks go with the ports. */
    private static void number(ObjectNode container, String handler, JsonNode ports) {
        for (String kind : ImmutableList.of("httpGet", "tcpSocket")) {
            for (Site site : Site.find(container, handler + "." + kind + ".port")) {
                for (JsonNode port : ports) {
                    if (site.value().isString()
                            && site.value()
                                    .stringValue()
                                    .equals(port.path("name").asString(""))) {
                        site.parent().put("port", port.path("containerPort").asInt());
                    }
                }
            }
        }
    }
}
