package dev.kip.sim.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kip.sim.scenario.Library;
import dev.kip.yaml.YamlProblem;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class StoryTest {

    private static final Story STORY = Story.of("a pod comes: quickly")
            .because("issue 6")
            .given("controllers", 2)
            .step("until", "{controller: kip-*, is: leading, within: 60s}")
            .step("apply", "{pod: one}")
            .step("until", "{pod: one, is: Ready}")
            .step("wait", "5s")
            .expect("cells", 1)
            .fault("{to: ec2, call: RunInstances, do: lose-reply}");

    @Test
    void a_story_in_java_is_the_story_of_its_file() throws Exception {
        Replay file = Replay.read("story.yaml", STORY.file().text());

        assertThat(STORY.tell(3).problems()).isEmpty();
        assertThat(file.tell(false).hash()).isNotEmpty();
        assertThat(STORY.tell(1).hash()).isEqualTo(file.tell(false).hash());
    }

    @Test
    void a_wrong_word_is_named_with_its_line_and_a_remedy() {
        assertThatThrownBy(() -> STORY.step("kil", "{controller: kip-0}").tell(1))
                .isInstanceOf(YamlProblem.class)
                .hasMessageContaining("story.yaml:10: ")
                .hasMessageContaining("Did you mean \"kill\"?");
    }

    @Test
    void every_group_has_scenarios_and_there_are_more_than_sixty() {
        TreeMap<String, Long> groups = Library.names().stream()
                .collect(Collectors.groupingBy(Library::group, TreeMap::new, Collectors.counting()));

        assertThat(groups.keySet()).containsExactlyInAnyOrderElementsOf(Library.groups());
        assertThat(groups.values()).allMatch(count -> count >= 3);
        assertThat(Library.names()).hasSizeGreaterThan(60).doesNotHaveDuplicates();
    }
}
