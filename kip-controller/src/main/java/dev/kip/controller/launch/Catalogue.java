package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * What can be launched, and where.
 *
 * @param offerings cheapest first, those without a price last
 * @param images the newest for each architecture
 * @param subnets those with the most free addresses first
 */
public record Catalogue(
        ImmutableList<Offering> offerings,
        ImmutableMap<String, ImageFacts> images,
        ImmutableList<SubnetFacts> subnets,
        ImmutableList<String> securityGroups) {

    private static final Comparator<Offering> CHEAPEST = Comparator.comparingDouble(
                    (Offering offering) -> offering.hourlyUsd().orElse(Double.POSITIVE_INFINITY))
            .thenComparing(Offering::type);

    private static final Comparator<SubnetFacts> ROOMIEST =
            Comparator.comparingInt(SubnetFacts::freeAddresses).reversed().thenComparing(SubnetFacts::id);

    public static Catalogue of(
            Iterable<Offering> offerings,
            Iterable<ImageFacts> images,
            Iterable<SubnetFacts> subnets,
            ImmutableList<String> securityGroups) {
        Map<String, ImageFacts> newest = new TreeMap<>();
        for (ImageFacts image : images) {
            newest.merge(
                    image.architecture(), image, (old, other) -> other.created().isAfter(old.created()) ? other : old);
        }
        return new Catalogue(
                ImmutableList.sortedCopyOf(CHEAPEST, offerings),
                ImmutableSortedMap.copyOf(newest),
                ImmutableList.sortedCopyOf(ROOMIEST, subnets),
                securityGroups);
    }
}
