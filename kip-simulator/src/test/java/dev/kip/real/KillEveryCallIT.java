package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.real.CallCounter.Call;
import dev.kip.real.CallCounter.Death;
import dev.kip.sim.scenario.Library;
import dev.kip.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The story pod-to-gone, with the controller killed (SIGKILL) at its k-th mutating request before, after or instead of its
 * being carried out, and started again: for every k, no pod runs twice or is lost, and nothing is left.
 *
 * <p>{@code -Dkip.kill=all} does every k with every death; {@code sample}, the default, the first call of each kind with
 * one of them in turn, events apart, which nothing depends on; {@code AFTER} every k with that one; {@code 7:AFTER} that
 * case alone.
 */
final class KillEveryCallIT {
    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    private static final ImmutableList<Death> DEATHS = ImmutableList.copyOf(Death.values());

    private static Stage stage;
    private static final KillTable TABLE =
            new KillTable(RealCluster.TREE.resolve("kip-simulator/target/kill-every-call.md"));

    @BeforeAll
    static void prepare() throws Exception {
        stage = new Stage(CLUSTER, line -> {});
    }

    @AfterAll
    static void end() throws Exception {
        stage.close();
    }

    @TestFactory
    Stream<DynamicTest> the_story_ends_well_whenever_the_controller_is_killed() throws Exception {
        Scenario story = Library.find("pod-to-gone");
        ImmutableList<Call> calls = stage.tell(story);
        List<DynamicTest> cases = new ArrayList<>();
        String selection = System.getProperty("kip.kill", "sample");
        for (int k = 1; k <= calls.size(); k++) {
            TABLE.call(k, calls.get(k - 1));
        }
        List<Integer> firsts = firstOfEachKind(calls);
        for (Death death : DEATHS) {
            for (int k = 1; k <= calls.size(); k++) {
                int place = firsts.indexOf(k);
                boolean sampled = place >= 0 && death == DEATHS.get(place % DEATHS.size());
                if (selected(selection, k, death, sampled)) {
                    cases.add(killedAt(k, death, calls.get(k - 1), story));
                }
            }
        }
        assertThat(cases).as("cases selected by kip.kill=" + selection).isNotEmpty();
        return cases.stream();
    }

    private static boolean selected(String selection, int k, Death death, boolean sampled) {
        return switch (selection) {
            case "all" -> true;
            case "sample" -> sampled;
            default -> selection.equals(death.name()) || selection.equals(k + ":" + death);
        };
    }

    /** Their numbers; calls that differ only in the object's name are of a kind. */
    private static List<Integer> firstOfEachKind(List<Call> calls) {
        Set<String> kinds = new TreeSet<>();
        List<Integer> firsts = new ArrayList<>();
        for (int k = 1; k <= calls.size(); k++) {
            String kind = calls.get(k - 1).toString().replaceAll("^(\\S+ \\S+ \\S+).*", "$1");
            if (!kind.endsWith("/events") && kinds.add(kind)) {
                firsts.add(k);
            }
        }
        return firsts;
    }

    private static DynamicTest killedAt(int k, Death death, Call call, Scenario story) {
        String name = "killed %s call %d, %s".formatted(death.name().toLowerCase(Locale.ROOT), k, call);
        return DynamicTest.dynamicTest(name, () -> {
            long began = System.nanoTime();
            try {
                if (stage.tellKilling(story, k, death)) {
                    TABLE.passed(k, death, System.nanoTime() - began);
                } else {
                    TABLE.notReached(k, death);
                }
            } catch (AssertionError | RuntimeException failure) {
                TABLE.failed(k, death);
                System.out.println("real-parts: " + failure.getMessage());
                throw failure;
            }
        });
    }
}
