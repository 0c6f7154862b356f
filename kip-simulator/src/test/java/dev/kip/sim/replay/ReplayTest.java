package dev.kip.sim.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kip.sim.fuzz.Fuzz;
import dev.kip.sim.scenario.Library;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Outcomes.Problem;
import dev.kip.yaml.YamlProblem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplayTest {

    @TempDir
    Path folder;

    static java.util.List<String> names() {
        return Library.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void a_file_that_was_read_and_written_says_the_same(String name) throws Exception {
        StoryFile story = StoryFile.find(name);
        StoryFile again = StoryFile.read(name + ".yaml", story.text());

        assertThat(again.text()).isEqualTo(story.text());
        assertThat(words(again)).isEqualTo(words(story));
        assertThat(again.scenario().steps()).hasSameSizeAs(story.scenario().steps());
    }

    private static String words(StoryFile story) {
        return story.root().toString().replaceAll("line=\\d+|keyLines=\\{[^}]*\\}|plain=\\w+", "");
    }

    @Test
    void a_failure_is_kept_with_seed_and_bug_and_fails_bit_for_bit_when_it_is_told_again() throws Exception {
        Replay planted = new Replay(StoryFile.find("pod-to-gone"), 7, Optional.of("no-write-ahead"), Optional.empty());
        Outcomes outcomes = planted.tell(false);
        assertThat(outcomes.passed()).isFalse();

        Failures.Kept kept = new Failures(folder).keep(Replay.of(planted.story(), outcomes, planted.plant()));
        Replay read = Replay.read(kept.file().toString(), Files.readString(kept.file()));
        Outcomes again = read.tell(false);

        assertThat(kept.isNew()).isTrue();
        assertThat(read.seed()).isEqualTo(7);
        assertThat(again.hash()).isEqualTo(outcomes.hash());
        assertThat(read.reproducedBy(again)).isTrue();
        assertThat(read.reproducedBy(read.withoutPlant().tell(false))).isFalse();
    }

    @Test
    void one_way_of_failing_is_kept_once() throws Exception {
        Replay one = new Replay(
                StoryFile.find("pod-to-gone"),
                1,
                Optional.empty(),
                Optional.of(new Problem(
                        "step 3", "until pod default/w1 is Ready: not within 1000 ms; w1-abc9 is Pending")));
        Replay alike = new Replay(
                one.story(),
                2,
                Optional.empty(),
                Optional.of(
                        new Problem("step 9", "until pod default/w2 is Ready: not within 500 ms; w2-f0 is Pending")));
        Replay other = new Replay(one.story(), 3, Optional.empty(), Optional.of(new Problem("I1 one cell", "two")));

        Failures failures = new Failures(folder);

        assertThat(failures.keep(one).isNew()).isTrue();
        assertThat(failures.keep(alike).isNew()).isFalse();
        assertThat(failures.keep(other).isNew()).isTrue();
        assertThat(folder)
                .isDirectoryContaining(file -> file.getFileName().toString().startsWith("i1-one-cell-"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"seed: much", "plant: no-bug", "sed: 1"})
    void a_wrong_word_of_a_replay_is_an_error_with_its_line(String wrong) {
        String text = "scenario: a\nsteps:\n  - wait: 1s\nreplay:\n  " + wrong + "\n";
        assertThatThrownBy(() -> Replay.read("mine.yaml", text))
                .isInstanceOf(YamlProblem.class)
                .hasMessageStartingWith("mine.yaml:5: replay");
    }

    @Test
    void knobs_change_the_world_and_are_kept() throws Exception {
        Replay plain = Fuzz.replay("ownership", "3", Optional.empty());
        Replay slow = plain.with(plain.story()
                .withEntry(
                        "given",
                        "knobs",
                        Optional.of(StoryFile.map(
                                com.google.common.collect.ImmutableMap.of("order", StoryFile.word("drawn"))))));

        Replay read = Replay.read("a.yaml", slow.text());
        assertThat(read.text()).isEqualTo(slow.text());
        assertThat(read.tell(false).hash()).isEqualTo(slow.tell(false).hash());
        assertThat(slow.tell(false).hash())
                .isEqualTo(slow.tell(false).hash())
                .isNotEqualTo(plain.tell(false).hash());
    }
}
