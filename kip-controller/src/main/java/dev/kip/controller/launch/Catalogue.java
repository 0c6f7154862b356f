package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Multimaps;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What can be launched, and where.
 *
 * @param candidates each type on each market in each subnet of a zone that has it, cheapest first
 * @param byMarket the same, market by market
 * @param images the newest for each architecture
 */
public record Catalogue(
        ImmutableList<Offering> offerings,
        ImmutableMap<String, ImageFacts> images,
        ImmutableList<SubnetFacts> subnets,
        ImmutableList<String> securityGroups,
        ImmutableList<Candidate> candidates,
        ImmutableListMultimap<Market, Candidate> byMarket) {

    /**
     * Where types are to be had, and for how much.
     *
     * @param zones by type; if empty, every type is taken to be in every zone
     * @param spotUsd an hour, where it is known
     */
    public record Places(ImmutableSetMultimap<String, String> zones, ImmutableMap<Pool, Double> spotUsd) {
        public static final Places UNKNOWN = new Places(ImmutableSetMultimap.of(), ImmutableMap.of());
    }

    /** A spot pool. */
    public record Pool(String type, String zone) {}

    public static Catalogue of(
            Iterable<Offering> offerings,
            Iterable<ImageFacts> images,
            Iterable<SubnetFacts> subnets,
            ImmutableList<String> securityGroups,
            Places places) {
        Map<String, ImageFacts> newest = new TreeMap<>();
        for (ImageFacts image : images) {
            newest.merge(
                    image.architecture(), image, (old, other) -> other.created().isAfter(old.created()) ? other : old);
        }
        Map<String, Offering> types = new LinkedHashMap<>();
        offerings.forEach(offering -> types.putIfAbsent(offering.type(), offering)); // pages may overlap
        List<Candidate> candidates = new ArrayList<>();
        for (Offering offering : types.values()) {
            for (SubnetFacts subnet : subnets) {
                if (places.zones().isEmpty() || places.zones().containsEntry(offering.type(), subnet.zone())) {
                    double onDemand = usable(offering.hourlyUsd());
                    @Nullable Double spot = places.spotUsd().get(new Pool(offering.type(), subnet.zone()));
                    double known = usable(Optional.ofNullable(spot));
                    candidates.add(Candidate.of(offering, Market.ON_DEMAND, subnet, onDemand, onDemand));
                    candidates.add(Candidate.of(
                            offering,
                            Market.SPOT,
                            subnet,
                            known < Double.POSITIVE_INFINITY ? known : onDemand,
                            onDemand));
                }
            }
        }
        ImmutableList<Candidate> sorted = ImmutableList.sortedCopyOf(Candidate.CHEAPEST, candidates);
        return new Catalogue(
                ImmutableList.copyOf(types.values()),
                ImmutableSortedMap.copyOf(newest),
                ImmutableList.copyOf(subnets),
                securityGroups,
                sorted,
                Multimaps.index(sorted, Candidate::market));
    }

    /** A price of nothing, or that is no number, is none: price lists have such rows (keikoproj/minion-manager#10). */
    private static double usable(Optional<Double> usd) {
        return usd.filter(amount -> amount > 0).orElse(Double.POSITIVE_INFINITY);
    }
}
