package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hashing;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.loop.Loop;
import dev.kip.sim.aws.Xml;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What spot instances cost: in each pool a fixed share of the list price, between a quarter and three fifths, until somebody
 * says otherwise. Only what holds now is told: no past.
 */
public final class SpotPrices {

    private static final int MOST = 1000;
    private static final int DECIMALS = 6;
    private static final ImmutableList<String> LINUX = ImmutableList.of("Linux/UNIX", "Linux/UNIX (Amazon VPC)");

    private final TreeMap<String, Pool> pools = new TreeMap<>();
    private final Loop loop;

    SpotPrices(Loop loop, Types types, Network network) {
        this.loop = loop;
        Instant since = loop.now();
        for (Offering type : types.all()) {
            for (String zone : network.zones()) {
                type.hourlyUsd()
                        .ifPresent(usd -> add(new Pool(type.type(), zone, usd * share(type.type(), zone), since)));
            }
        }
    }

    private record Pool(String type, String zone, double hourlyUsd, Instant since) {
        String key() {
            return type + " " + zone;
        }
    }

    private void add(Pool pool) {
        pools.put(pool.key(), pool);
    }

    private static double share(String type, String zone) {
        int drawn = Hashing.sha256()
                        .hashString(type + " " + zone, StandardCharsets.UTF_8)
                        .asInt()
                & 0xff;
        return 0.25 + 0.35 * drawn / 255;
    }

    /** From now on the pool costs this much an hour. */
    public void put(String type, String zone, double hourlyUsd) {
        add(new Pool(type, zone, hourlyUsd, loop.now()));
    }

    void describe(Params params, Xml xml) {
        ImmutableList<String> types = params.list("InstanceType");
        Optional<String> zone = params.optional("AvailabilityZone");
        ImmutableList<String> products = params.list("ProductDescription");
        boolean linux = products.isEmpty() || products.stream().anyMatch(LINUX::contains);
        ImmutableList<Pool> chosen = pools.values().stream()
                .filter(pool -> linux
                        && (types.isEmpty() || types.contains(pool.type))
                        && (zone.isEmpty() || zone.get().equals(pool.zone)))
                .collect(ImmutableList.toImmutableList());
        Pages.Page<Pool> page = Pages.of(params, chosen, Pool::key, 1, MOST, MOST);
        xml.items(
                "spotPriceHistorySet",
                page.items(),
                (item, pool) -> item.put("instanceType", pool.type)
                        .put("productDescription", LINUX.get(0))
                        .put(
                                "spotPrice",
                                BigDecimal.valueOf(pool.hourlyUsd)
                                        .setScale(DECIMALS, RoundingMode.HALF_UP)
                                        .toPlainString())
                        .put("timestamp", pool.since.toString())
                        .put("availabilityZone", pool.zone));
        xml.put("nextToken", page.nextToken());
    }
}
