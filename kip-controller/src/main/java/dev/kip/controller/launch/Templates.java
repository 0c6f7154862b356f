package dev.kip.controller.launch;

import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cell.wire.UserData;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.TemplateContent;
import dev.kip.controller.ControllerSettings.CellSettings;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Launch templates: named by a hash of what all their versions have in common, with one version for each epoch, which
 * tells the cells from which epoch on they take orders. Pure.
 */
public final class Templates {

    private static final String EPOCH = "epoch ";

    private final LaunchSettings settings;
    private final CellSettings cells;
    private final InstallationKeys keys;
    private final String installationId;
    private final String node;
    private final long epoch;

    public Templates(
            LaunchSettings settings,
            CellSettings cells,
            InstallationKeys keys,
            String installationId,
            String node,
            long epoch) {
        this.settings = settings;
        this.cells = cells;
        this.keys = keys;
        this.installationId = installationId;
        this.node = node;
        this.epoch = epoch;
    }

    /** A version that can be launched from. */
    public record Ready(String templateId, String version) {}

    public TemplateContent contentOf(LaunchKey key, ImageFacts image) {
        int volumeGib = Math.max(key.volumeGib(), image.rootGib());
        String text = String.join(
                "\n",
                installationId,
                node,
                image.id(),
                image.rootDevice().orElse(""),
                Integer.toString(volumeGib),
                settings.instanceProfile().orElse(""));
        String name = "kip-" + installationId.substring(0, Math.min(8, installationId.length())) + "-"
                + Hashing.sha256()
                        .hashString(text, StandardCharsets.UTF_8)
                        .toString()
                        .substring(0, 24);
        return new TemplateContent(
                name,
                image.id(),
                image.rootDevice(),
                volumeGib,
                UserData.of(keys, installationId, node, name, epoch)
                        .withDeadMan(cells.deadMan(), Optional.of(cells.inertDeadMan()))
                        .toCloudConfig(),
                settings.instanceProfile(),
                EPOCH + epoch,
                tags());
    }

    /** What tells our templates from those of others, and of other nodes. */
    ImmutableMap<String, String> tags() {
        return ImmutableMap.of(Tags.INSTALLATION, installationId, Tags.NODE, node);
    }

    /** The epoch that a version's description names; -1 if it names none. */
    static long epochOf(String description) {
        String number = description.startsWith(EPOCH) ? description.substring(EPOCH.length()) : "";
        return number.matches("\\d{1,18}") ? Long.parseLong(number) : -1;
    }
}
