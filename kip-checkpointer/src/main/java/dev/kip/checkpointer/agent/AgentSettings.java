package dev.kip.checkpointer.agent;

import dev.kip.cell.wire.UserData;

/**
 * What an agent is told.
 *
 * @param address of the instance, as a pod's IP
 * @param kubeletPort where this cell's kubelet listens
 */
public record AgentSettings(String instanceId, String address, UserData userData, AgentPlaces places, int kubeletPort) {

    /** What kubelet must call its node; the ending of every static pod's name. */
    public String nodeName() {
        return instanceId;
    }
}
