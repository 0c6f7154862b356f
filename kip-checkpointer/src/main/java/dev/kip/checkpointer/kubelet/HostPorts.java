package dev.kip.checkpointer.kubelet;

import dev.kip.checkpointer.kubelet.KubeletRule.Hit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The ports of the host that a pod asks for: on the host's network, every port that it declares. */
final class HostPorts {

    private static final String EVERYWHERE = "0.0.0.0";

    private HostPorts() {}

    static Stream<Hit> taken(Look look) {
        List<Port> others = new ArrayList<>();
        for (ObjectNode other : look.circumstances().others()) {
            others.addAll(of(other));
        }
        return of(look.pod()).stream()
                .filter(port -> others.stream().anyMatch(port::conflicts))
                .map(port -> Hit.at(port.path()));
    }

    private static List<Port> of(ObjectNode pod) {
        List<Port> ports = new ArrayList<>();
        boolean hostNetwork = pod.path("spec").path("hostNetwork").asBoolean(false);
        JsonNode containers = pod.path("spec").path("containers");
        for (int i = 0; i < containers.size(); i++) {
            JsonNode declared = containers.get(i).path("ports");
            for (int j = 0; j < declared.size(); j++) {
                JsonNode port = declared.get(j);
                int number = port.path("hostPort").asInt(0);
                if (number == 0 && hostNetwork) {
                    number = port.path("containerPort").asInt(0);
                }
                if (number > 0) {
                    String ip = port.path("hostIP").asString("");
                    ports.add(new Port(
                            "spec.containers[" + i + "].ports[" + j + "].hostPort",
                            ip.isEmpty() ? EVERYWHERE : ip,
                            port.path("protocol").asString("TCP"),
                            number));
                }
            }
        }
        return ports;
    }

    private record Port(String path, String ip, String protocol, int number) {
        boolean conflicts(Port other) {
            boolean sameAddress = ip.equals(other.ip) || ip.equals(EVERYWHERE) || other.ip.equals(EVERYWHERE);
            return number == other.number && protocol.equals(other.protocol) && sameAddress;
        }
    }
}
