package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.ControllerSettings.NodeSettings;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.regex.Pattern;

/** Chooses the cheapest instance that fits a pod. Pure. */
public final class LaunchPlan {

    private static final long MIB = 1L << 20;

    private final LaunchSettings settings;

    public LaunchPlan(LaunchSettings settings) {
        this.settings = settings;
    }

    /** What came of a choice. */
    public sealed interface Choice {

        /** Launch this. */
        record Launch(LaunchKey key) implements Choice {}

        /** Something fits, but the cloud has no room for any of it now. */
        record NoRoom(Problem problem) implements Choice {}

        /** Nothing that is offered fits. */
        record NothingFits(Problem problem) implements Choice {}
    }

    public Choice choose(PodNeeds needs, Catalogue catalogue, Avoided avoided, long now) {
        if (needs.problem().isPresent()) {
            return new Choice.NothingFits(needs.problem().get());
        }
        Optional<String> fixed = fixedType(needs);
        Optional<Pattern> glob =
                fixed.isPresent() ? Optional.empty() : needs.instanceType().map(LaunchPlan::glob);
        ImmutableList<SubnetFacts> subnets = subnets(needs, catalogue);
        if (subnets.isEmpty()) {
            return new Choice.NothingFits(new Problem(
                    "NoSubnet",
                    needs.zone()
                            .map(zone -> "no subnet of the cells is in zone " + zone)
                            .orElse("no subnet to launch in")));
        }
        boolean fits = false;
        for (Offering offering : catalogue.offerings()) {
            if (!fits(offering, needs, fixed, glob) || !catalogue.images().containsKey(offering.architecture())) {
                continue;
            }
            fits = true;
            for (SubnetFacts subnet : subnets) {
                if (!avoided.avoids(offering.type(), subnet.id(), needs.market(), now)) {
                    return new Choice.Launch(key(needs, offering, subnet));
                }
            }
        }
        return fits
                ? new Choice.NoRoom(new Problem(
                        "InsufficientCapacity",
                        "the cloud has no room for " + wanted(needs) + " now; it is asked again in some minutes"))
                : new Choice.NothingFits(new Problem("NoFittingInstanceType", nothingFits(needs, fixed, catalogue)));
    }

    /** A type that was named is taken as it is; globs and resources are matched. */
    private Optional<String> fixedType(PodNeeds needs) {
        if (needs.instanceType().isPresent()) {
            return needs.instanceType().filter(type -> !type.contains("*"));
        }
        return needs.anyResources() ? Optional.empty() : Optional.of(settings.defaultInstanceType());
    }

    /** A pod that says nothing has images for what the virtual node says it is; whoever names a type knows what it is. */
    private static Optional<String> architecture(PodNeeds needs) {
        return needs.architecture()
                .or(() -> needs.instanceType().isPresent() ? Optional.empty() : Optional.of(NodeSettings.ARCHITECTURE));
    }

    private static boolean fits(Offering offering, PodNeeds needs, Optional<String> fixed, Optional<Pattern> glob) {
        if (!architecture(needs)
                .map(kubernetesName(offering.architecture())::equals)
                .orElse(true)) {
            return false;
        }
        if (fixed.isPresent()) {
            return offering.type().equals(fixed.get());
        }
        if (glob.isPresent()) {
            if (!glob.get().matcher(offering.type()).matches()) {
                return false;
            }
        } else if (!offering.currentGeneration() || offering.bareMetal()) {
            return false;
        }
        return offering.hourlyUsd().isPresent()
                && offering.vcpus() * 1000L >= needs.milliCpus()
                && offering.memoryMib() * MIB >= needs.memoryBytes()
                && offering.gpus() >= needs.gpus();
    }

    private static ImmutableList<SubnetFacts> subnets(PodNeeds needs, Catalogue catalogue) {
        if (needs.zone().isEmpty()) {
            return catalogue.subnets();
        }
        String zone = needs.zone().get();
        return catalogue.subnets().stream()
                .filter(subnet -> subnet.zone().equals(zone))
                .collect(ImmutableList.toImmutableList());
    }

    private LaunchKey key(PodNeeds needs, Offering offering, SubnetFacts subnet) {
        boolean privateOnly = needs.privateIpOnly().orElse(settings.privateIpOnly());
        return new LaunchKey(
                offering.type(),
                offering.architecture(),
                needs.market(),
                subnet.id(),
                needs.volumeGib().orElse(settings.defaultVolumeGib()),
                !privateOnly && subnet.assignsPublicIp());
    }

    private static Pattern glob(String glob) {
        return Pattern.compile(Pattern.quote(glob).replace("*", "\\E.*\\Q"));
    }

    /** EC2 says {@code x86_64}, Kubernetes {@code amd64}; {@code arm64} is the same in both. */
    private static String kubernetesName(String architecture) {
        return architecture.equals("x86_64") ? "amd64" : architecture;
    }

    private static String wanted(PodNeeds needs) {
        String resources =
                BigDecimal.valueOf(needs.milliCpus(), 3).stripTrailingZeros().toPlainString() + " vCPUs, "
                        + (needs.memoryBytes() + MIB - 1) / MIB + " MiB";
        return needs.instanceType()
                        .map(type -> "instance type " + type + " with ")
                        .orElse("")
                + resources
                + (needs.gpus() > 0 ? ", " + needs.gpus() + " GPUs" : "")
                + needs.architecture().map(arch -> ", " + arch).orElse("");
    }

    private static String nothingFits(PodNeeds needs, Optional<String> fixed, Catalogue catalogue) {
        if (fixed.isPresent()) {
            return "instance type " + fixed.get() + " is not offered here"
                    + needs.architecture().map(arch -> " for " + arch).orElse("");
        }
        Optional<Offering> largest = catalogue.offerings().stream()
                .filter(Offering::currentGeneration)
                .max((a, b) -> Long.compare(a.memoryMib(), b.memoryMib()));
        return "no instance type has " + wanted(needs)
                + largest.map(offering -> "; the largest is " + offering.type() + " with " + offering.vcpus()
                                + " vCPUs, " + offering.memoryMib() + " MiB")
                        .orElse("; none is offered at all");
    }
}
