package dev.kip.controller.launch;

import dev.kip.cloud.CloudApi.Market;

/** What all instances of one launch call have in common. */
public record LaunchKey(
        String instanceType, String architecture, Market market, String subnetId, int volumeGib, boolean publicIp) {

    /** The same for equal keys, different for others; readable. */
    public String text() {
        return instanceType + "/" + architecture + "/" + market + "/" + subnetId + "/" + volumeGib + "GiB/"
                + (publicIp ? "public" : "private");
    }
}
