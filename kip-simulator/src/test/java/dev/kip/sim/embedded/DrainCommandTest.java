package dev.kip.sim.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.sim.embedded.CommandsTest.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** {@code kip drain} as people run it, with a controller that leads, and without one. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DrainCommandTest {

    @TempDir
    private static Path data;

    private EmbeddedWorld world;
    private Administrator admin;

    @BeforeAll
    void start() throws IOException {
        world = EmbeddedWorld.start(new EmbeddedWorld.Wish(data.resolve("world"), 0, false, false), doing -> {});
        admin = new Administrator(world);
    }

    @AfterAll
    void end() throws IOException {
        admin.close();
        world.close();
    }

    @Test
    void the_leader_takes_everything_down_and_the_command_tells_how_far_it_is() {
        Path place = data.resolve("world");
        admin.create(CommandsTest.pod("web", "virtual-kubelet", ""));
        admin.await("Pod", found -> CommandsTest.named(found, "web") && CommandsTest.isReady(found));

        Result shown = CommandsTest.kip(place, "drain");
        assertThat(shown.out())
                .contains("default/web", "1 cell on 1 virtual node would end: $0.00", "To do it: kip drain --yes")
                .containsPattern("kip-up\\S+ leads for node virtual-kubelet and would do it");
        assertThat(admin.get("Installation", "", "kip").at("/spec/draining").asBoolean(false))
                .isFalse();
        assertThat(CommandsTest.kip(place, "drain", "--node", "virtual-kublet", "--yes")
                        .err())
                .contains("has no such virtual node. Did you mean \"virtual-kubelet\"?");

        Result drained = CommandsTest.kip(place, "drain", "--yes");

        assertThat(drained.code()).as(drained.err()).isZero();
        assertThat(drained.out()).contains("Installation kip is drained: nothing of it is left.");
        assertThat(drained.err()).contains("kip: virtual-kubelet: ");
        assertThat(admin.list("Installation")).isEmpty();
        assertThat(admin.list("Cell")).isEmpty();
        assertThat(admin.list("Pod")).isEmpty();
        assertThat(admin.ec2("DescribeInstances")).doesNotContain("<name>running</name>");
        assertThat(admin.ec2("DescribeLaunchTemplates")).doesNotContain("launchTemplateId");
        assertThat(admin.ec2("DescribeSecurityGroups")).doesNotContain("cellsecuritygroup");
        Result again = CommandsTest.kip(place, "drain", "--yes");
        assertThat(again.code()).isZero();
        assertThat(again.out()).contains("nothing is left to drain");
    }

    @Test
    void where_nobody_leads_the_command_does_it_itself() throws IOException {
        Path place = Files.createDirectory(data.resolve("alone"));
        Files.copy(world.kubeconfig(), place.resolve("kubeconfig"));
        Files.writeString(
                place.resolve("provider.yaml"),
                Files.readString(data.resolve("world/provider.yaml"))
                                .replace("consistencyWindow: 30s", "consistencyWindow: 1s")
                                .replace("node:\n", "node:\n  name: alone-node\n")
                        + "installation: alone\n");
        admin.create("""
                {"apiVersion": "kip.elotl.co/v1", "kind": "Installation", "metadata": {"name": "alone"},
                 "spec": {"installationID": "dddddddddddddddddddddddddd", "epoch": 4, "clusterUID": "%s",
                          "region": "us-east-1", "vpc": "default", "shards": [{"node": "alone-node", "epoch": 4}]}}
                """.formatted(
                admin.get("Namespace", "", "kube-system").at("/metadata/uid").asString()));
        assertThat(CommandsTest.kip(place, "drain").out())
                .contains("Nobody leads for node alone-node: this process would do it.");

        Result drained = CommandsTest.kip(place, "drain", "--yes");

        assertThat(drained.code()).as(drained.err()).isZero();
        assertThat(drained.err()).contains("nobody leads for node alone-node: this process does it");
        assertThat(admin.list("Installation")).noneMatch(found -> CommandsTest.named(found, "alone"));
    }
}
