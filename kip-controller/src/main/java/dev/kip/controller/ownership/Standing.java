package dev.kip.controller.ownership;

import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.CloudApi.InstanceFacts;

/**
 * Who we are: the installation, the epoch that is ours alone, and the keys.
 *
 * @param region and VPC, as the installation was made for
 */
public record Standing(String installationId, long epoch, String region, String vpc, InstallationKeys keys) {

    /** The MAC that an instance with this token carries, if it was launched for this virtual node. */
    public String macOf(String node, String clientToken) {
        return keys.ownershipProof(installationId, region, vpc, node, clientToken);
    }

    /**
     * Carries our id and a MAC over the node that it names and over its own client token, which the cloud reports and nobody
     * can edit: tags that were copied from one instance to another prove nothing.
     */
    public boolean proves(InstanceFacts instance) {
        return Provenance.of(instance, this).proven();
    }
}
