package dev.kip.controller.drain;

import com.google.common.collect.ImmutableMap;
import dev.kip.controller.launch.Tags;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec.Shard;

/**
 * What is taken down.
 *
 * @param record as it was read at the beginning of this try
 * @param node ours
 */
record Scope(Installation record, String node) {

    /** No other virtual node of the installation is left: what they share goes too. */
    boolean last() {
        return record.spec().shards().stream().map(Shard::node).allMatch(node::equals);
    }

    String installationId() {
        return record.spec().installationID();
    }

    /** Tags of all that goes. */
    ImmutableMap<String, String> tags() {
        return last()
                ? ImmutableMap.of(Tags.INSTALLATION, installationId())
                : ImmutableMap.of(Tags.INSTALLATION, installationId(), Tags.NODE, node);
    }

    /** Whether an object of this installation and virtual node goes. */
    boolean covers(String objectsInstallation, String objectsNode) {
        return objectsInstallation.equals(installationId()) && (last() || objectsNode.equals(node));
    }
}
