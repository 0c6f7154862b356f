package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.aws.Ids;
import dev.kip.sim.aws.Xml;
import dev.kip.sim.ec2.Ec2Settings.SimImage;
import java.util.Comparator;
import java.util.Optional;

/** Machine images: Amazon Linux 2023 and the cell images of the original, each older and newer, for both architectures. */
final class Images {

    private static final String AMAZON = "137112412989";
    private static final String CELLS = "689494258501";

    private final ImmutableList<SimImage> images;
    private final String account;
    private final Filters<SimImage> filters;

    Images(Ec2Settings settings) {
        this.account = settings.accountId();
        this.images = ImmutableList.<SimImage>builder()
                .add(amazon("ami-0a1b2c3d4e5f60001", "2025-03-10T21:05:13.000Z", "x86_64"))
                .add(amazon("ami-0a1b2c3d4e5f60002", "2025-03-10T21:07:41.000Z", "arm64"))
                .add(amazon("ami-0a1b2c3d4e5f60003", "2026-01-12T19:32:05.000Z", "x86_64"))
                .add(amazon("ami-0a1b2c3d4e5f60004", "2026-01-12T19:35:52.000Z", "arm64"))
                .add(cell("ami-0c1b2c3d4e5f60001", "2026-02-02T09:00:00.000Z", "x86_64"))
                .add(cell("ami-0c1b2c3d4e5f60002", "2026-02-02T09:04:00.000Z", "arm64"))
                .addAll(settings.images())
                .build();
        this.filters = new Filters<>(
                ImmutableMap.<String, java.util.function.Function<SimImage, java.util.Collection<String>>>builder()
                        .put("image-id", image -> ImmutableList.of(image.id()))
                        .put("name", image -> ImmutableList.of(image.name()))
                        .put("architecture", image -> ImmutableList.of(image.architecture()))
                        .put("creation-date", image -> ImmutableList.of(image.created()))
                        .put("owner-id", image -> ImmutableList.of(image.ownerId()))
                        .put("owner-alias", image -> ImmutableList.of(image.ownerAlias()))
                        .put("state", image -> ImmutableList.of("available"))
                        .put("is-public", image -> ImmutableList.of("true"))
                        .put("image-type", image -> ImmutableList.of("machine"))
                        .put("root-device-type", image -> ImmutableList.of("ebs"))
                        .put("root-device-name", image -> ImmutableList.of(image.rootDevice()))
                        .put("virtualization-type", image -> ImmutableList.of("hvm"))
                        .put("hypervisor", image -> ImmutableList.of("xen"))
                        .buildOrThrow(),
                image -> ImmutableMap.of());
    }

    private static SimImage amazon(String id, String created, String architecture) {
        String version = created.substring(0, 10).replace("-", "");
        return new SimImage(
                id,
                "al2023-ami-2023.9." + version + ".0-kernel-6.1-" + architecture,
                architecture,
                created,
                AMAZON,
                "amazon",
                "/dev/xvda",
                8);
    }

    private static SimImage cell(String id, String created, String architecture) {
        String version = created.substring(0, 10).replace("-", "");
        return new SimImage(
                id, "elotl-kip-" + version + "-" + architecture, architecture, created, CELLS, "", "/dev/xvda", 8);
    }

    Optional<SimImage> find(String id) {
        return images.stream().filter(image -> image.id().equals(id)).findFirst();
    }

    /** @throws Ec2Failure as EC2 words it */
    SimImage require(String id) {
        if (!Ids.wellFormed("ami", id)) {
            throw Ec2Failure.malformed("InvalidAMIID.Malformed", id, "ami");
        }
        return find(id).orElseThrow(
                        () -> new Ec2Failure("InvalidAMIID.NotFound", "The image id '[" + id + "]' does not exist"));
    }

    void describe(Params params, Xml xml) {
        ImmutableList<String> ids = params.list("ImageId");
        ids.forEach(this::require);
        ImmutableList<String> owners = params.list("Owner");
        ImmutableList<String> executable = params.list("ExecutableBy");
        ImmutableList<SimImage> chosen = filters.select(params, images).stream()
                .filter(image -> ids.isEmpty() || ids.contains(image.id()))
                .filter(image -> owners.isEmpty() || owners.stream().anyMatch(owner -> isOwner(image, owner)))
                .filter(image -> executable.isEmpty() || executable.contains("all"))
                .sorted(Comparator.comparing(SimImage::id))
                .collect(ImmutableList.toImmutableList());
        Pages.Page<SimImage> page = Pages.of(params, chosen, SimImage::id, 1, 1000, 1000);
        xml.items("imagesSet", page.items(), Images::write);
        xml.put("nextToken", page.nextToken());
    }

    private boolean isOwner(SimImage image, String owner) {
        return image.ownerId().equals(owner)
                || (!image.ownerAlias().isEmpty() && image.ownerAlias().equals(owner))
                || (owner.equals("self") && image.ownerId().equals(account));
    }

    private static void write(Xml xml, SimImage image) {
        xml.put("imageId", image.id())
                .put("imageLocation", image.ownerId() + "/" + image.name())
                .put("imageState", "available")
                .put("imageOwnerId", image.ownerId())
                .put("creationDate", image.created())
                .put("isPublic", true)
                .put("architecture", image.architecture())
                .put("imageType", "machine")
                .put("name", image.name())
                .put("description", image.name())
                .put("rootDeviceType", "ebs")
                .put("rootDeviceName", image.rootDevice())
                .items(
                        "blockDeviceMapping",
                        ImmutableList.of(image),
                        (item, one) -> item.put("deviceName", one.rootDevice())
                                .in(
                                        "ebs",
                                        ebs -> ebs.put("volumeSize", one.rootGib())
                                                .put("deleteOnTermination", true)
                                                .put("volumeType", "gp3")
                                                .put("encrypted", false)))
                .put("virtualizationType", "hvm")
                .put("hypervisor", "xen")
                .put("enaSupport", true);
        if (!image.ownerAlias().isEmpty()) {
            xml.put("imageOwnerAlias", image.ownerAlias());
        }
    }
}
