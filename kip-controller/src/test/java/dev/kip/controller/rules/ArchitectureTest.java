package dev.kip.controller.rules;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.kip", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule the_controller_knows_no_cloud_and_no_simulator = noClasses()
            .that()
            .resideInAPackage("dev.kip.controller..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.kip.cloud.aws..", "software.amazon..", "dev.kip.sim..", "dev.kip.bench..");

    @ArchTest
    static final ArchRule what_everybody_relies_on_relies_on_nobody = noClasses()
            .that()
            .resideInAnyPackage(
                    "dev.kip.bundle..",
                    "dev.kip.cell..",
                    "dev.kip.cloud",
                    "dev.kip.crd..",
                    "dev.kip.disk..",
                    "dev.kip.entropy..",
                    "dev.kip.http..",
                    "dev.kip.kube..",
                    "dev.kip.logging..",
                    "dev.kip.loop..",
                    "dev.kip.outcome..",
                    "dev.kip.quantity..",
                    "dev.kip.yaml..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.kip.controller..", "dev.kip.checkpointer..", "dev.kip.cloud.aws..", "dev.kip.sim..");

    @ArchTest
    static final ArchRule the_cloud_knows_no_controller = noClasses()
            .that()
            .resideInAPackage("dev.kip.cloud.aws..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.kip.controller..", "dev.kip.sim..");

    @ArchTest
    static final ArchRule what_decides_knows_neither_files_nor_flags_nor_metrics = noClasses()
            .that()
            .resideInAPackage("dev.kip.controller..")
            .and()
            .resideOutsideOfPackages(
                    "dev.kip.controller.cli..", "dev.kip.controller.config..", "dev.kip.controller.telemetry..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.kip.controller.cli..",
                    "dev.kip.controller.config..",
                    "dev.kip.controller.telemetry..",
                    "dev.kip.loop.system..",
                    "dev.kip.http.vertx..",
                    "dev.kip.kube.vertx..",
                    "picocli..",
                    "io.micrometer..");

    @ArchTest
    static final ArchRule packages_are_named_for_what_they_do = noClasses()
            .should()
            .resideInAnyPackage(
                    "..util..", "..utils..", "..common..", "..helper..", "..helpers..", "..impl..", "..manager..");
}
