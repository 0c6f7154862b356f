package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.Maps;
import dev.kip.cloud.CloudApi.SpotPrice;
import dev.kip.cloud.CloudError;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.launch.Catalogue.Places;
import dev.kip.controller.launch.Catalogue.Pool;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps which zones have which types (asked anew each hour) and what spot instances cost (every ten minutes: EC2 changes
 * prices slowly). Neither is needed to launch: what cannot be asked is taken to be as it was, at first as unknown. Confined
 * to the loop.
 */
final class MarketWatch {

    private static final Logger LOG = LoggerFactory.getLogger(MarketWatch.class);
    private static final Duration SPOT_AGAIN = Duration.ofMinutes(10);

    private final CloudEffects cloud;
    private final Calls calls;
    private final Runnable changed;
    private boolean started;
    private Optional<ImmutableSetMultimap<String, String>> zones = Optional.empty();
    private Optional<ImmutableMap<Pool, Double>> spotUsd = Optional.empty();

    /** @param changed told when something new is known, or when it is clear that it will not be for now */
    MarketWatch(CloudEffects cloud, Calls calls, Runnable changed) {
        this.cloud = cloud;
        this.calls = calls;
        this.changed = changed;
    }

    /** What is known; empty until both have been asked for. */
    Optional<Places> places() {
        return zones.flatMap(there -> spotUsd.map(prices -> new Places(there, prices)));
    }

    /** Asks for the zones. The first time also for the prices, which from then on are asked for by themselves. */
    void start() {
        readZones();
        if (!started) {
            started = true;
            readSpot();
        }
    }

    private void readZones() {
        cloud.zones(
                all -> {
                    ImmutableSetMultimap.Builder<String, String> there = ImmutableSetMultimap.builder();
                    all.forEach(place -> there.put(place.type(), place.zone()));
                    zones = Optional.of(there.build());
                    changed.run();
                },
                error -> {
                    note("zones of the instance types", error);
                    zones = Optional.of(zones.orElse(ImmutableSetMultimap.of()));
                    changed.run();
                });
    }

    private void readSpot() {
        cloud.spotPrices(all -> know(newest(all)), error -> {
            note("spot prices", error);
            know(spotUsd.orElse(ImmutableMap.of()));
        });
        calls.after(SPOT_AGAIN, "spot prices", this::readSpot);
    }

    /** An answer may tell of what a pool cost before, too. */
    private static ImmutableMap<Pool, Double> newest(ImmutableList<SpotPrice> all) {
        Map<Pool, SpotPrice> newest = new LinkedHashMap<>();
        for (SpotPrice price : all) {
            newest.merge(
                    new Pool(price.type(), price.zone()),
                    price,
                    (one, other) -> other.since().isAfter(one.since()) ? other : one);
        }
        return ImmutableMap.copyOf(Maps.transformValues(newest, SpotPrice::hourlyUsd));
    }

    private void know(ImmutableMap<Pool, Double> prices) {
        if (!spotUsd.equals(Optional.of(prices))) {
            spotUsd = Optional.of(prices);
            changed.run();
        }
    }

    private static void note(String what, CloudError error) {
        LOG.warn("the {} are not known anew: {}", what, error.message());
    }
}
