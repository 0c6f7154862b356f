package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.aws.InstanceTypes;
import dev.kip.sim.aws.Xml;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;

/** Instance types: those of the price table. */
final class Types {

    private static final int PAGE = 100;

    private final ImmutableMap<String, Offering> types;
    private final Network network;
    private final Filters<Offering> filters;
    private final Filters<Place> placeFilters;

    Types(Network network, int mostVcpus) {
        this.network = network;
        this.types = ImmutableMap.copyOf(
                Maps.filterValues(InstanceTypes.table().types(), type -> type.vcpus() <= mostVcpus));
        this.filters = new Filters<>(
                ImmutableMap.<String, Function<Offering, Collection<String>>>builder()
                        .put("instance-type", type -> ImmutableList.of(type.type()))
                        .put("bare-metal", type -> ImmutableList.of(String.valueOf(type.bareMetal())))
                        .put(
                                "burstable-performance-supported",
                                type -> ImmutableList.of(String.valueOf(type.burstable())))
                        .put("current-generation", type -> ImmutableList.of(String.valueOf(type.currentGeneration())))
                        .put("processor-info.supported-architecture", type -> ImmutableList.of(type.architecture()))
                        .put("supported-usage-class", type -> ImmutableList.of("on-demand", "spot"))
                        .put("supported-virtualization-type", type -> ImmutableList.of("hvm"))
                        .put("vcpu-info.default-vcpus", type -> ImmutableList.of(String.valueOf(type.vcpus())))
                        .put("memory-info.size-in-mib", type -> ImmutableList.of(String.valueOf(type.memoryMib())))
                        .buildOrThrow(),
                type -> ImmutableMap.of());
        this.placeFilters = new Filters<>(
                ImmutableMap.of(
                        "instance-type", place -> ImmutableList.of(place.type),
                        "location", place -> ImmutableList.of(place.location)),
                place -> ImmutableMap.of());
    }

    ImmutableList<Offering> all() {
        return types.values().asList();
    }

    Optional<Offering> find(String type) {
        return Optional.ofNullable(types.get(type));
    }

    /** @throws Ec2Failure as RunInstances words it */
    Offering require(String type) {
        return find(type).orElseThrow(() -> Ec2Failure.invalidValue("Invalid value '" + type + "' for InstanceType."));
    }

    void describe(Params params, Xml xml) {
        ImmutableList<String> named = params.list("InstanceType");
        ImmutableList<String> unknown =
                named.stream().filter(type -> !types.containsKey(type)).collect(ImmutableList.toImmutableList());
        if (!unknown.isEmpty()) {
            throw new Ec2Failure(
                    "InvalidInstanceType", "The following supplied instance types do not exist: " + unknown);
        }
        if (!named.isEmpty() && params.optional("MaxResults").isPresent()) {
            throw Ec2Failure.combination("The parameter instanceTypes cannot be used with the parameter maxResults");
        }
        ImmutableList<Offering> chosen = filters.select(params, types.values()).stream()
                .filter(type -> named.isEmpty() || named.contains(type.type()))
                .sorted(Comparator.comparing(Offering::type))
                .collect(ImmutableList.toImmutableList());
        Pages.Page<Offering> page = Pages.of(params, chosen, Offering::type, 5, PAGE, PAGE);
        xml.items("instanceTypeSet", page.items(), Types::write);
        xml.put("nextToken", page.nextToken());
    }

    private static void write(Xml xml, Offering type) {
        xml.put("instanceType", type.type())
                .put("currentGeneration", type.currentGeneration())
                .put("freeTierEligible", type.type().equals("t3.micro"))
                .texts("supportedUsageClasses", ImmutableList.of("on-demand", "spot"))
                .texts("supportedRootDeviceTypes", ImmutableList.of("ebs"))
                .texts("supportedVirtualizationTypes", ImmutableList.of("hvm"))
                .put("bareMetal", type.bareMetal())
                .put("hypervisor", "nitro")
                .in(
                        "processorInfo",
                        cpu -> cpu.texts("supportedArchitectures", ImmutableList.of(type.architecture()))
                                .put("sustainedClockSpeedInGhz", "2.5"))
                .in(
                        "vCpuInfo",
                        cpu -> cpu.put("defaultVCpus", type.vcpus()).put("defaultCores", Math.max(1, type.vcpus() / 2)))
                .in("memoryInfo", memory -> memory.put("sizeInMiB", type.memoryMib()))
                .put("instanceStorageSupported", false)
                .put("burstablePerformanceSupported", type.burstable())
                .put("dedicatedHostsSupported", !type.burstable())
                .put("autoRecoverySupported", true);
        if (type.gpus() > 0) {
            int space = type.gpuName().indexOf(' ');
            xml.in(
                    "gpuInfo",
                    gpus -> gpus.items(
                            "gpus",
                            ImmutableList.of(type),
                            (item, one) -> item.put(
                                            "manufacturer", one.gpuName().substring(0, space))
                                    .put("name", one.gpuName().substring(space + 1))
                                    .put("count", one.gpus())));
        }
    }

    void offerings(Params params, Xml xml) {
        String by = params.optional("LocationType").orElse("region");
        ImmutableList<String> locations = switch (by) {
            case "region" -> ImmutableList.of(network.region());
            case "availability-zone" -> network.zones();
            default -> throw Ec2Failure.invalidValue("Invalid value '" + by + "' for LocationType.");
        };
        ImmutableList.Builder<Place> places = ImmutableList.builder();
        types.keySet().stream()
                .sorted()
                .forEach(type -> locations.forEach(location -> places.add(new Place(type, location))));
        Pages.Page<Place> page = Pages.of(
                params,
                placeFilters.select(params, places.build()),
                place -> place.type + " " + place.location,
                5,
                1000,
                1000);
        xml.items(
                "instanceTypeOfferingSet",
                page.items(),
                (item, place) -> item.put("instanceType", place.type)
                        .put("locationType", by)
                        .put("location", place.location));
        xml.put("nextToken", page.nextToken());
    }

    private record Place(String type, String location) {}
}
