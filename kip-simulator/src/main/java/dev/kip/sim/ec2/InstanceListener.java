package dev.kip.sim.ec2;

/** Hears when machines begin and cease to run. Called on the loop. */
public interface InstanceListener {

    /**
     * The machine boots. Also called for each machine that runs when a snapshot is restored.
     *
     * @param userData plain
     */
    void started(String instanceId, String privateIp, String userData);

    /** The machine is off; nothing of it runs any more. Only for one that started. */
    void ended(String instanceId);

    /** @param state as EC2 names it */
    default void became(String instanceId, String state) {}
}
