package dev.kip.checkpointer.standing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever happens, in whatever order: what must hold after every look. A seed that failed once stays in the list. */
class JudgeLawsTest {

    private static final String[] PODS = {"apiserver", "scheduler", "manager"};

    static LongStream seeds() {
        String given = System.getProperty("kip.seed", "");
        return given.isBlank() ? LongStream.range(0, 200) : LongStream.of(Long.parseLong(given));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void the_laws_hold(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        PlayedNode node = PlayedNode.withGrace(60);
        boolean api = false;
        boolean evidence = true;
        boolean runtime = true;
        boolean[] runs = new boolean[PODS.length];
        boolean[] listed = new boolean[PODS.length];
        for (String pod : PODS) {
            node.stored(pod);
        }
        node.apiAsking().look();
        for (int step = 0; step < 60; step++) {
            int pod = random.nextInt(PODS.length);
            switch (random.nextInt(8)) {
                case 0 -> api = !api;
                case 1 -> evidence = random.nextInt(4) > 0;
                case 2 -> runtime = random.nextInt(4) > 0;
                case 3, 4 -> runs[pod] = !runs[pod];
                case 5 -> listed[pod] = !listed[pod];
                case 6 -> node.restart();
                default -> node.lookFor(random.nextInt(24) * 5);
            }
            node.evidence(evidence).runtime(runtime);
            for (int i = 0; i < PODS.length; i++) {
                if (runs[i]) {
                    node.running(PODS[i]);
                } else {
                    node.stopped(PODS[i]);
                }
                if (listed[i]) {
                    node.parent(PODS[i]);
                } else {
                    node.noParent(PODS[i]);
                }
            }
            if (api) {
                node.apiUp();
            } else {
                node.apiDown();
            }
            boolean[] before = new boolean[PODS.length];
            boolean[] active = new boolean[PODS.length];
            for (int i = 0; i < PODS.length; i++) {
                before[i] = node.isStored(PODS[i]);
                active[i] = node.isActive(PODS[i]);
            }
            node.look();
            for (int i = 0; i < PODS.length; i++) {
                String why = "seed " + seed + ", step " + step + ", " + PODS[i];
                boolean gone = before[i] && !node.isStored(PODS[i]);
                if (gone) {
                    assertThat(api && evidence && runtime && !listed[i])
                            .as("%s: removed only if all is known, and it is not listed", why)
                            .isTrue();
                }
                if (runtime && runs[i]) {
                    assertThat(node.isActive(PODS[i]))
                            .as("%s: no second copy beside a pod that runs", why)
                            .isFalse();
                }
                if (!runtime && node.isStored(PODS[i])) {
                    assertThat(node.isActive(PODS[i]))
                            .as("%s: nothing is started or stopped while the runtime is silent", why)
                            .isEqualTo(active[i]);
                }
            }
        }
        // In the end the API server is lost and nothing runs: all that is still stored must run.
        node.runtime(true).apiDown();
        for (String pod : PODS) {
            node.stopped(pod);
        }
        node.lookFor(15);
        for (String pod : PODS) {
            assertThat(Optional.of(pod)
                            .filter(node::isStored)
                            .map(node::isActive)
                            .orElse(true))
                    .as("seed %d: %s runs in the end", seed, pod)
                    .isTrue();
        }
    }
}
