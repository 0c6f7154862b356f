package dev.kip.sim.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.kip.sim.rules.Ban.Call;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A run must be the same as its repetition: no bytecode of ours may ask the machine for threads, time, chance or order. */
class NondeterminismTest {

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.kip");

    private static final String CANARY = NondeterminismCanary.class.getName();

    @Test
    void nothing_outside_the_seams_of_a_real_process_makes_a_run_differ_from_its_repetition() {
        ImmutableList<String> found = found(MAIN)
                .filter(use -> Allowed.ALL.stream().noneMatch(allowed -> allowed.covers(use.in(), use.ban())))
                .map(use -> use.ban() + ": " + use.text())
                .sorted()
                .collect(ImmutableList.toImmutableList());

        assertThat(found)
                .as("forbidden calls. Go through a seam (Loop, Offload, Entropy), use an ordered collection, name the"
                        + " locale; or, in code of a real process only, add a line with a reason to Allowed")
                .isEmpty();
    }

    @Test
    void every_allowance_is_needed() {
        ImmutableSet<Use> uses = found(MAIN).collect(ImmutableSet.toImmutableSet());

        for (Allowed allowed : Allowed.ALL) {
            for (Ban ban : allowed.bans()) {
                assertThat(uses)
                        .as(
                                "%s is allowed %s because it %s, but makes no use of it",
                                allowed.where(), ban, allowed.why())
                        .anyMatch(use -> use.ban() == ban && allowed.covers(use.in(), ban));
            }
        }
    }

    @Test
    void each_kind_of_ban_catches_its_canary() {
        JavaClasses canary = new ClassFileImporter().importClasses(NondeterminismCanary.class);

        for (Ban ban : Ban.values()) {
            TreeSet<Integer> caught = found(canary)
                    .filter(use -> use.ban() == ban)
                    .map(Use::line)
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(caught).as("%s", ban).hasSize(NondeterminismCanary.LINES.get(ban));
        }
    }

    /** It has one thread on two cores since JDK 25: a test whose parts wait for one another there waits for ever. */
    @Test
    void no_test_waits_for_the_common_pool() {
        List<Path> modules = Stream.of(
                        "kip-api", "kip-cloud-aws", "kip-controller", "kip-checkpointer", "kip-simulator")
                .map(module -> Path.of("..", module, "target", "test-classes"))
                .filter(Files::isDirectory)
                .toList();
        JavaClasses tests = new ClassFileImporter().importPaths(modules);

        assertThat(tests.contain(NondeterminismTest.class)).isTrue();
        assertThat(found(tests)
                        .filter(use -> use.ban() == Ban.COMMON_POOL && !use.in().startsWith(CANARY))
                        .filter(use -> use.text().contains("Async(")))
                .isEmpty();
    }

    @Test
    void all_modules_are_looked_at() {
        assertThat(MAIN.contain("dev.kip.loop.Loop")).isTrue();
        assertThat(MAIN.contain("dev.kip.cloud.aws.AwsCloudProvider")).isTrue();
        assertThat(MAIN.contain("dev.kip.controller.Controller")).isTrue();
        assertThat(MAIN.contain("dev.kip.checkpointer.Checkpointer")).isTrue();
        assertThat(MAIN.contain("dev.kip.sim.apiserver.ApiClient")).isTrue();
        assertThat(MAIN.contain(NondeterminismTest.class)).isFalse();
    }

    private record Use(Ban ban, String in, int line, String text) {}

    private static Stream<Use> found(JavaClasses classes) {
        return classes.stream()
                .sorted(Comparator.comparing(JavaClass::getName))
                .flatMap(NondeterminismTest::accesses)
                .flatMap(access -> Ban.of(call(access)).stream()
                        .map(ban -> new Use(
                                ban,
                                access.getOriginOwner().getName(),
                                access.getLineNumber(),
                                access.getDescription())));
    }

    private static Stream<JavaCodeUnitAccess<?>> accesses(JavaClass type) {
        return Stream.of(
                        type.getMethodCallsFromSelf(),
                        type.getConstructorCallsFromSelf(),
                        type.getMethodReferencesFromSelf(),
                        type.getConstructorReferencesFromSelf())
                .flatMap(accesses -> accesses.stream());
    }

    private static Call call(JavaCodeUnitAccess<?> access) {
        return new Call(
                access.getTargetOwner().getName(),
                access.getTarget().getName(),
                access.getTarget().getRawParameterTypes().stream()
                        .map(JavaClass::getName)
                        .collect(ImmutableList.toImmutableList()));
    }
}
