package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.sim.aws.Ids;
import dev.kip.sim.aws.Xml;
import dev.kip.sim.ec2.Ec2Settings.SimImage;
import dev.kip.sim.ec2.SimInstance.Launch;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** RunInstances: from a request and the template that it names to instances. */
final class RunInstances {

    private static final int MOST_TOKEN = 64;
    private static final int MOST_USER_DATA = 16 * 1024;
    private static final int MOST_USER_DATA_ENCODED = (MOST_USER_DATA + 2) / 3 * 4;

    private final Map<String, Remembered> tokens = new TreeMap<>();
    private final Ec2Settings settings;
    private final Ids ids;
    private final Network network;
    private final Types types;
    private final Images images;
    private final SecurityGroups groups;
    private final LaunchTemplates templates;
    private final Instances instances;
    private final Capacity capacity;
    private final RateLimits limits;
    private final Tags tags;
    private final InstanceXml xml;
    private int publicAddresses;

    RunInstances(
            Ec2Settings settings,
            Ids ids,
            Network network,
            Types types,
            Images images,
            SecurityGroups groups,
            LaunchTemplates templates,
            Instances instances,
            Capacity capacity,
            RateLimits limits,
            Tags tags,
            InstanceXml xml) {
        this.settings = settings;
        this.ids = ids;
        this.network = network;
        this.types = types;
        this.images = images;
        this.groups = groups;
        this.templates = templates;
        this.instances = instances;
        this.capacity = capacity;
        this.limits = limits;
        this.tags = tags;
        this.xml = xml;
    }

    /** What a client token launched. Part of a snapshot. */
    record Remembered(String parameters, String reservationId, List<String> instanceIds) {}

    Map<String, Remembered> tokens() {
        return tokens;
    }

