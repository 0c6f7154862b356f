package dev.kip.controller.launch;

import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * Something that could be launched: a type in a subnet, on a market.
 *
 * Looked at in thousands for each pod, and so made with what is asked of it each time.
 *
 * @param listUsd what it costs on demand; infinite if unknown
 * @param usableBytes memory that a pod can have
 * @param hourlyUsd infinite if the price is unknown; for spot without a spot price, what it costs on demand: it is never more
 */
public record Candidate(
        Offering offering,
        Market market,
        SubnetFacts subnet,
        double hourlyUsd,
        double listUsd,
        long usableBytes,
        boolean ordinaryZone) {

    private static final long MIB = 1L << 20;
    private static final Pattern ORDINARY_ZONE = Pattern.compile("[a-z]+(-[a-z]+)+-[0-9]+[a-z]");

    static Candidate of(Offering offering, Market market, SubnetFacts subnet, double hourlyUsd, double listUsd) {
        return new Candidate(
                offering, market, subnet, hourlyUsd, listUsd, CellMemory.usableMib(offering) * MIB, ordinary(subnet));
    }

    /** Neither a local zone nor a wavelength zone. */
    static boolean ordinary(SubnetFacts subnet) {
        return ORDINARY_ZONE.matcher(subnet.zone()).matches();
    }

    /** Cheapest first; of equal price by type, on demand before spot, then where most addresses are free. Total. */
    static final Comparator<Candidate> CHEAPEST = Comparator.comparingDouble(Candidate::hourlyUsd)
            .thenComparing(candidate -> candidate.offering().type())
            .thenComparing(Candidate::market)
            .thenComparing(
                    candidate -> candidate.subnet().freeAddresses(),
                    Comparator.<Integer>naturalOrder().reversed())
            .thenComparing(candidate -> candidate.subnet().id());

    boolean priced() {
        return hourlyUsd < Double.POSITIVE_INFINITY;
    }
}
