package dev.kip.sim.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.planted.FaultTrials;
import dev.kip.sim.planted.FaultTrials.FaultTrial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each kind of fault hits, matters, and leaves a world in which everything is well again. */
class FaultsTest {

    private static final FaultTrials TRIALS = new FaultTrials(1);
    private static final Path PAGE = Path.of("../docs/reference/faults.md");

    static ImmutableList<String> words() {
        return FaultCatalogue.words();
    }

    @ParameterizedTest
    @MethodSource("words")
    void a_fault_hits_and_matters_and_is_overcome(String word) {
        FaultTrial trial = TRIALS.of(FaultCatalogue.find(word).orElseThrow());
        assertThat(trial.problem()).as(word).isEmpty();
    }

    @Test
    void no_two_kinds_have_one_word() {
        assertThat(words()).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(78);
    }

    @Test
    void the_reference_says_what_there_is() throws IOException {
        assertThat(Files.readString(PAGE))
                .as("write it anew: ./kip sim faults --page > docs/reference/faults.md")
                .isEqualTo(FaultCatalogue.page());
    }
}
