package dev.kip.sim.machine;

import java.io.IOException;

/** The bridge that joins the machines of a world to each other and to this one. Blocks. */
final class MachineNetwork {

    /** This machine, as they see it. */
    static final String GATEWAY = "169.254.77.1";

    private final String bridge;

    MachineNetwork(String bridge) {
        this.bridge = bridge;
    }

    /** Begins anew, whatever an earlier world of this name left. */
    void create() throws IOException {
        remove();
        Shell.run("ip", "link", "add", bridge, "type", "bridge");
        Shell.run("ip", "address", "add", GATEWAY + "/32", "dev", bridge);
        Shell.run("ip", "link", "set", bridge, "up");
    }

    void remove() throws IOException {
        if (!Shell.run("sh", "-c", "ip link show " + bridge + " 2>/dev/null || true")
                .isEmpty()) {
            Shell.run("ip", "link", "delete", bridge);
        }
    }

    /** @throws IOException if something else has the address */
    void route(String address) throws IOException {
        String there = Shell.run("ip", "route", "show", address + "/32");
        if (!there.isEmpty() && !there.contains(" " + bridge)) {
            throw new IOException("the address " + address + " is taken on this machine: " + there
                    + ". Two worlds with real cells need network namespaces of their own (unshare --net).");
        }
        Shell.run("ip", "route", "replace", address + "/32", "dev", bridge);
    }

    void unroute(String address) throws IOException {
        Shell.run("sh", "-c", "ip route delete " + address + "/32 dev " + bridge + " 2>/dev/null || true");
    }

    /** The private range that the address is of: other machines of it are on the same bridge. */
    static String lan(String address) {
        if (address.startsWith("172.")) {
            return "172.16.0.0/12";
        }
        return address.startsWith("192.168.") ? "192.168.0.0/16" : "10.0.0.0/8";
    }
}
