package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.kube.KubeError;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** What a cell has of a pod is what the pod is made of: also after others have changed it, and after a restart. */
class HandOverTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String TOKEN = "volumes/access/token";
    private static final String WORD = "volumes/settings/WORD";

    @Test
    void a_pods_token_is_bound_to_it_and_replaced_when_a_fifth_of_its_life_is_left() {
        World world = new World().start();
        createPodWithToken(world, "web");
        world.until("ready", Duration.ofMinutes(2), () -> world.ready("web"));
        assertThat(token(world, "web")).isEqualTo("token 1 of builder for the API server");

        world.pass(Duration.ofSeconds(440)); // of 600
        assertThat(token(world, "web")).startsWith("token 1 ");
        world.pass(Duration.ofSeconds(100));

        assertThat(token(world, "web")).isEqualTo("token 2 of builder for the API server");
        assertThat(world.cells.generationOf(world.uid("web"))).isEqualTo(2);
        world.pass(Duration.ofMinutes(9));
        assertThat(token(world, "web")).startsWith("token 3 ");
        assertThat(world.events()).doesNotContain("FailedToHandOver", "NotCarriedOver");
    }

    @Test
    void tokens_grow_old_while_no_controller_runs_and_are_replaced_by_the_next_one() {
        World world = new World().start();
        createPodWithToken(world, "web");
        world.until("ready", Duration.ofMinutes(2), () -> world.ready("web"));
        world.process().kill();
        world.pass(Duration.ofSeconds(500));

        world.start()
                .until(
                        "replaced",
                        Duration.ofMinutes(2),
                        () -> token(world, "web").startsWith("token 2 "));
        world.process().kill();
        world.start().pass(Duration.ofMinutes(3));

        assertThat(token(world, "web")).as("it is young still").startsWith("token 2 ");
    }

    @Test
    void a_pod_whose_token_is_refused_waits_and_says_why() {
        World world = new World();
        world.kube.refuse(request -> request.equals("kube post serviceaccounts")
                ? Optional.of(new KubeError.Forbidden("serviceaccounts \"builder\" is forbidden"))
                : Optional.empty());
        world.start();
        createPodWithToken(world, "web");
        world.pass(Duration.ofMinutes(2));
        assertThat(world.phase("web")).isEqualTo("Pending");
        assertThat(world.events()).contains("FailedToHandOver");

        world.kube.refuse(request -> Optional.empty());

        world.until("ready", Duration.ofMinutes(3), () -> world.ready("web"));
        assertThat(token(world, "web")).startsWith("token 1 ");
    }

    @Test
    void what_changed_while_no_controller_ran_is_handed_over_within_a_minute_of_the_next_one_and_nothing_else() {
        World world = new World().start();
        settings(world, "settings", "first");
        settings(world, "others", "first");
        createPodWithSettings(world, "changed", "settings");
        createPodWithSettings(world, "labelled", "others");
        createPodWithSettings(world, "same", "others");
        world.createPod("none");
        world.until(
                "all are ready",
                Duration.ofMinutes(2),
                () -> world.ready("changed") && world.ready("labelled") && world.ready("same") && world.ready("none"));
        world.process().kill();
        settings(world, "settings", "second");
        ObjectNode labelled = world.kube.pod("labelled").orElseThrow().deepCopy();
        labelled.withObject("/metadata").putObject("labels").put("seen", "yes");
        world.kube.put("pods", labelled);

        world.start();
        world.until(
                "it leads and has handed over",
                Duration.ofMinutes(2),
                () -> world.cells.generationOf(world.uid("labelled")) == 2);
        world.until(
                "the second word is there",
                MINUTE,
                () -> world.cells.file(world.uid("changed"), WORD).equals("second"));
        world.pass(Duration.ofMinutes(5));

        assertThat(world.cells.generationOf(world.uid("changed"))).isEqualTo(2);
        assertThat(world.cells.generationOf(world.uid("same"))).isEqualTo(1);
        assertThat(world.cells.generationOf(world.uid("none"))).isEqualTo(1);
    }

    @Test
    void a_change_that_could_not_be_handed_over_is_tried_again() {
        World world = new World().start();
        world.createPod("web");
        world.until("ready", Duration.ofMinutes(2), () -> world.ready("web"));
        world.kube.refuse(request -> request.equals("kube get pods")
                ? Optional.of(new KubeError.NoAnswer("connection refused"))
                : Optional.empty());
        ObjectNode labelled = world.kube.pod("web").orElseThrow().deepCopy();
        labelled.withObject("/metadata").putObject("labels").put("seen", "yes");
        world.kube.put("pods", labelled);
        world.pass(Duration.ofSeconds(10));
        assertThat(world.cells.generationOf(world.uid("web"))).isEqualTo(1);

        world.kube.refuse(request -> Optional.empty());

        world.until("handed over", MINUTE, () -> world.cells.generationOf(world.uid("web")) == 2);
    }

    @Test
    void pods_whose_secret_is_missing_cost_nothing_and_one_that_is_deleted_meanwhile_neither() {
        World world = new World().start();
        for (int i = 0; i < 20; i++) {
            world.createPod("web-" + i, pod -> {
                ObjectNode volume =
                        pod.withObject("/spec").putArray("volumes").addObject().put("name", "keys");
                volume.putObject("secret").put("secretName", "keys");
                return pod;
            });
        }
        world.pass(MINUTE);
        assertThat(world.cloud.launches()).isEmpty();
        assertThat(world.events()).containsOnly("MandatorySecretNotFound");
        assertThat(world.faults.count("kube get secrets"))
                .as("pods that come together ask once")
                .isLessThanOrEqualTo(20);
        world.kube.deletePod("web-0", 0);
        ObjectNode keys = World.JSON.createObjectNode();
        keys.withObject("/metadata").put("namespace", "default").put("name", "keys");
        keys.putObject("data").put("WORD", "c2VjcmV0");
        world.kube.put("secrets", keys);

        world.until("the rest is ready", Duration.ofMinutes(3), () -> world.ready("web-1") && world.ready("web-19"));

        assertThat(world.phase("web-0")).isEqualTo("gone");
        assertThat(world.cloud.live()).hasSize(19);
        assertThat(world.cells.file(world.uid("web-1"), "volumes/keys/WORD")).isEqualTo("secret");
    }

    @Test
    void what_a_pod_may_be_without_and_is_without_is_said() {
        World world = new World().start();
        world.createPod("web", pod -> {
            ObjectNode volume =
                    pod.withObject("/spec").putArray("volumes").addObject().put("name", "settings");
            volume.putObject("configMap").put("name", "settings").put("optional", true);
            return pod;
        });

        world.until("ready", Duration.ofMinutes(2), () -> world.ready("web"));

        assertThat(world.events()).containsOnlyOnce("OptionalConfigMapNotFound");
    }

    private static String token(World world, String pod) {
        return world.cells.file(world.uid(pod), TOKEN);
    }

    private static void createPodWithToken(World world, String name) {
        world.createPod(name, pod -> {
            ObjectNode spec = pod.withObject("/spec").put("serviceAccountName", "builder");
            ObjectNode volume = spec.putArray("volumes").addObject().put("name", "access");
            ObjectNode source = volume.putObject("projected")
                    .putArray("sources")
                    .addObject()
                    .putObject("serviceAccountToken");
            source.put("path", "token").put("expirationSeconds", 600);
            return pod;
        });
    }

    private static void createPodWithSettings(World world, String name, String configMap) {
        world.createPod(name, pod -> {
            ObjectNode volume =
                    pod.withObject("/spec").putArray("volumes").addObject().put("name", "settings");
            volume.putObject("configMap").put("name", configMap);
            return pod;
        });
    }

    private static void settings(World world, String name, String word) {
        ObjectNode settings = World.JSON.createObjectNode();
        settings.withObject("/metadata").put("namespace", "default").put("name", name);
        settings.putObject("data").put("WORD", word);
        world.kube.put("configmaps", settings);
    }
}
