package dev.kip.sim.invariants;

import com.google.common.collect.ImmutableMap;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import java.util.LinkedHashMap;
import java.util.Map;

/** The tags with which each instance was launched: nobody can edit these afterwards. */
final class Births {

    private final Eyes eyes;
    private final Map<String, Map<String, String>> tags = new LinkedHashMap<>();
    private boolean launching;

    Births(Eyes eyes) {
        this.eyes = eyes;
    }

    void sent(Call call) {
        launching |= call.to().equals("ec2") && call.action().equals("RunInstances");
    }

    void look() {
        if (launching) {
            launching = false;
            remember();
        }
    }

    void remember() {
        eyes.instances().forEach(instance -> tags.putIfAbsent(instance.id(), instance.tags()));
    }

    String tag(SimEc2.Sight instance, String key) {
        return tags.getOrDefault(instance.id(), ImmutableMap.of()).getOrDefault(key, "");
    }

    boolean edited(SimEc2.Sight instance, String key) {
        return !tag(instance, key).equals(instance.tags().getOrDefault(key, ""));
    }
}
