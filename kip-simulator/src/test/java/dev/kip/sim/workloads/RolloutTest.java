package dev.kip.sim.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

class RolloutTest {

    private static ObjectNode deployment(int replicas, String surge, String unavailable) {
        return PlayedCluster.json("{'metadata':{'name':'d','uid':'d'},'spec':{'replicas':" + replicas
                + ",'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxSurge':'" + surge + "','maxUnavailable':'"
                + unavailable + "'}}}}");
    }

    private static ObjectNode set(String name, int replicas, int available, int max) {
        return PlayedCluster.json("{'metadata':{'name':'" + name + "','uid':'" + name
                + "','creationTimestamp':'2026-11-30T12:00:00Z','annotations':{'" + Rollout.MAX_REPLICAS + "':'" + max
                + "'}},'spec':{'replicas':" + replicas + "},'status':{'availableReplicas':" + available + "}}");
    }

    private static Map<String, Integer> named(Map<ObjectNode, Integer> changes) {
        Map<String, Integer> names = new LinkedHashMap<>();
        changes.forEach((set, replicas) -> names.put(Objects.name(set), replicas));
        return names;
    }

    @ParameterizedTest
    @CsvSource({"10,25%,25%,3,2", "4,25%,25%,1,1", "1,25%,25%,1,0", "3,0,0,0,1", "3,1,0,1,0", "2,0%,100%,0,2"})
    void the_surge_is_rounded_up_and_what_may_be_missing_down(
            int replicas, String surge, String unavailable, int maxSurge, int maxUnavailable) {
        Rollout rollout = Rollout.of(deployment(replicas, surge, unavailable), List.of(), Optional.empty());

        assertThat(rollout.maxSurge()).isEqualTo(maxSurge);
        assertThat(rollout.maxUnavailable()).isEqualTo(maxUnavailable);
    }

    @Test
    void the_newest_grows_as_far_as_the_surge_allows() {
        ObjectNode old = set("old", 10, 10, 10);
        ObjectNode fresh = set("new", 2, 0, 10);
        Rollout rollout = Rollout.of(deployment(10, "3", "0"), List.of(old, fresh), Optional.of(fresh));

        assertThat(rollout.newestReplicas()).isEqualTo(3);
        assertThat(rollout.olderReplicas()).isEmpty();
    }

    @Test
    void unhealthy_old_pods_go_at_once_and_healthy_ones_as_new_ones_become_available() {
        ObjectNode broken = set("broken", 3, 0, 10);
        ObjectNode old = set("old", 8, 8, 10);
        ObjectNode fresh = set("new", 2, 2, 10);
        Rollout rollout = Rollout.of(deployment(10, "3", "2"), List.of(old, broken, fresh), Optional.of(fresh));

        assertThat(named(rollout.olderReplicas())).containsEntry("broken", 0).containsEntry("old", 6);
    }

    @Test
    void pods_that_were_told_to_go_do_not_count_as_available() {
        ObjectNode old = set("old", 3, 4, 4);
        ObjectNode fresh = set("new", 1, 1, 4);
        Rollout rollout = Rollout.of(deployment(4, "1", "1"), List.of(old, fresh), Optional.of(fresh));

        assertThat(named(rollout.olderReplicas())).containsExactly(Map.entry("old", 2));
    }

    @Test
    void scaling_in_the_middle_of_a_rollout_is_shared_by_size() {
        ObjectNode old = set("old", 8, 8, 12);
        ObjectNode fresh = set("new", 4, 2, 12);
        Rollout rollout = Rollout.of(deployment(20, "4", "0"), List.of(old, fresh), Optional.of(fresh));

        assertThat(named(rollout.proportional())).containsEntry("old", 16).containsEntry("new", 8);
        assertThat(rollout.onlyActive()).isEmpty();
    }
}
