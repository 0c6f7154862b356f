package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

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

    /** The choice for a pod whose like need not be spread. */
    public Choice choose(PodNeeds needs, Catalogue catalogue, Avoided avoided, long now) {
        return choose(needs, catalogue, avoided, now, Zones.ANY);
    }

    /** Which zones a pod may be in, of those that it could be in. */
    interface Zones {
        Zones ANY = (domains, wishes) -> domains;

        /** @param wishes whether what is only wished counts, too */
        ImmutableSet<String> allowed(ImmutableSet<String> domains, boolean wishes);
    }

    Choice choose(PodNeeds needs, Catalogue catalogue, Avoided avoided, long now, Zones zones) {
        if (needs.problem().isPresent()) {
            return new Choice.NothingFits(needs.problem().get());
        }
        Screen screen = new Screen(needs, catalogue, settings);
        boolean spread = !needs.spread().constraints().isEmpty();
        ImmutableList.Builder<Candidate> fitting = ImmutableList.builder();
        boolean fits = false;
        boolean unselected = false;
        Optional<String> quota = Optional.empty();
        for (Candidate candidate : screen.candidates()) {
            Optional<Exclusion> exclusion = screen.excludes(candidate);
            if (exclusion.isEmpty()) {
                fits = true;
                if (spread) {
                    fitting.add(candidate);
                } else if (hasRoom(candidate, avoided, now)) {
                    return new Choice.Launch(key(needs, candidate));
                }
                quota = quota.or(() -> avoided.quotaReached(candidate.offering().type(), candidate.market(), now));
            }
            unselected |= exclusion.filter(Exclusion.SELECTION::equals).isPresent();
        }
        if (spread && fits) {
            Choice choice = spread(needs, fitting.build(), avoided, now, zones);
            return choice instanceof Choice.NoRoom && quota.isPresent() ? quotaReached(needs, quota.get()) : choice;
        }
        if (quota.isPresent()) {
            return quotaReached(needs, quota.get());
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

    private static Choice quotaReached(PodNeeds needs, String quota) {
        return new Choice.NoRoom(new Problem(
                "VcpuQuotaReached",
                "the account's quota \"" + quota + "\" is used up, and nothing else that has " + wanted(needs)
                        + " is to be had; it is asked again in some minutes. Have it raised in Service Quotas"));
    }

    /** The cheapest of a zone that is as wished; else the cheapest of a zone that is allowed. */
    private Choice spread(PodNeeds needs, ImmutableList<Candidate> fitting, Avoided avoided, long now, Zones zones) {
        ImmutableSet<String> domains =
                fitting.stream().map(candidate -> candidate.subnet().zone()).collect(ImmutableSet.toImmutableSet());
        for (boolean wishes : new boolean[] {true, false}) {
            ImmutableSet<String> allowed = zones.allowed(domains, wishes);
            for (Candidate candidate : fitting) {
                if (allowed.contains(candidate.subnet().zone()) && hasRoom(candidate, avoided, now)) {
                    return new Choice.Launch(key(needs, candidate));
                }
            }
        }
        return new Choice.NoRoom(new Problem(
                "InsufficientCapacity",
                "the cloud has no room for " + wanted(needs) + " now in "
                        + String.join(", ", zones.allowed(domains, false))
                        + ", where the pod's like are to be spread to: "
                        + needs.spread().text()));
    }

    private static boolean hasRoom(Candidate candidate, Avoided avoided, long now) {
        return !avoided.avoids(candidate.offering().type(), candidate.subnet().id(), candidate.market(), now);
    }

    /** Everything judged, for people who ask why: {@link #choose} takes the first that fits and has room. */
    public Ranking rank(PodNeeds needs, Catalogue catalogue) {
        Screen screen = new Screen(needs, catalogue, settings);
        ImmutableList.Builder<Candidate> fitting = ImmutableList.builder();
        Map<String, Exclusion> best = new TreeMap<>();
        Set<String> fit = new LinkedHashSet<>();
        List<Ranking.Place> rest = new ArrayList<>();
        for (Candidate candidate : catalogue.candidates()) {
            Optional<Exclusion> exclusion = screen.excludes(candidate);
            String type = candidate.offering().type();
            if (exclusion.isEmpty()) {
                fitting.add(candidate);
                fit.add(type);
            } else {
                best.merge(type, exclusion.get(), (one, other) -> one.compareTo(other) > 0 ? one : other);
                rest.add(new Ranking.Place(
                        type, candidate.market(), candidate.subnet().zone(), exclusion.get()));
            }
        }
        ImmutableListMultimap.Builder<Exclusion, String> leftOut = ImmutableListMultimap.builder();
        best.forEach((type, exclusion) -> {
            if (!fit.contains(type)) {
                leftOut.put(exclusion, type);
            }
        });
        return new Ranking(
                fitting.build(),
                leftOut.orderKeysBy(Comparator.naturalOrder()).build(),
                Stream.concat(
                                rest.stream().filter(place -> fit.contains(place.type())),
                                fit.stream().flatMap(type -> nowhere(type, catalogue)))
                        .distinct()
                        .collect(ImmutableList.toImmutableList()));
    }

    /** Zones of ours that do not have the type. */
    private static Stream<Ranking.Place> nowhere(String type, Catalogue catalogue) {
        ImmutableSet<String> has = catalogue.candidates().stream()
                .filter(candidate -> candidate.offering().type().equals(type))
                .map(candidate -> candidate.subnet().zone())
                .collect(ImmutableSet.toImmutableSet());
        return catalogue.subnets().stream()
                .map(SubnetFacts::zone)
                .distinct()
                .filter(zone -> !has.contains(zone))
                .flatMap(zone -> Arrays.stream(Market.values())
                        .map(market -> new Ranking.Place(type, market, zone, Exclusion.NOT_IN_ZONE)));
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