    void run(Params request, Xml out) {
        Optional<Source> template = template(request);
        Params params = template.map(source -> request.over(source.data)).orElse(request);
        Order order = order(params);
        Optional<String> token = request.optional("ClientToken");
        token.filter(text -> text.length() > MOST_TOKEN).ifPresent(text -> {
            throw Ec2Failure.invalidValue("Value (" + text
                    + ") for parameter clientToken is invalid. Client token must be at most 64 characters");
        });
        // Zonal: the same token in another zone is another launch.
        Optional<String> key = token.map(text -> text + " " + order.subnet.zone());
        String parameters = request.canonical(ImmutableList.of("ClientToken", "Action", "Version"));
        Optional<Remembered> before = key.flatMap(text -> Optional.ofNullable(tokens.get(text)));
        if (before.isPresent()) {
            xml.reservation(out, before.get().reservationId, replay(before.get(), parameters));
            return;
        }
        if (request.isTrue("DryRun")) {
            throw new Ec2Failure(412, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.");
        }
        int count = granted(order);
        String reservation = ids.next("r");
        ImmutableList.Builder<SimInstance> launched = ImmutableList.builder();
        for (int index = 0; index < count; index++) {
            launched.add(launch(order, reservation, token.orElse(""), index, template));
        }
        ImmutableList<SimInstance> all = launched.build();
        key.ifPresent(text -> tokens.put(
                text,
                new Remembered(
                        parameters,
                        reservation,
                        all.stream().map(SimInstance::id).collect(ImmutableList.toImmutableList()))));
        xml.reservation(out, reservation, all);
    }

    private ImmutableList<SimInstance> replay(Remembered before, String parameters) {
        if (!before.parameters.equals(parameters)) {
            throw new Ec2Failure(
                    "IdempotentParameterMismatch",
                    "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).");
        }
        ImmutableList<SimInstance> known = before.instanceIds.stream()
                .map(instances::find)
                .flatMap(Optional::stream)
                .collect(ImmutableList.toImmutableList());
        boolean over = known.stream().allMatch(instance -> instance.state().ended());
        if (known.isEmpty() || (over && settings.endedTokenFails())) {
            throw new Ec2Failure(
                    "IdempotentInstanceTerminated",
                    "The instances launched by the request with this client token have been terminated.");
        }
        return known;
    }

    private int granted(Order order) {
        int room = capacity.grant(order.type, order.subnet.zone(), order.spot, order.least, order.most);
        if (order.subnet.free() < order.least) {
            throw new Ec2Failure(
                    "InsufficientFreeAddressesInSubnet",
                    "There are not enough free addresses in subnet '" + order.subnet.id()
                            + "' to satisfy the requested number of instances.");
        }
        int count = Math.min(room, order.subnet.free());
        limits.resources("RunInstances", count);
        capacity.take(order.type, order.subnet.zone(), order.spot, count);
        return count;
    }

    private SimInstance launch(Order order, String reservation, String token, int index, Optional<Source> template) {
        Launch launch = new Launch(
                ids.next("i"),
                instances.nextSequence(),
                reservation,
                token,
                index,
                order.image.id(),
                order.image.architecture(),
                order.image.rootDevice(),
                order.type.type(),
                order.spot,
                order.subnet.id(),
                order.subnet.zone(),
                order.subnet.take(),
                order.publicIp ? Optional.of(nextPublicAddress()) : Optional.empty(),
                order.groups,
                order.userData,
                order.shutdownBehavior,
                order.profile,
                ids.next("vol"),
                order.volumeGib,
                order.volumeType,
                order.encrypted,
                ids.next("eni"),
                order.httpTokens,
                order.hopLimit,
                instances.now());
        tags.put(launch.id(), order.instanceTags);
        tags.put(launch.volumeId(), order.volumeTags);
        tags.put(launch.interfaceId(), order.interfaceTags);
        template.ifPresent(source -> {
            tags.putReserved(launch.id(), "aws:ec2launchtemplate:id", source.templateId);
            tags.putReserved(launch.id(), "aws:ec2launchtemplate:version", String.valueOf(source.version));
        });
        return instances.add(launch);
    }

    private String nextPublicAddress() {
        int n = publicAddresses++;
        return "54." + (n / 62500 % 250 + 1) + "." + (n / 250 % 250) + "." + (n % 250 + 1);
    }

    private Optional<Source> template(Params request) {
        Params named = request.below("LaunchTemplate");
        if (named.isEmpty()) {
            return Optional.empty();
        }
        LaunchTemplates.Template template = templates.named(named);
        LaunchTemplates.Version version =
                LaunchTemplates.version(template, named.optional("Version").orElse("$Default"));
        return Optional.of(new Source(template.id(), version.number(), new Params(version.data())));
    }

    private record Source(String templateId, int version, Params data) {}

    /** A request that holds water. */
    private record Order(
            int least,
            int most,
            Offering type,
            SimImage image,
            Network.Subnet subnet,
            boolean spot,
            boolean publicIp,
            ImmutableList<String> groups,
            String userData,
            String shutdownBehavior,
            Optional<String> profile,
            int volumeGib,
            String volumeType,
            boolean encrypted,
            String httpTokens,
            int hopLimit,
            ImmutableMap<String, String> instanceTags,
            ImmutableMap<String, String> volumeTags,
            ImmutableMap<String, String> interfaceTags) {}

    private Order order(Params params) {
        int least = params.integer("MinCount").orElseThrow(() -> Ec2Failure.missing("MinCount"));
        int most = params.integer("MaxCount").orElseThrow(() -> Ec2Failure.missing("MaxCount"));
        if (least < 1 || most < least) {
            throw Ec2Failure.invalidValue("Value (" + least
                    + ") for parameter minCount is invalid. Must be between 1 and maxCount (" + most + ")");
        }
        SimImage image = images.require(params.required("ImageId"));
        Offering type = types.require(params.optional("InstanceType").orElse("m1.small"));
        if (!type.architecture().equals(image.architecture())) {
            throw Ec2Failure.invalidValue(
                    "The architecture '" + type.architecture()
                            + "' of the specified instance type does not match the architecture '"
                            + image.architecture()
                            + "' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again.");
        }
        params.optional("KeyName").ifPresent(name -> {
            throw new Ec2Failure("InvalidKeyPair.NotFound", "The key pair '" + name + "' does not exist");
        });
        Tags.checkTypes(params, ImmutableSet.of("instance", "volume", "network-interface", "spot-instances-request"));
        Params network1 = networkInterface(params);
        Params root = params.children("BlockDeviceMapping").stream()
                .filter(device -> device.optional("DeviceName").equals(Optional.of(image.rootDevice())))
                .findFirst()
                .map(device -> device.below("Ebs"))
                .orElse(new Params(ImmutableMap.of()));
        Network.Subnet subnet = network1.optional("SubnetId")
                .or(() -> params.optional("SubnetId"))
                .map(network::require)
                .orElseGet(() -> network.defaultIn(params.optional("Placement.AvailabilityZone")));
        Params metadata = params.below("MetadataOptions");
        return new Order(
                least,
                most,
                type,
                image,
                subnet,
                params.optional("InstanceMarketOptions.MarketType").equals(Optional.of("spot")),
                network1.optional("AssociatePublicIpAddress")
                        .map("true"::equals)
                        .orElse(true),
                groups(params, network1),
                userData(params),
                params.optional("InstanceInitiatedShutdownBehavior").orElse("stop"),
                params.optional("IamInstanceProfile.Arn")
                        .or(() -> params.optional("IamInstanceProfile.Name")
                                .map(name -> "arn:aws:iam::" + settings.accountId() + ":instance-profile/" + name)),
                Math.max(image.rootGib(), root.integer("VolumeSize").orElse(0)),
                root.optional("VolumeType").orElse("gp3"),
                root.isTrue("Encrypted"),
                metadata.optional("HttpTokens").orElse("optional"),
                metadata.integer("HttpPutResponseHopLimit").orElse(1),
                Tags.specified(params, "instance"),
                Tags.specified(params, "volume"),
                Tags.specified(params, "network-interface"));
    }

    private static Params networkInterface(Params params) {
        ImmutableList<Params> interfaces = params.children("NetworkInterface");
        if (interfaces.isEmpty()) {
            return new Params(ImmutableMap.of());
        }
        if (params.has("SubnetId")) {
            throw Ec2Failure.combination(
                    "Network interfaces and an instance-level subnet ID may not be specified on the same request");
        }
        if (params.has("SecurityGroupId") || params.has("SecurityGroup")) {
            throw Ec2Failure.combination(
                    "Network interfaces and an instance-level security groups may not be specified on the same request");
        }
        return interfaces.get(0);
    }

    private ImmutableList<String> groups(Params params, Params networkInterface) {
        ImmutableList<String> wanted = ImmutableList.<String>builder()
                .addAll(networkInterface.list("SecurityGroupId"))
                .addAll(params.list("SecurityGroupId"))
                .build();
        wanted.forEach(groups::require);
        return wanted.isEmpty() ? ImmutableList.of(groups.byDefault()) : wanted;
    }

    private static String userData(Params params) {
        String encoded = params.optional("UserData").orElse("");
        if (encoded.length() > MOST_USER_DATA_ENCODED) {
            throw Ec2Failure.invalidValue("User data is limited to 16384 bytes");
        }
        try {
            Base64.getDecoder().decode(encoded);
        } catch (IllegalArgumentException e) {
            throw new Ec2Failure("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.");
        }
        return encoded;
    }
}
