package dev.kip.sim.planted;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import dev.kip.sim.invariants.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page of invariants says what there is, and which planted bug shows each. */
class InvariantsPageTest {

    private static final Path PAGE = Path.of("../docs/reference/invariants.md");

    @Test
    void the_reference_says_what_there_is() throws IOException {
        assertThat(Files.readString(PAGE))
                .as("write it anew: ./kip sim mutants --page > docs/reference/invariants.md")
                .isEqualTo(InvariantsPage.text());
    }

    @Test
    void there_are_as_many_as_were_promised() throws IOException {
        assertThat(InvariantsPage.all())
                .extracting(Rule::name)
                .doesNotHaveDuplicates()
                .hasSizeGreaterThanOrEqualTo(58);
    }

    /** Those that have none are named: a new one needs a bug. */
    @Test
    void an_invariant_has_a_planted_bug_that_it_catches() throws IOException {
        ImmutableSet<String> bare = InvariantsPage.all().stream()
                .filter(one -> InvariantsPage.bugs(one).isEmpty())
                .map(Rule::name)
                .collect(ImmutableSet.toImmutableSet());
        assertThat(bare)
                .containsExactlyInAnyOrder(
                        "I1 one cell per pod attempt",
                        "I6 one of two clones",
                        "I14 phases move forward",
                        "I30 only own pods",
                        "I31 epochs rise",
                        "I36 followers keep still",
                        "I43 the cloud is not hammered",
                        "I44 orphans are ended",
                        "I48 one live copy",
                        "I50 what is still there keeps its checkpoint",
                        "I51 deleted pods stay deleted");
    }
}
