package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.launch.Tags;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** B9: what a restart beside ten thousand running cells costs. */
class AdoptionTest {

    private static final int CELLS = 10_000;

    /** A pod that runs, its Cell, its instance and what its agent holds, as an earlier incarnation left them. */
    private static void plant(World world, String id, InstallationKeys keys, int number) {
        String uid = "pod-" + number;
        String instance = "i-" + number;
        String token = "token-" + number;
        String ip = "10." + number / 62_500 + "." + number / 250 % 250 + "." + (number % 250 + 1);
        ObjectNode pod = world.createPod("web-" + number, made -> {
            made.withObject("/metadata").put("uid", uid);
            ObjectNode status = made.putObject("status");
            status.put("phase", "Running");
            ObjectNode container = status.putArray("containerStatuses").addObject();
            container.put("name", "main");
            container.putObject("state").putObject("running");
            return made;
        });
        ObjectNode cell = pod.objectNode();
        cell.put("apiVersion", "kip.elotl.co/v1").put("kind", "Cell");
        cell.putObject("metadata").put("name", uid + "-0");
        cell.putObject("status")
                .put("podName", "web-" + number)
                .put("podNamespace", "default")
                .put("node", "kip")
                .put("controllerID", id)
                .put("instanceID", instance)
                .put("ip", ip)
                .put("podUID", uid)
                .put("attempt", 0)
                .put("epoch", 1)
                .put("clientToken", token);
        world.kube.put("cells", cell);
        world.cloud.plant(new InstanceFacts(
                instance,
                InstanceState.RUNNING,
                "t3.nano",
                "us-east-1a",
                Market.ON_DEMAND,
                Optional.of(ip),
                Optional.empty(),
                token,
                0,
                Instant.EPOCH,
                Optional.empty(),
                "",
                ImmutableMap.of(
                        Tags.INSTALLATION,
                        id,
                        Tags.NODE,
                        "kip",
                        Tags.MAC,
                        keys.ownershipProof(id, "us-east-1", "default", "kip", token))));
        world.cells.holds(instance, uid);
    }

    @Test
    void ten_thousand_cells_are_adopted_without_a_write_for_any_of_them() {
        World world = new World().anchored().start();
        world.pass(Duration.ofSeconds(5));
        world.stop();
        world.pass(Duration.ofSeconds(2));
        String id = world.kube
                .find("installations", "kip")
                .orElseThrow()
                .path("spec")
                .path("installationID")
                .asString("");
        Map<String, String> data = new TreeMap<>();
        world.kube
                .find("secrets", "kube-system/kip-installation")
                .orElseThrow()
                .path("data")
                .properties()
                .forEach(entry -> data.put(entry.getKey(), entry.getValue().asString("")));
        InstallationKeys keys = InstallationKeys.fromSecretData(ImmutableMap.copyOf(data));
        for (int i = 0; i < CELLS; i++) {
            plant(world, id, keys, i);
        }
        int writes = world.kube.writes().size();
        int calls = world.faults.log().size();
        world.start();

        world.until("every agent is watched", Duration.ofMinutes(2), () -> world.faults.count("cell watch") >= CELLS);
        world.pass(Duration.ofSeconds(3));
        List<String> made =
                world.kube.writes().subList(writes, world.kube.writes().size());
        Map<String, Long> counts = world
                .faults
                .log()
                .subList(calls, world.faults.log().size())
                .stream()
                .collect(Collectors.groupingBy(call -> call, TreeMap::new, Collectors.counting()));

        assertThat(made)
                .as("calls: %s", counts)
                .noneMatch(write -> write.contains("cells") || write.contains(" pods"))
                .hasSizeLessThan(20);
        assertThat(counts.entrySet().stream()
                        .filter(call -> call.getKey().startsWith("cloud"))
                        .mapToLong(Map.Entry::getValue)
                        .sum())
                .as("cloud calls: %s", counts)
                .isLessThan(25);
        assertThat(counts).doesNotContainKeys("cell grant", "cell end", "cloud launch", "cloud terminate");
        assertThat(world.anomalies).isEmpty();
        assertThat(world.kube.all("cells")).hasSize(CELLS);
    }
}
