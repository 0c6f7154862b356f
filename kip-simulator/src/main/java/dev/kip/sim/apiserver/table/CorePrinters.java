package dev.kip.sim.apiserver.table;

import com.google.common.collect.ImmutableMap;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Events, services and what else a namespace holds. */
final class CorePrinters {

    private CorePrinters() {}

    static ImmutableMap<String, Printer> printers() {
        return ImmutableMap.<String, Printer>builder()
                .put("/pods", PodPrinter.printer())
                .put("/nodes", NodePrinter.printer())
                .put("/events", events())
                .put("/services", services())
                .put(
                        "/endpoints",
                        Printer.named()
                                .value("Endpoints", CorePrinters::endpoints)
                                .age()
                                .build())
                .put("discovery.k8s.io/endpointslices", slices())
                .put(
                        "coordination.k8s.io/leases",
                        Printer.named()
                                .text("Holder", "/spec/holderIdentity")
                                .age()
                                .build())
                .put(
                        "/configmaps",
                        Printer.named().value("Data", CorePrinters::data).age().build())
                .put(
                        "/secrets",
                        Printer.named()
                                .text("Type", "/type")
                                .value("Data", CorePrinters::data)
                                .age()
                                .build())
                .put(
                        "/serviceaccounts",
                        Printer.named()
                                .value("Secrets", item -> item.path("secrets").size())
                                .age()
                                .build())
                .put(
                        "/namespaces",
                        Printer.named().text("Status", "/status/phase").age().build())
                .buildOrThrow();
    }

    private static Printer events() {
        return Printer.empty()
                .timed("Last Seen", CorePrinters::lastSeen)
                .text("Type", "/type")
                .text("Reason", "/reason")
                .value("Object", CorePrinters::involved)
                .wide("Subobject", event -> Cells.text(event, "/involvedObject/fieldPath"))
                .wide("Source", CorePrinters::source)
                .value("Message", event -> Cells.text(event, "/message").strip())
                .add(new Printer.Column("First Seen", "string", "", "First Seen", 1), CorePrinters::firstSeen)
                .wide("Count", CorePrinters::count)
                .add(
                        new Printer.Column("Name", "string", "name", "Name must be unique within a namespace.", 1),
                        (event, now) -> Cells.text(event, "/metadata/name"))
                .build();
    }

    private static String firstSeen(JsonNode event, Instant now) {
        return Cells.text(event, "/firstTimestamp").isEmpty()
                ? Cells.since(event, "/eventTime", now)
                : Cells.since(event, "/firstTimestamp", now);
    }

    private static String lastSeen(JsonNode event, Instant now) {
        if (event.path("series").isObject()) {
            return Cells.since(event, "/series/lastObservedTime", now);
        }
        return Cells.text(event, "/lastTimestamp").isEmpty()
                ? firstSeen(event, now)
                : Cells.since(event, "/lastTimestamp", now);
    }

    private static long count(JsonNode event) {
        return event.path("series").isObject()
                ? event.at("/series/count").asLong(0)
                : Math.max(1, event.path("count").asLong(0));
    }

    private static String involved(JsonNode event) {
        String kind = Cells.lower(Cells.text(event, "/involvedObject/kind"));
        String name = Cells.text(event, "/involvedObject/name");
        return name.isEmpty() ? kind : kind + "/" + name;
    }

    private static String source(JsonNode event) {
        String component = Cells.textOr(event, "/source/component", Cells.text(event, "/reportingComponent"));
        String host = Cells.textOr(event, "/source/host", Cells.text(event, "/reportingInstance"));
        return host.isEmpty() ? component : component + ", " + host;
    }

    private static Printer services() {
        return Printer.named()
                .text("Type", "/spec/type")
                .value(
                        "Cluster-IP",
                        service -> Cells.textOr(
                                service, "/spec/clusterIPs/0", Cells.textOr(service, "/spec/clusterIP", Cells.NONE)))
                .value("External-IP", CorePrinters::externalAddress)
                .value("Port(s)", CorePrinters::ports)
                .age()
                .wide("Selector", service -> Cells.labels(service.at("/spec/selector")))
                .build();
    }

    private static String externalAddress(JsonNode service) {
        JsonNode external = service.at("/spec/externalIPs");
        switch (Cells.text(service, "/spec/type")) {
            case "ExternalName":
                return Cells.text(service, "/spec/externalName");
            case "LoadBalancer":
                List<String> addresses = new ArrayList<>();
                service.at("/status/loadBalancer/ingress")
                        .forEach(ingress ->
                                addresses.add(Cells.textOr(ingress, "/ip", Cells.text(ingress, "/hostname"))));
                external.forEach(address -> addresses.add(address.asString("")));
                return addresses.isEmpty() ? "<pending>" : String.join(",", addresses);
            default:
                return Cells.joinedOr(external, Cells.NONE);
        }
    }

    private static String ports(JsonNode service) {
        List<String> ports = new ArrayList<>();
        for (JsonNode port : service.at("/spec/ports")) {
            long nodePort = port.path("nodePort").asLong(0);
            ports.add(port.path("port").asLong(0) + (nodePort > 0 ? ":" + nodePort : "") + "/"
                    + port.path("protocol").asString("TCP"));
        }
        return ports.isEmpty() ? Cells.NONE : String.join(",", ports);
    }

    private static String endpoints(JsonNode endpoints) {
        List<String> all = new ArrayList<>();
        for (JsonNode subset : endpoints.path("subsets")) {
            for (JsonNode address : subset.path("addresses")) {
                if (subset.path("ports").isEmpty()) {
                    all.add(address.path("ip").asString(""));
                }
                for (JsonNode port : subset.path("ports")) {
                    all.add(address.path("ip").asString("") + ":"
                            + port.path("port").asLong(0));
                }
            }
        }
        return shortened(all, Cells.NONE);
    }

    private static Printer slices() {
        return Printer.named()
                .text("AddressType", "/addressType")
                .value("Ports", slice -> {
                    List<String> ports = new ArrayList<>();
                    slice.path("ports").forEach(port -> ports.add(Cells.textOr(port, "/port", "*")));
                    return shortened(ports, "<unset>");
                })
                .value("Endpoints", slice -> {
                    List<String> addresses = new ArrayList<>();
                    slice.path("endpoints")
                            .forEach(endpoint ->
                                    endpoint.path("addresses").forEach(address -> addresses.add(address.asString(""))));
                    return shortened(addresses, "<unset>");
                })
                .age()
                .build();
    }

    private static String shortened(List<String> parts, String ifNone) {
        if (parts.isEmpty()) {
            return ifNone;
        }
        return parts.size() <= 3
                ? String.join(",", parts)
                : String.join(",", parts.subList(0, 3)) + " + " + (parts.size() - 3) + " more...";
    }

    private static Object data(JsonNode item) {
        return item.path("data").size() + item.path("binaryData").size();
    }
}
