package dev.kip.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class YamlReaderTest {

    @Test
    void every_node_and_key_knows_its_line() throws YamlProblem {
        Yaml.Mapping root = (Yaml.Mapping) YamlReader.read("f.yaml", "a: 1\nb:\n  - x\n  - c: \"2\"\n");

        assertThat(root.keyLines()).containsEntry("a", 1).containsEntry("b", 2);
        Yaml.Sequence list = (Yaml.Sequence) root.entries().get("b");
        assertThat(list.items().get(1).line()).isEqualTo(4);
        assertThat(list.items().get(0)).isEqualTo(new Yaml.Scalar(3, "x", true));
    }

    @Test
    void what_is_no_yaml_is_named_with_its_line() {
        assertThatThrownBy(() -> YamlReader.read("f.yaml", "a: 1\nb: [1,\n"))
                .hasMessageStartingWith("f.yaml:3: not YAML");
        assertThatThrownBy(() -> YamlReader.read("f.yaml", "a: 1\na: 2\n"))
                .hasMessage("f.yaml:2: \"a\" is given twice, first in line 1: keep one");
        assertThatThrownBy(() -> YamlReader.read("f.yaml", "a: 1\n---\nb: 2\n"))
                .hasMessageContaining("f.yaml:3: one document");
    }

    @Test
    void all_duplicate_keys_can_be_had_at_once() throws YamlProblem {
        List<YamlProblem> duplicates = new ArrayList<>();
        Yaml.Mapping root = (Yaml.Mapping) YamlReader.read("f.yaml", "a: 1\na: 2\nb: {c: 1, c: 2}\n", duplicates);

        assertThat(duplicates).extracting(YamlProblem::line).containsExactly(2, 3);
        assertThat(root.entries()).containsEntry("a", new Yaml.Scalar(1, "1", true));
    }

    @Test
    void a_node_that_contains_itself_is_refused() {
        assertThatThrownBy(() -> YamlReader.read("f.yaml", "a: &x\n  - *x\n"))
                .hasMessageMatching("f.yaml:\\d: an alias to a node that contains it");
    }

    @Test
    void a_misspelt_word_finds_the_one_that_was_meant() {
        ImmutableList<String> known = ImmutableList.of("defaultInstanceType", "defaultVolumeSize", "nametag");
        assertThat(Suggestion.nearest("defaultInstancetype", known)).contains("defaultInstanceType");
        assertThat(Suggestion.nearest("nmetag", known)).contains("nametag");
        assertThat(Suggestion.nearest("zebra", known)).isEmpty();
    }

    @Test
    void what_is_nested_without_end_is_refused_not_crashed_on() {
        assertThatThrownBy(() -> YamlReader.read("f.yaml", "[".repeat(100_000)))
                .isInstanceOf(YamlProblem.class)
                .hasMessageContaining("f.yaml:1");
    }
}
