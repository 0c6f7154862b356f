package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

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
        Screen screen = new Screen(needs, catalogue, settings);
        boolean fits = false;
        boolean unselected = false;
        Optional<String> quota = Optional.empty();
        for (Candidate candidate : catalogue.candidates()) {
            Optional<Exclusion> exclusion = screen.excludes(candidate);
            if (exclusion.isEmpty()) {
                fits = true;
                if (!avoided.avoids(
                        candidate.offering().type(), candidate.subnet().id(), candidate.market(), now)) {
                    return new Choice.Launch(key(needs, candidate));
                }
                quota = quota.or(() -> avoided.quotaReached(candidate.offering().type(), candidate.market(), now));
            }
            unselected |= exclusion.filter(Exclusion.SELECTION::equals).isPresent();
        }
        if (quota.isPresent()) {
            return new Choice.NoRoom(new Problem(
                    "VcpuQuotaReached",
                    "the account's quota \"" + quota.get() + "\" is used up, and nothing else that has " + wanted(needs)
                            + " is to be had; it is asked again in some minutes. Have it raised in Service Quotas"));
        }
        if (fits) {
            return new Choice.NoRoom(new Problem(
                    "InsufficientCapacity",
                    "the cloud has no room for " + wanted(needs) + " now; it is asked again in some minutes"));
        }
        return new Choice.NothingFits(
                catalogue.subnets().isEmpty()
                        ? new Problem("NoSubnet", "no subnet to launch in")
                        : new Problem(
                                "NoFittingInstanceType",
                                unselected
                                        ? "nothing with " + wanted(needs)
                                                + " is what node selector and affinity ask for: "
                                                + needs.selection().text()
                                        : nothingFits(needs, screen.fixed(), catalogue)));
    }

    /** Everything judged, for people who ask why: {@link #choose} takes the first that fits and has room. */
    public Ranking rank(PodNeeds needs, Catalogue catalogue) {
        Screen screen = new Screen(needs, catalogue, settings);
        ImmutableList.Builder<Candidate> fitting = ImmutableList.builder();
        Map<String, Exclusion> best = new TreeMap<>();
        Set<String> fit = new TreeSet<>();
        for (Candidate candidate : catalogue.candidates()) {
            Optional<Exclusion> exclusion = screen.excludes(candidate);
            String type = candidate.offering().type();
            if (exclusion.isEmpty()) {
                fitting.add(candidate);
                fit.add(type);
            } else {
                best.merge(type, exclusion.get(), (one, other) -> one.compareTo(other) > 0 ? one : other);
            }
        }
        Map<Exclusion, ImmutableList.Builder<String>> leftOut = new TreeMap<>();
        best.forEach((type, exclusion) -> {
            if (!fit.contains(type)) {
                leftOut.computeIfAbsent(exclusion, any -> ImmutableList.builder())
                        .add(type);
            }
        });
        ImmutableMap.Builder<Exclusion, ImmutableList<String>> groups = ImmutableMap.builder();
        leftOut.forEach((exclusion, types) -> groups.put(exclusion, types.build()));
        return new Ranking(fitting.build(), groups.buildOrThrow());
    }

    /** The zones in which what the key names could be launched for the pod. */
    ImmutableSet<String> zones(PodNeeds needs, Catalogue catalogue, LaunchKey key) {
        Screen screen = new Screen(needs, catalogue, settings);
        return catalogue.candidates().stream()
                .filter(candidate -> candidate.offering().type().equals(key.instanceType())
                        && candidate.market() == key.market()
                        && screen.excludes(candidate).isEmpty())
                .map(candidate -> candidate.subnet().zone())
                .collect(ImmutableSet.toImmutableSet());
    }

    private LaunchKey key(PodNeeds needs, Candidate candidate) {
        SubnetFacts subnet = candidate.subnet();
        boolean privateOnly = needs.privateIpOnly().orElse(settings.privateIpOnly());
        return new LaunchKey(
                candidate.offering().type(),
                candidate.offering().architecture(),
                candidate.market(),
                subnet.id(),
                needs.volumeGib().orElse(settings.defaultVolumeGib()),
                !privateOnly && subnet.assignsPublicIp());
    }

    private static String wanted(PodNeeds needs) {
        String resources =
                BigDecimal.valueOf(needs.milliCpus(), 3).stripTrailingZeros().toPlainString() + " vCPUs, "
                        + (needs.memoryBytes() + MIB - 1) / MIB + " MiB";
        return needs.instanceType()
                        .map(type -> "instance type " + type + " with ")
                        .orElse("")
                + resources
                + (needs.gpus() > 0
                        ? ", " + needs.gpus() + " GPUs"
                                + needs.gpuKind()
                                        .map(kind -> " of kind " + kind)
                                        .orElse("")
                        : "");
    }

    private static String nothingFits(PodNeeds needs, Optional<String> fixed, Catalogue catalogue) {
        if (fixed.isPresent()) {
            return "instance type " + fixed.get() + " is not offered here";
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
