package dev.kip.sim.wall;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.scenario.Library;
import org.junit.jupiter.api.Test;

/** What of a story a world in wall time carries. */
class CarriageTest {

    @Test
    void what_is_not_carried_is_named_with_its_reason_and_left_out() throws Exception {
        Carriage.Told told = Carriage.of(StoryFile.read("mine.yaml", """
                scenario: a story
                given: {knobs: {order: drawn}}
                steps:
                  - apply: {pod: one}
                  - hold: {controller: kip-0, for: 1m}
                  - cut: {from: kip-*, to: cell/*}
                  - noRoom: {type: t3.nano}
                  - delete: {pod: one, cluster: b}
                  - until: {messages: none}
                faults:
                  - {call: RunInstances, do: suspend}
                  - {call: RunInstances, do: lose-reply}
                expect:
                  - cells: none
                  - calls: {to: cell/*, atMost: 0}
                """));

        assertThat(told.lacking())
                .extracting(Carriage.Lack::toString)
                .containsExactly(
                        "given, knobs: latencies and orders are the machine's",
                        "step 2, hold: watches are not delayed",
                        "step 4, noRoom for some types: the emulated EC2 has no such limits",
                        "step 5, delete: there is one cluster",
                        "step 6, messages: no queue of EC2's events is there",
                        "fault 1, suspend: processes share this machine's clock",
                        "expect 2, expected calls to cells: requests to cells are encrypted, and are not looked into");
        assertThat(told.possible()).isTrue();
        assertThat(told.story().items("steps")).hasSize(2);
        assertThat(told.story().items("faults")).hasSize(1);
        assertThat(told.story().items("expect")).hasSize(1);
        assertThat(told.story().scenario().given().knobs().equals(dev.kip.sim.scenario.Knobs.USUAL))
                .isTrue();
    }

    @Test
    void a_story_about_machines_or_two_clusters_is_not_told_at_all() throws Exception {
        assertThat(Carriage.of(StoryFile.find("power-twice")).possible()).isFalse();
        assertThat(Carriage.of(StoryFile.read("two.yaml", """
                                scenario: two
                                given: {clusters: 2}
                                steps: [{wait: 1s}]
                                """)).possible()).isFalse();
    }

    @Test
    void at_least_thirty_of_those_that_ship_are_carried_whole() throws Exception {
        ImmutableList.Builder<String> whole = ImmutableList.builder();
        for (String name : Library.names()) {
            if (Carriage.of(StoryFile.find(name)).whole()) {
                whole.add(name);
            }
        }

        assertThat(whole.build())
                .hasSizeGreaterThanOrEqualTo(30)
                .contains("pod-to-gone", "first-start", "cut-off-from-the-cloud");
    }

    @Test
    void every_story_can_be_read_again_without_what_was_left_out() throws Exception {
        for (String name : Library.names()) {
            Carriage.Told told = Carriage.of(StoryFile.find(name));
            if (told.possible()) {
                assertThat(told.story().scenario().steps()).as(name).isNotEmpty();
            }
        }
    }

    @Test
    void long_waits_are_shorter_and_short_ones_as_they_are() throws Exception {
        StoryFile paced = new Pace(60).applied(StoryFile.read("waits.yaml", """
                scenario: waits
                steps:
                  - wait: 500ms
                  - wait: 20s
                  - wait: 10m
                  - wait: 4h
                """));

        assertThat(paced.scenario().steps())
                .extracting(step -> step.within().toMillis())
                .containsExactly(500L, 20_000L, 20_000L, 240_000L);
    }
}
