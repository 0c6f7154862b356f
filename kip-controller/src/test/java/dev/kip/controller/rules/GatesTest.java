package dev.kip.controller.rules;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.kip.controller.config.Key;
import dev.kip.controller.config.ProviderKeys;
import dev.kip.controller.gc.Gate;
import dev.kip.controller.gc.Gates;
import org.junit.jupiter.api.Test;

/** Nothing in production can hand the controller other gates than all of them. */
@AnalyzeClasses(packages = "dev.kip", importOptions = ImportOption.DoNotIncludeTests.class)
class GatesTest {

    @ArchTest
    static final ArchRule nobody_makes_a_set_of_gates_but_the_standard_one = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(Gates.class.getName())
            .should()
            .callConstructor(Gates.class, ImmutableList.class);

    @ArchTest
    static final ArchRule every_gate_is_one_of_the_seven =
            classes().that().implement(Gate.class).should().resideInAPackage("dev.kip.controller.gc");

    @ArchTest
    static final ArchRule no_key_and_no_flag_leads_to_a_gate = noClasses()
            .that()
            .resideInAPackage("dev.kip.controller.config..")
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Gate.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Gates.class);

    @Test
    void the_standard_ones_are_seven_and_each_says_why() {
        assertThat(Gates.standard().all())
                .extracting(Gate::name)
                .containsExactly("G1", "G2", "G3", "G4", "G5", "G6", "G7");
        assertThat(Gates.standard().all())
                .allSatisfy(gate -> assertThat(gate.why()).endsWith("."));
    }

    @Test
    void no_key_names_a_gate() {
        assertThat(ProviderKeys.all())
                .extracting(Key::path)
                .filteredOn(path -> path.startsWith("gc."))
                .containsExactly(
                        "gc.enabled", "gc.dryRun", "gc.maxCount", "gc.maxPercent", "gc.window", "gc.quarantine");
    }
}
