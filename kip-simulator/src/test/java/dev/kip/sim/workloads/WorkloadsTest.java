package dev.kip.sim.workloads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class WorkloadsTest {

    private final PlayedCluster cluster = new PlayedCluster();

    private static void image(ObjectNode workload, String image) {
        ((ObjectNode) workload.at("/spec/template/spec/containers/0")).put("image", image);
    }

    private ObjectNode deployment(String name) {
        return cluster.get("apps", "deployments", "default", name).orElseThrow();
    }

    @Test
    void a_deployment_of_three_becomes_three_pods_on_the_ready_nodes() {
        cluster.node("a");
        cluster.node("b");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 3, ""));

        cluster.until(
                "three ready",
                () -> deployment("web").at("/status/availableReplicas").asInt(0) == 3);

        assertThat(cluster.pods())
                .hasSize(3)
                .allSatisfy(pod -> assertThat(PodFacts.node(pod)).isIn("a", "b"));
        assertThat(cluster.pods().stream().map(PodFacts::node).distinct()).hasSize(2);
        ObjectNode set = cluster.list("apps", "replicasets").get(0);
        assertThat(Objects.name(set)).matches("web-[bcdfghjklmnpqrstvwxz2456789]+");
        assertThat(cluster.pods().get(0).at("/metadata/name").asString()).startsWith(Objects.name(set) + "-");
        assertThat(Objects.annotation(deployment("web"), Revisions.REVISION)).isEqualTo("1");
        assertThat(Objects.condition(deployment("web"), "Progressing")
                        .orElseThrow()
                        .path("reason")
                        .asString())
                .isEqualTo("NewReplicaSetAvailable");
        assertThat(cluster.events("web"))
                .containsExactly("ScalingReplicaSet: Scaled up replica set " + Objects.name(set) + " from 0 to 3");
        assertThat(cluster.events(Objects.name(set)))
                .hasSize(3)
                .allMatch(event -> event.startsWith("SuccessfulCreate: Created pod: web-"));
        assertThat(cluster.events(Objects.name(cluster.pods().get(0))))
                .anyMatch(event -> event.startsWith("Scheduled: Successfully assigned default/web-"));
    }

    @Test
    void a_cluster_at_rest_writes_nothing_but_leases() {
        cluster.node("a");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 2, ""));
        cluster.create(
                "",
                "services",
                "default",
                "{'kind':'Service','apiVersion':'v1','metadata':{'name':'web'},'spec':{'selector':{'app':'web'},'ports':[{'port':80}]}}");
        cluster.create(
                "policy",
                "poddisruptionbudgets",
                "default",
                "{'kind':'PodDisruptionBudget','apiVersion':'policy/v1','metadata':{'name':'web'},'spec':{'minAvailable':1,'selector':{'matchLabels':{'app':'web'}}}}");
        cluster.until("ready", () -> cluster.readyPods() == 2);
        cluster.pass(Duration.ofSeconds(30));
        long[] changes = {0};
        cluster.api.resources().stream()
                .filter(type -> !type.plural().equals("leases"))
                .forEach(type -> cluster.api.onChange(type, (event, object) -> changes[0]++));

        cluster.pass(Duration.ofMinutes(5));

        assertThat(changes[0]).isZero();
    }

    @Test
    void scaling_down_deletes_and_scaling_up_creates() {
        cluster.node("a");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 4, ""));
        cluster.until("four ready", () -> cluster.readyPods() == 4);

        cluster.change(
                "apps", "deployments", "web", web -> Objects.child(web, "spec").put("replicas", 1));
        cluster.until("one left", () -> cluster.pods().size() == 1);
        cluster.change(
                "apps", "deployments", "web", web -> Objects.child(web, "spec").put("replicas", 2));
        cluster.until(
                "two ready",
                () -> cluster.readyPods() == 2
                        && deployment("web").at("/status/readyReplicas").asInt() == 2);

        assertThat(cluster.list("apps", "replicasets")).hasSize(1);
        assertThat(cluster.events("web"))
                .anyMatch(event -> event.matches("ScalingReplicaSet: Scaled down replica set .* from 4 to 1"));
    }

    @Test
    void a_pod_that_is_deleted_is_replaced() {
        cluster.node("a");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 2, ""));
        cluster.until("ready", () -> cluster.readyPods() == 2);
        String victim = Objects.name(cluster.pods().get(0));

        cluster.delete("", "pods", victim, "Background");

        cluster.until(
                "replaced",
                () -> cluster.readyPods() == 2
                        && cluster.get("", "pods", "default", victim).isEmpty());
    }

    @Test
    void a_rolling_update_keeps_enough_pods_available() {
        cluster.node("a");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 4, ""));
        cluster.until(
                "ready", () -> deployment("web").at("/status/availableReplicas").asInt(0) == 4);
        cluster.change("apps", "deployments", "web", web -> image(web, "nginx:2"));
        int[] fewest = {4};
        int[] most = {4};

        cluster.until("rolled out", () -> {
            fewest[0] = Math.min(fewest[0], (int) cluster.pods().stream()
                    .filter(pod -> PodFacts.isReady(pod) && !Objects.isLeaving(pod))
                    .count());
            most[0] = Math.max(
                    most[0],
                    cluster.list("apps", "replicasets").stream()
                            .mapToInt(Rollout::replicas)
                            .sum());
            ObjectNode web = deployment("web");
            return web.at("/status/observedGeneration").asLong() == Objects.generation(web)
                    && web.at("/status/updatedReplicas").asInt(0) == 4
                    && web.at("/status/availableReplicas").asInt(0) == 4
                    && web.at("/status/replicas").asInt(0) == 4;
        });

        assertThat(fewest[0]).as("4 less 25%").isGreaterThanOrEqualTo(3);
        assertThat(most[0]).as("4 plus 25%").isLessThanOrEqualTo(5);
        cluster.until("old ones gone", () -> cluster.pods().size() == 4);
        assertThat(cluster.pods())
                .allSatisfy(pod -> assertThat(pod.at("/spec/containers/0/image").asString())
                        .isEqualTo("nginx:2"));
        assertThat(cluster.list("apps", "replicasets").stream().map(Rollout::replicas))
                .containsExactlyInAnyOrder(0, 4);
        assertThat(Objects.annotation(deployment("web"), Revisions.REVISION)).isEqualTo("2");
    }

    @Test
    void going_back_to_an_earlier_template_reuses_its_replica_set() {
        cluster.node("a");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 1, ""));
        cluster.until("ready", () -> cluster.readyPods() == 1);
        cluster.change("apps", "deployments", "web", web -> image(web, "nginx:2"));
        cluster.until(
                "second",
                () -> cluster.pods().size() == 1
                        && cluster.pods()
                                .get(0)
                                .at("/spec/containers/0/image")
                                .asString()
                                .equals("nginx:2"));

        cluster.change("apps", "deployments", "web", web -> image(web, "nginx"));
        cluster.until(
                "first again",
                () -> cluster.pods().size() == 1
                        && cluster.pods()
                                .get(0)
                                .at("/spec/containers/0/image")
                                .asString()
                                .equals("nginx"));

        assertThat(cluster.list("apps", "replicasets")).hasSize(2);
        assertThat(Objects.annotation(deployment("web"), Revisions.REVISION)).isEqualTo("3");
    }

    @Test
    void recreate_starts_new_pods_only_when_the_old_ones_are_gone() {
        cluster.node("a");
        cluster.create(
                "apps",
                "deployments",
                "default",
                PlayedCluster.deployment("web", 2, ",'strategy':{'type':'Recreate'}"));
        cluster.until("ready", () -> cluster.readyPods() == 2);
        cluster.change("apps", "deployments", "web", web -> image(web, "nginx:2"));
        boolean[] mixed = {false};

        cluster.until("recreated", () -> {
            mixed[0] |= cluster.pods().stream()
                            .map(pod -> pod.at("/spec/containers/0/image").asString())
                            .distinct()
                            .count()
                    > 1;
            return deployment("web").at("/status/updatedReplicas").asInt(0) == 2 && cluster.readyPods() == 2;
        });

        assertThat(mixed[0]).isFalse();
    }

    @Test
    void a_paused_deployment_does_not_roll() {
        cluster.node("a");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 1, ""));
        cluster.until("ready", () -> cluster.readyPods() == 1);
        cluster.change("apps", "deployments", "web", web -> {
            Objects.child(web, "spec").put("paused", true);
            image(web, "nginx:2");
        });

        cluster.pass(Duration.ofMinutes(1));

        assertThat(cluster.list("apps", "replicasets")).hasSize(1);
    }

    @Test
    void deleting_a_deployment_collects_everything_it_made() {
        cluster.node("a");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 3, ""));
        cluster.until("ready", () -> cluster.readyPods() == 3);

        cluster.delete("apps", "deployments", "web", "Background");

        cluster.until(
                "all gone",
                () -> cluster.pods().isEmpty()
                        && cluster.list("apps", "replicasets").isEmpty());
    }

    @Test
    void in_the_foreground_the_owner_goes_last() {
        cluster.node("a");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 2, ""));
        cluster.until("ready", () -> cluster.readyPods() == 2);

        cluster.delete("apps", "deployments", "web", "Foreground");
        boolean[] early = {false};
        cluster.until("gone", () -> {
            boolean gone = cluster.get("apps", "deployments", "default", "web").isEmpty();
            early[0] |= gone && !cluster.pods().isEmpty();
            return gone;
        });

        assertThat(early[0]).isFalse();
        assertThat(cluster.list("apps", "replicasets")).isEmpty();
    }

    @Test
    void an_orphaned_replica_set_keeps_its_pods() {
        cluster.node("a");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 2, ""));
        cluster.until("ready", () -> cluster.readyPods() == 2);

        cluster.delete("apps", "deployments", "web", "Orphan");
        cluster.until(
                "gone",
                () -> cluster.get("apps", "deployments", "default", "web").isEmpty());
        cluster.pass(Duration.ofMinutes(1));

        assertThat(cluster.readyPods()).isEqualTo(2);
        assertThat(cluster.list("apps", "replicasets")
                        .get(0)
                        .at("/metadata/ownerReferences")
                        .isEmpty())
                .isTrue();
    }

    @Test
    void what_is_owned_by_nothing_that_exists_is_collected() {
        cluster.create(
                "",
                "configmaps",
                "default",
                "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'c','ownerReferences':[{'apiVersion':'apps/v1','kind':'Deployment','name':'none','uid':'0'}]}}");

        cluster.until(
                "collected", () -> cluster.get("", "configmaps", "default", "c").isEmpty());
    }

    @Test
    void a_pod_that_fits_nowhere_says_why_and_is_placed_when_there_is_room() {
        String pod =
                "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'%s'},'spec':{'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'3'}}}]}}";
        cluster.create("", "pods", "default", pod.formatted("one"));
        cluster.until("no node", () -> !cluster.events("one").isEmpty());
        assertThat(cluster.events("one")).containsExactly("FailedScheduling: no nodes available to schedule pods");
        cluster.node("a");
        cluster.until("one runs", () -> cluster.readyPods() == 1);

        cluster.create("", "pods", "default", pod.formatted("two"));
        cluster.until("no room", () -> !cluster.events("two").isEmpty());
        ObjectNode two = cluster.get("", "pods", "default", "two").orElseThrow();
        assertThat(Objects.condition(two, "PodScheduled")
                        .orElseThrow()
                        .path("reason")
                        .asString())
                .isEqualTo("Unschedulable");
        assertThat(cluster.events("two").get(0))
                .startsWith("FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu");

        cluster.delete("", "pods", "one", "Background");
        cluster.until(
                "two runs", () -> cluster.readyPods() == 1 && cluster.pods().size() == 1);
    }

    @Test
    void taints_keep_pods_away_that_do_not_tolerate_them() {
        cluster.node("a");
        cluster.change(
                "",
                "nodes",
                "a",
                node -> Objects.child(node, "spec")
                        .putArray("taints")
                        .addObject()
                        .put("key", "virtual-kubelet.io/provider")
                        .put("value", "kip")
                        .put("effect", "NoSchedule"));
        cluster.create(
                "",
                "pods",
                "default",
                "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'plain'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        cluster.create(
                "",
                "pods",
                "default",
                "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'tolerant'},'spec':{'tolerations':[{'key':'virtual-kubelet.io/provider','operator':'Exists'}],'containers':[{'name':'c','image':'i'}]}}");

        cluster.until("tolerant runs", () -> cluster.readyPods() == 1);

        assertThat(PodFacts.node(cluster.get("", "pods", "default", "plain").orElseThrow()))
                .isEmpty();
        assertThat(cluster.events("plain"))
                .anyMatch(event -> event.contains("untolerated taint {virtual-kubelet.io/provider: kip}"));
    }

    @Test
    void a_daemon_set_has_a_pod_on_each_node_also_on_new_ones() {
        cluster.node("a");
        cluster.create(
                "apps",
                "daemonsets",
                "default",
                PlayedCluster.deployment("proxy", 1, "")
                        .replace("Deployment", "DaemonSet")
                        .replace("'replicas':1,", ""));
        cluster.until("on a", () -> cluster.readyPods() == 1);
        cluster.node("b");
        cluster.until("on b", () -> cluster.readyPods() == 2);

        assertThat(cluster.pods().stream().map(PodFacts::node)).containsExactlyInAnyOrder("a", "b");
        cluster.until(
                "status",
                () -> cluster.get("apps", "daemonsets", "default", "proxy")
                                .orElseThrow()
                                .at("/status/numberAvailable")
                                .asInt(0)
                        == 2);

        cluster.change("apps", "daemonsets", "proxy", proxy -> image(proxy, "nginx:2"));
        cluster.until(
                "updated",
                () -> cluster.readyPods() == 2
                        && cluster.pods().stream()
                                .allMatch(pod -> pod.at("/spec/containers/0/image")
                                        .asString()
                                        .equals("nginx:2")));
    }

    @Test
    void a_job_runs_until_enough_pods_have_succeeded() {
        cluster.node("a");
        cluster.create(
                "batch",
                "jobs",
                "default",
                "{'kind':'Job','apiVersion':'batch/v1','metadata':{'name':'j'},'spec':{'completions':3,'parallelism':2,'template':{'metadata':{'annotations':{'played/ends':'Succeeded'}},'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}");

        cluster.until(
                "complete",
                () -> Objects.conditionStatus(
                                cluster.get("batch", "jobs", "default", "j").orElseThrow(), "Complete")
                        .equals("True"));

        assertThat(cluster.get("batch", "jobs", "default", "j")
                        .orElseThrow()
                        .at("/status/succeeded")
                        .asInt())
                .isEqualTo(3);
        assertThat(cluster.pods()).hasSize(3);
        cluster.delete("batch", "jobs", "j", "Background");
        cluster.until("collected", () -> cluster.pods().isEmpty());
    }

    @Test
    void a_job_gives_up_beyond_its_backoff_limit() {
        cluster.node("a");
        cluster.create(
                "batch",
                "jobs",
                "default",
                "{'kind':'Job','apiVersion':'batch/v1','metadata':{'name':'j'},'spec':{'backoffLimit':1,'template':{'metadata':{'annotations':{'played/ends':'Failed'}},'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}");

        cluster.until(
                "failed",
                () -> Objects.conditionStatus(
                                cluster.get("batch", "jobs", "default", "j").orElseThrow(), "Failed")
                        .equals("True"));

        assertThat(cluster.get("batch", "jobs", "default", "j")
                        .orElseThrow()
                        .at("/status/failed")
                        .asInt())
                .isEqualTo(2);
        assertThat(cluster.events("j")).contains("BackoffLimitExceeded: Job has reached the specified backoff limit");
    }

    @Test
    void pods_of_a_silent_node_are_replaced_elsewhere_after_their_toleration() {
        PlayedKubelet a = cluster.node("a");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 1, ""));
        cluster.until("ready", () -> cluster.readyPods() == 1);
        a.die();
        cluster.node("b");

        cluster.until(
                "a is unknown",
                () -> Objects.conditionStatus(cluster.get("", "nodes", "", "a").orElseThrow(), "Ready")
                        .equals("Unknown"));
        assertThat(cluster.kernel.elapsed()).isBetween(Duration.ofSeconds(40), Duration.ofSeconds(70));
        cluster.until(
                "on b",
                () -> cluster.pods().stream().anyMatch(pod -> PodFacts.node(pod).equals("b") && PodFacts.isReady(pod)));
        assertThat(cluster.kernel.elapsed()).as("300 s are tolerated").isGreaterThan(Duration.ofSeconds(340));

        cluster.api.delete(cluster.api.resource("", "nodes"), "", "a", PlayedCluster.json("{}"));
        cluster.until("a's pod is collected", () -> cluster.pods().size() == 1);
    }

    @Test
    void a_cordoned_node_is_tainted_and_takes_no_pods() {
        cluster.node("a");
        cluster.change("", "nodes", "a", node -> Objects.child(node, "spec").put("unschedulable", true));
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 1, ""));

        cluster.pass(Duration.ofSeconds(30));

        assertThat(cluster.readyPods()).isZero();
        assertThat(cluster.get("", "nodes", "", "a")
                        .orElseThrow()
                        .at("/spec/taints/0/key")
                        .asString())
                .isEqualTo(Taints.UNSCHEDULABLE);
        cluster.change("", "nodes", "a", node -> Objects.child(node, "spec").put("unschedulable", false));
        cluster.until("runs", () -> cluster.readyPods() == 1);
    }

    @Test
    void an_eviction_is_allowed_as_far_as_the_budget_goes() {
        cluster.node("a");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 2, ""));
        cluster.create(
                "policy",
                "poddisruptionbudgets",
                "default",
                "{'kind':'PodDisruptionBudget','apiVersion':'policy/v1','metadata':{'name':'web'},'spec':{'minAvailable':1,'selector':{'matchLabels':{'app':'web'}}}}");
        cluster.until(
                "one may go",
                () -> cluster.get("policy", "poddisruptionbudgets", "default", "web")
                                .orElseThrow()
                                .at("/status/disruptionsAllowed")
                                .asInt(0)
                        == 1);
        List<String> names = cluster.pods().stream().map(Objects::name).toList();
        String eviction = "{'kind':'Eviction','apiVersion':'policy/v1','metadata':{'name':'%s','namespace':'default'}}";

        cluster.api.createSubresource(
                cluster.api.resource("", "pods"),
                "default",
                names.get(0),
                "eviction",
                PlayedCluster.json(eviction.formatted(names.get(0))));

        assertThatThrownBy(() -> cluster.api.createSubresource(
                        cluster.api.resource("", "pods"),
                        "default",
                        names.get(1),
                        "eviction",
                        PlayedCluster.json(eviction.formatted(names.get(1)))))
                .hasMessageContaining("disruption budget");
        cluster.until(
                "allowed again",
                () -> cluster.get("policy", "poddisruptionbudgets", "default", "web")
                                        .orElseThrow()
                                        .at("/status/disruptionsAllowed")
                                        .asInt(0)
                                == 1
                        && cluster.readyPods() == 2);
    }

    @Test
    void a_namespace_has_its_defaults_and_is_emptied_before_it_goes() {
        cluster.node("a");
        cluster.create("", "namespaces", "", "{'kind':'Namespace','apiVersion':'v1','metadata':{'name':'n'}}");
        cluster.until(
                "defaults",
                () -> cluster.get("", "configmaps", "n", "kube-root-ca.crt").isPresent()
                        && cluster.get("", "serviceaccounts", "n", "default").isPresent());
        cluster.create("apps", "deployments", "n", PlayedCluster.deployment("web", 2, ""));
        cluster.until(
                "ready",
                () -> cluster.api.list(cluster.api.resource("", "pods"), "n").stream()
                                .filter(PodFacts::isReady)
                                .count()
                        == 2);

        cluster.api.delete(cluster.api.resource("", "namespaces"), "", "n", PlayedCluster.json("{}"));

        cluster.until("gone", () -> cluster.get("", "namespaces", "", "n").isEmpty());
        assertThat(cluster.api.list(cluster.api.resource("", "pods"), "n")).isEmpty();
        assertThat(cluster.api.list(cluster.api.resource("", "configmaps"), "n"))
                .isEmpty();
    }

    @Test
    void a_service_names_the_ready_pods() {
        cluster.node("a");
        cluster.create(
                "",
                "services",
                "default",
                "{'kind':'Service','apiVersion':'v1','metadata':{'name':'web'},'spec':{'selector':{'app':'web'},'ports':[{'name':'http','port':80,'targetPort':8080}]}}");
        cluster.create("apps", "deployments", "default", PlayedCluster.deployment("web", 2, ""));

        cluster.until(
                "two addresses",
                () -> cluster.get("", "endpoints", "default", "web")
                                .map(endpoints ->
                                        endpoints.at("/subsets/0/addresses").size())
                                .orElse(0)
                        == 2);

        assertThat(cluster.get("", "endpoints", "default", "web")
                        .orElseThrow()
                        .at("/subsets/0/ports/0/port")
                        .asInt())
                .isEqualTo(8080);
        ObjectNode slice = cluster.list("discovery.k8s.io", "endpointslices").stream()
                .filter(found ->
                        Objects.label(found, "kubernetes.io/service-name").equals("web"))
                .findFirst()
                .orElseThrow();
        assertThat(slice.at("/endpoints/1/conditions/ready").asBoolean()).isTrue();
        cluster.delete("", "services", "web", "Background");
        cluster.until(
                "gone",
                () -> cluster.get("", "endpoints", "default", "web").isEmpty()
                        && cluster.get("discovery.k8s.io", "endpointslices", "default", Objects.name(slice))
                                .isEmpty());
    }
}
