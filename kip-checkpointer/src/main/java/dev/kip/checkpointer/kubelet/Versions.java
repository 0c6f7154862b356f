package dev.kip.checkpointer.kubelet;

import com.google.common.collect.ImmutableRangeSet;
import com.google.common.collect.Range;
import java.util.Optional;
import java.util.stream.Collectors;

/** The releases of kubelet that a rule holds for. A minor release stands for its pre-releases too. */
public record Versions(ImmutableRangeSet<KubeletVersion> ranges) {

    public static Versions all() {
        return new Versions(ImmutableRangeSet.of(Range.all()));
    }

    public static Versions since(String first) {
        return new Versions(ImmutableRangeSet.of(Range.atLeast(KubeletVersion.firstOf(first))));
    }

    /** @param end the first release that it does not hold for */
    public static Versions until(String end) {
        return new Versions(ImmutableRangeSet.of(Range.lessThan(KubeletVersion.firstOf(end))));
    }

    /** @param end the first release that it does not hold for */
    public static Versions between(String first, String end) {
        return new Versions(
                ImmutableRangeSet.of(Range.closedOpen(KubeletVersion.firstOf(first), KubeletVersion.firstOf(end))));
    }

    /** These and those: for what was brought to older minor releases by a patch. */
    public Versions and(Versions other) {
        return new Versions(ImmutableRangeSet.unionOf(ranges.union(other.ranges).asRanges()));
    }

    /** These, but not those. */
    public Versions without(Versions other) {
        return new Versions(ranges.difference(other.ranges));
    }

    public boolean contain(KubeletVersion version) {
        return ranges.contains(version);
    }

    /** The first release that it holds for; empty if that is older than the oldest modelled. */
    public Optional<KubeletVersion> first() {
        return ranges.asRanges().stream()
                .findFirst()
                .filter(Range::hasLowerBound)
                .map(Range::lowerEndpoint);
    }

    /** {@code since 1.34}, {@code 1.12 to 1.17}, {@code to 1.17}, {@code all}. */
    @Override
    public String toString() {
        return ranges.asRanges().stream().map(Versions::text).collect(Collectors.joining(", "));
    }

    private static String text(Range<KubeletVersion> range) {
        if (!range.hasUpperBound()) {
            return range.hasLowerBound() ? "since " + range.lowerEndpoint().brief() : "all";
        }
        String last = "to " + range.upperEndpoint().lastBefore();
        return range.hasLowerBound() ? range.lowerEndpoint().brief() + " " + last : last;
    }
}
