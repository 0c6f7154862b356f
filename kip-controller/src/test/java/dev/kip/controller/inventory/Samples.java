package dev.kip.controller.inventory;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.inventory.Holdings.Gap;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.ownership.Standing;
import dev.kip.crd.Cell;
import dev.kip.crd.CellStatus;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec;
import dev.kip.crd.InstallationStatus;
import dev.kip.crd.ObjectMetadata;
import dev.kip.entropy.SecureEntropy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What cluster and cloud say, made by hand: an installation with one virtual node, vk. */
public final class Samples {

    private Samples() {}

    public static final Instant NOW = Instant.parse("2026-11-30T22:00:00Z");
    public static final String OURS = "prod";
    private static final InstallationKeys KEYS = InstallationKeys.create(new SecureEntropy(), Instant.EPOCH);
    static final Standing STANDING = new Standing(OURS, 3, "us-east-1", "default", KEYS);

    public static InstanceFacts instance(
            String id, String token, InstanceState state, ImmutableMap<String, String> tags) {
        return new InstanceFacts(
                id,
                state,
                "t3.nano",
                "us-east-1a",
                Market.ON_DEMAND,
                Optional.of("10.0.0.1"),
                Optional.empty(),
                token,
                0,
                NOW.minus(Duration.ofHours(3)),
                Optional.of("lt-1"),
                "",
                tags);
    }

    public static InstanceFacts ours(String id) {
        return instance(id, "token-" + id, InstanceState.RUNNING, proof(id));
    }

    public static ImmutableMap<String, String> proof(String id) {
        return ImmutableMap.of(
                Tags.INSTALLATION,
                OURS,
                Tags.NODE,
                "vk",
                Tags.MAC,
                STANDING.macOf("vk", "token-" + id),
                Tags.BATCH,
                "launch-1");
    }

    public static Cell cell(String name, String owner, String instance, String podUid) {
        return new Cell(
                ObjectMetadata.named(name),
                new CellStatus(
                        "web",
                        "default",
                        "vk",
                        owner,
                        "On-Demand",
                        "t3.nano",
                        instance,
                        "10.0.0.1",
                        podUid,
                        0,
                        3,
                        "launch-1",
                        podUid.isEmpty() ? "" : "token-" + instance));
    }

    public static ObjectNode pod(String uid, String status) {
        return (ObjectNode) JsonMapper.shared()
                .readTree(("{'metadata':{'namespace':'default','name':'web','uid':'" + uid
                                + "'},'spec':{'nodeName':'vk','containers':[{'name':'c','image':'nginx'}]},'status':"
                                + status
                                + "}")
                        .replace('\'', '"'));
    }

    public static Holdings holdings(
            ImmutableList<InstanceFacts> instances, ImmutableList<Cell> cells, ImmutableList<ObjectNode> pods) {
        return holdings(instances, cells, pods, Optional.of(STANDING), ImmutableList.of());
    }

    public static Holdings holdings(
            ImmutableList<InstanceFacts> instances,
            ImmutableList<Cell> cells,
            ImmutableList<ObjectNode> pods,
            Optional<Standing> standing,
            ImmutableList<Gap> gaps) {
        InstallationSpec spec = new InstallationSpec(
                OURS, 3, "uid", "", "us-east-1", "default", "", false, "kip-0", ImmutableList.of());
        return new Holdings(
                NOW,
                "kip",
                Optional.of(new Installation(
                        ObjectMetadata.named("kip"), spec, new InstallationStatus(ImmutableList.of()))),
                standing,
                ImmutableList.of(),
                instances,
                cells,
                ImmutableList.of(),
                pods,
                ImmutableList.of(new Holdings.LeaseFacts(
                        "vk", "kip-0", Optional.of(NOW.minusSeconds(2)), Duration.ofSeconds(20))),
                ImmutableMap.of("t3.nano", 0.0052),
                gaps);
    }
}
