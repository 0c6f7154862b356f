package dev.kip.controller.launch;

import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import java.util.Comparator;

/**
 * Something that could be launched: a type in a subnet, on a market.
 *
 * @param hourlyUsd infinite if the price is unknown; for spot without a spot price, what it costs on demand: it is never more
 */
public record Candidate(Offering offering, Market market, SubnetFacts subnet, double hourlyUsd) {

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
