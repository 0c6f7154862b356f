package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.kinds.Services;
import dev.kip.sim.apiserver.schema.Cause;
import dev.kip.sim.apiserver.schema.FieldErrors;
import dev.kip.sim.apiserver.store.Change;
import dev.kip.sim.apiserver.store.Shelf;
import dev.kip.sim.apiserver.store.Versioned;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Cluster addresses (10.96.0.0/16) and node ports (30000-32767) of services, given out in order. */
final class ServiceAddresses implements Shelf.ChangeListener {

    private static final int LAST_ADDRESS = 0xfffe;
    private static final int FIRST_PORT = 30000;
    private static final int LAST_PORT = 32767;

    private final Shelf services;
    /** Owner's key by address, and by port number. */
    private final Map<String, String> taken = new LinkedHashMap<>();

    private int lastAddress;
    private int lastPort = FIRST_PORT - 1;

    ServiceAddresses(Shelf services) {
        this.services = services;
        services.listen(this);
        noteAll();
    }

    /** Fills in what the service's type calls for and it does not have yet. */
    void allocate(Resource resource, ObjectNode service) {
        ObjectNode spec = service.withObjectProperty("spec");
        String key = resource.key(
                service.path("metadata").path("namespace").asString(""),
                service.path("metadata").path("name").asString(""));
        String type = spec.path("type").asString("");
        if (type.equals("ExternalName")) {
            return;
        }
        String address = spec.path("clusterIP").asString("");
        if (address.isEmpty()) {
            Services.assign(spec, freeAddress());
        } else {
            String owner = taken.getOrDefault(address, key);
            if (!owner.equals(key)) {
                String name = service.path("metadata").path("name").asString("");
                throw Failures.invalid(
                        "",
                        "Service",
                        name,
                        ImmutableList.of(new Cause(
                                "FieldValueInvalid",
                                "Invalid value: []string{" + FieldErrors.quoted(address) + "}: failed to allocate IP "
                                        + address + ": provided IP is already allocated",
                                "spec.clusterIPs")));
            }
            if (!spec.has("clusterIPs")) {
                Services.assign(spec, address);
            }
        }
        if (type.equals("NodePort") || type.equals("LoadBalancer")) {
            for (JsonNode port : spec.path("ports")) {
                if (port.path("nodePort").asInt(0) == 0 && port instanceof ObjectNode open) {
                    open.put("nodePort", freePort());
                }
            }
        }
    }

    private String freeAddress() {
        for (int tries = 0; tries < LAST_ADDRESS; tries++) {
            lastAddress = lastAddress % LAST_ADDRESS + 1;
            String address = "10.96." + (lastAddress >>> 8) + "." + (lastAddress & 0xff);
            if (!taken.containsKey(address)) {
                return address;
            }
        }
        throw Failures.internal("failed to allocate a serviceIP: range is full");
    }

    private int freePort() {
        for (int tries = FIRST_PORT; tries <= LAST_PORT; tries++) {
            lastPort = lastPort >= LAST_PORT ? FIRST_PORT : lastPort + 1;
            if (!taken.containsKey(Integer.toString(lastPort))) {
                return lastPort;
            }
        }
        throw Failures.internal("failed to allocate a nodePort: range is full");
    }

    @Override
    public void changed(Change change) {
        change.before().ifPresent(before -> note(before.object(), change.key(), false));
        change.after().ifPresent(after -> note(after.object(), change.key(), true));
    }

    @Override
    public void restored(NavigableMap<String, Versioned> before) {
        taken.clear();
        noteAll();
    }

    private void noteAll() {
        services.now().forEach((key, service) -> note(service.object(), key, true));
    }

    private void note(ObjectNode service, String key, boolean used) {
        JsonNode spec = service.path("spec");
        note(spec.path("clusterIP").asString(""), key, used);
        spec.path("ports").forEach(port -> note(port.path("nodePort").asString(""), key, used));
    }

    private void note(String what, String key, boolean used) {
        if (what.isEmpty() || what.equals("None")) {
            return;
        }
        if (used) {
            taken.put(what, key);
        } else {
            taken.remove(what);
        }
    }
}
