package dev.kip.sim.choosing;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.cloud.aws.InstanceTypes;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.launch.Avoided;
import dev.kip.controller.launch.Catalogue;
import dev.kip.controller.launch.Catalogue.Places;
import dev.kip.controller.launch.Catalogue.Pool;
import dev.kip.controller.launch.LaunchKey;
import dev.kip.controller.launch.LaunchPlan;
import dev.kip.controller.launch.LaunchPlan.Choice;
import dev.kip.controller.launch.NeedsReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** All 100,000 cases: {@code -Dkip.choosing.cases=100000}; another draw: {@code -Dkip.choosing.seed=N}. */
class ChoosingTest {

    private static final int CASES = Integer.getInteger("kip.choosing.cases", 400);
    private static final long SEED = Long.getLong("kip.choosing.seed", 7);
    private static final int CASES_PER_MARKET = 200;
    private static final List<String> ZONES =
            List.of("us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d", "us-east-1-bos-1a");

    private final Random random = new Random(SEED);
    private final Map<String, Integer> outcomes = new TreeMap<>();

    @Test
    void the_choice_is_that_of_a_search_through_everything_that_is_offered() {
        List<String> names = InstanceTypes.table().types().keySet().asList();
        for (int done = 0; done < CASES; ) {
            List<Offering> types = types();
            List<SubnetFacts> subnets = subnets();
            Places places = places(types);
            Catalogue catalogue =
                    Catalogue.of(types, List.of(image("x86_64"), image("arm64")), subnets, ImmutableList.of(), places);
            boolean burstable = random.nextBoolean();
            LaunchPlan plan = new LaunchPlan(settings(burstable));
            EveryOffer oracle = new EveryOffer(types, subnets, places, burstable);
            for (int i = 0; i < CASES_PER_MARKET && done < CASES; i++, done++) {
                compare(plan, catalogue, oracle, DrawnPod.draw(random, names, ZONES), done);
            }
        }
        System.out.println("choosing: " + CASES + " cases of seed " + SEED + ": " + outcomes);
        assertThat(outcomes.keySet()).as("every outcome was drawn").contains("launch", "nothing fits", "next one");
    }

    /** And once more with what was found full, up to three times. */
    private void compare(LaunchPlan plan, Catalogue catalogue, EveryOffer oracle, DrawnPod pod, int number) {
        Avoided avoided = new Avoided();
        Set<String> full = new LinkedHashSet<>();
        var needs = NeedsReader.read(pod.json());
        int tries = random.nextInt(4) == 0 ? 3 : 1;
        for (int i = 0; i < tries; i++) {
            Choice choice = plan.choose(needs, catalogue, avoided, 0);
            String expected = oracle.cheapest(pod, full);
            assertThat(text(choice))
                    .as("case %d of seed %d: %s without %s", number, SEED, pod.json(), full)
                    .isEqualTo(expected);
            outcomes.merge(
                    choice instanceof Choice.Launch ? i == 0 ? "launch" : "next one" : expected, 1, Integer::sum);
            if (!(choice instanceof Choice.Launch launch)) {
                return;
            }
            avoided.avoid(launch.key(), 0, Duration.ofMinutes(3));
            full.add(expected);
        }
    }

    private static String text(Choice choice) {
        if (choice instanceof Choice.Launch launch) {
            LaunchKey key = launch.key();
            return key.instanceType() + " " + key.subnetId() + " " + key.market();
        }
        return choice instanceof Choice.NoRoom ? "no room" : "nothing fits";
    }

    /** All of the table, some without a price or with one of nothing. */
    private List<Offering> types() {
        List<Offering> types = new ArrayList<>();
        InstanceTypes.table().types().values().forEach(type -> {
            int drawn = random.nextInt(20);
            types.add(
                    drawn == 0
                            ? priced(type, Optional.empty())
                            : drawn == 1
                                    ? priced(type, Optional.of(0.0))
                                    : drawn == 2 ? priced(type, Optional.of(Double.NaN)) : type);
        });
        return types;
    }

    private static Offering priced(Offering type, Optional<Double> usd) {
        return new Offering(
                type.type(),
                type.architecture(),
                type.vcpus(),
                type.memoryMib(),
                type.gpus(),
                type.gpuName(),
                type.burstable(),
                type.bareMetal(),
                type.currentGeneration(),
                usd);
    }

    private List<SubnetFacts> subnets() {
        List<SubnetFacts> subnets = new ArrayList<>();
        for (String zone : ZONES) {
            int count = zone.endsWith("1b") ? 2 : 1;
            for (int i = 0; i < count; i++) {
                subnets.add(new SubnetFacts(
                        "subnet-" + zone + i, "vpc-1", "10.0.0.0/16", zone, 100 * random.nextInt(3), true));
            }
        }
        return subnets;
    }

    private Places places(List<Offering> types) {
        ImmutableSetMultimap.Builder<String, String> zones = ImmutableSetMultimap.builder();
        Map<Pool, Double> spot = new LinkedHashMap<>();
        for (Offering type : types) {
            for (String zone : ZONES) {
                if (type.type().equals("t3.nano") || random.nextInt(10) > 0) {
                    zones.put(type.type(), zone);
                }
                double share = random.nextInt(10) == 0 ? 1.1 : 0.3 + random.nextInt(5) / 10.0;
                int drawn = random.nextInt(10);
                if (drawn > 1) {
                    spot.put(
                            new Pool(type.type(), zone),
                            share * type.hourlyUsd().orElse(1.0));
                } else if (drawn == 1) {
                    spot.put(new Pool(type.type(), zone), 0.0);
                }
            }
        }
        return new Places(zones.build(), ImmutableMap.copyOf(spot));
    }

    private static ImageFacts image(String architecture) {
        return new ImageFacts("ami-" + architecture, "kip", architecture, Instant.EPOCH, Optional.empty(), 2);
    }

    private static LaunchSettings settings(boolean burstable) {
        return new LaunchSettings(
                "us-east-1",
                Optional.empty(),
                Optional.empty(),
                ImmutableMap.of(),
                "t3.nano",
                burstable,
                5,
                false,
                ImmutableList.of(),
                ImmutableList.of(),
                Optional.empty(),
                Optional.empty());
    }
}
