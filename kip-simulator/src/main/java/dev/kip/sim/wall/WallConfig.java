package dev.kip.sim.wall;

import dev.kip.sim.scenario.ConfigTree;
import dev.kip.sim.scenario.Given;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * A controller's provider.yaml in wall time: the story's keys over those of the world, whose windows are cut to what an emulator
 * and one machine need.
 */
final class WallConfig {

    private WallConfig() {}

    /**
     * @param node the virtual node
     * @param cloud where the controller reaches EC2
     * @param extra keys for this start
     */
    static String yaml(Given given, String node, URI cloud, String anchor, Path addresses, Map<String, String> extra) {
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put("cloud.aws.region", "us-east-1");
        keys.put("cloud.aws.endpointURL", cloud.toString());
        keys.put("cloud.aws.consistencyWindow", "3s");
        keys.put("cells.bootImageSpec.owners", "amazon");
        keys.put("cells.defaultInstanceType", "t3.nano");
        keys.put("cells.addressMap", addresses.toString());
        keys.put("kubelet.port", "0");
        keys.put("gc.quarantine", "1s");
        keys.put("gc.window", "10s");
        keys.put("leaderElection.leaseDuration", "15s");
        keys.put("node.name", node);
        keys.put("node.taint", Boolean.toString(given.taint()));
        if (given.anchor() == Given.Anchor.S3) {
            keys.put("ownership.anchor", anchor);
            keys.put("ownership.anchorEndpointURL", cloud.toString());
        }
        keys.putAll(given.config());
        keys.putAll(extra);
        ObjectNode tree = ConfigTree.of(keys);
        tree.withObject("/kubelet/capacity")
                .put("cpu", "1000")
                .put("memory", "4Ti")
                .put("pods", "1000");
        return tree.toPrettyString() + "\n";
    }
}
