package dev.kip.sim.invariants;

import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/**
 * What hands other than a controller's have done to Cells. Who leads at that time remembers what they said; who comes later
 * knows no more than what is still written down somewhere.
 */
final class HandsOnCells {

    private final Eyes eyes;
    private final Map<String, String> instanceByCell = new LinkedHashMap<>();
    private final Set<String> askedFor = new LinkedHashSet<>();
    private final Map<String, String> leaders = new LinkedHashMap<>();

    /** Instances whose Cell somebody deleted or edited, and who led then. */
    private final Map<String, String> loose = new LinkedHashMap<>();

    HandsOnCells(Eyes eyes) {
        this.eyes = eyes;
    }

    void sent(Call call, Fate fate) {
        if (call.action().equals("DELETE cells")
                && fate != Fate.SENDER_DIES_BEFORE
                && eyes.sender(call.from()).isPresent()) {
            askedFor.add(call.target());
        }
    }

    void leads(Eyes.Sender sender) {
        leaders.put(sender.cluster(), turn(sender));
    }

    void changed(String cluster, String event, String kind, ObjectNode object) {
        if (!kind.equals("cell")) {
            return;
        }
        String name = object.at("/metadata/name").asString("");
        String key = cluster + "/" + name;
        String names = object.at("/status/instanceID").asString("");
        if (event.equals("DELETED")) {
            String named = instanceByCell.getOrDefault(key, "");
            instanceByCell.remove(key);
            if (!askedFor.remove(name)) {
                loosen(cluster, named);
            }
            return;
        }
        String before = instanceByCell.getOrDefault(key, names);
        instanceByCell.put(key, names);
        loose.remove(names);
        if (!before.equals(names)) {
            loosen(cluster, before);
        }
    }

    /** All that it knew is gone with it. */
    void destroyed(String cluster) {
        instanceByCell.entrySet().removeIf(cell -> {
            boolean there = cell.getKey().startsWith(cluster + "/");
            if (there) {
                loosen(cluster, cell.getValue());
            }
            return there;
        });
    }

    private void loosen(String cluster, String instance) {
        if (!instance.isEmpty()) {
            loose.put(instance, leaders.getOrDefault(cluster, ""));
        }
    }

    private static String turn(Eyes.Sender sender) {
        return sender.process() + " " + sender.epoch();
    }

    /** It led when the instance's Cell was taken away, and leads since: it knows the instance without it. */
    boolean remembers(Eyes.Sender sender, String instance) {
        return turn(sender).equals(loose.get(instance));
    }

    /**
     * Whether somebody has seen to it that nobody who comes to lead now can know what the instance was for: no Cell names it,
     * and none that was edited leads to it by the client token.
     *
     * @param tagged its tags lead to it, as far as they are what they were
     */
    boolean untied(SimEc2.Sight instance, boolean tagged) {
        if (!loose.containsKey(instance.id())) {
            return false;
        }
        for (String cluster : eyes.clusters()) {
            for (ObjectNode cell : eyes.objects(cluster, "cell")) {
                boolean names = cell.at("/status/instanceID").asString("").equals(instance.id());
                boolean leadsToIt =
                        tagged && cell.at("/status/clientToken").asString("").equals(instance.clientToken());
                if (names || leadsToIt) {
                    return false;
                }
            }
        }
        return true;
    }
}
