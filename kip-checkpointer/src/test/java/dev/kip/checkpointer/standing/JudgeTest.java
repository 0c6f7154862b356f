package dev.kip.checkpointer.standing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The table of the original, case by case, with what was changed on purpose. */
class JudgeTest {

    private final PlayedNode node = PlayedNode.withGrace(60);

    @Test
    void after_a_power_cut_with_no_api_server_a_checkpoint_runs_at_the_first_look() {
        node.stored("apiserver").apiDown().look();

        assertThat(node.standing("apiserver")).isEqualTo(Standing.ACTIVE);
        assertThat(node.isActive("apiserver")).isTrue();
    }

    @Test
    void a_parent_that_runs_keeps_its_checkpoint_at_rest() {
        node.stored("apiserver").running("apiserver").apiDown().lookFor(600);

        assertThat(node.standing("apiserver")).isEqualTo(Standing.INACTIVE);
        assertThat(node.isActive("apiserver")).isFalse();
    }

    @Test
    void the_checkpoint_yields_when_its_parent_returns() {
        node.stored("apiserver").apiDown().look();
        node.copyRuns("apiserver")
                .running("apiserver")
                .apiUp()
                .parent("apiserver")
                .look();

        assertThat(node.standing("apiserver")).isEqualTo(Standing.INACTIVE);
        assertThat(node.isActive("apiserver")).isFalse();
    }

    @Test
    void the_checkpoint_yields_as_soon_as_its_parent_has_a_container_since_it_may_hold_its_port() {
        node.stored("apiserver").apiDown().look();
        node.run("apiserver", "uid-apiserver", "crashed")
                .apiUp()
                .parent("apiserver")
                .look();

        assertThat(node.isActive("apiserver")).isFalse();
    }

    @Test
    void a_checkpoint_that_runs_goes_on_while_its_parent_is_only_listed() {
        node.stored("apiserver").apiDown().look();
        node.copyRuns("apiserver").apiUp().parent("apiserver").lookFor(300);

        assertThat(node.standing("apiserver")).isEqualTo(Standing.ACTIVE);
    }

    @Test
    void kubelet_gets_its_time_to_start_a_parent_that_the_api_server_has() {
        node.stored("apiserver").apiUp().parent("apiserver").lookFor(55);
        assertThat(node.isActive("apiserver")).isFalse();

        node.lookFor(10);
        assertThat(node.standing("apiserver")).isEqualTo(Standing.ACTIVE);
    }

    @Test
    void nothing_is_started_for_a_parent_that_was_told_to_end() {
        node.stored("apiserver")
                .apiUp()
                .parent("apiserver", "uid-apiserver", "spec-apiserver", java.util.Optional.empty(), true)
                .lookFor(300);

        assertThat(node.isActive("apiserver")).isFalse();
    }

    @Test
    void an_api_server_that_may_answer_is_waited_for_but_not_long() {
        node.stored("apiserver").apiAsking().look();
        assertThat(node.isActive("apiserver")).isFalse();

        node.lookFor(5);
        assertThat(node.standing("apiserver")).isEqualTo(Standing.ACTIVE);
    }

    @Test
    void a_parent_that_ran_before_gets_a_moment_for_a_new_sandbox() {
        node.stored("apiserver").running("apiserver").apiDown().look();
        node.stopped("apiserver").lookFor(5);
        assertThat(node.isActive("apiserver")).isFalse();

        node.lookFor(10);
        assertThat(node.isActive("apiserver")).isTrue();
    }

    @Test
    void a_parent_that_is_gone_takes_its_checkpoint_with_it_after_the_grace_period() {
        node.stored("apiserver").apiUp().parent("other").look();
        assertThat(node.standing("apiserver")).isEqualTo(Standing.INACTIVE_GRACE);

        node.lookFor(55);
        assertThat(node.isStored("apiserver")).isTrue();
        node.lookFor(10);
        assertThat(node.isStored("apiserver")).isFalse();
    }

    @Test
    void a_checkpoint_that_runs_goes_on_through_the_grace_period() {
        node.stored("apiserver").apiDown().look();
        node.copyRuns("apiserver").apiUp().parent("other").look();
        assertThat(node.standing("apiserver")).isEqualTo(Standing.ACTIVE_GRACE);
        assertThat(node.isActive("apiserver")).isTrue();

        node.lookFor(65);
        assertThat(node.isStored("apiserver")).isFalse();
    }

    @Test
    void no_grace_means_at_once() {
        PlayedNode strict = PlayedNode.withGrace(0);
        strict.stored("apiserver").apiUp().parent("other").look();

        assertThat(strict.isStored("apiserver")).isFalse();
    }

    @Test
    void a_parent_that_comes_back_within_the_grace_period_keeps_its_checkpoint() {
        node.stored("apiserver").running("apiserver").apiUp().parent("other").lookFor(40);
        node.parent("apiserver").lookFor(600);

        assertThat(node.standing("apiserver")).isEqualTo(Standing.INACTIVE);
    }

    /** bootkube#755: the only API server is rolled, and is gone with its pod. */
    @Test
    void a_checkpoint_in_grace_runs_when_the_api_server_is_lost_with_its_pod() {
        node.stored("apiserver").running("apiserver").apiUp().parent("other").look();
        node.stopped("apiserver").apiDown().lookFor(15);

        assertThat(node.standing("apiserver")).isEqualTo(Standing.ACTIVE);
    }

    @Test
    void the_grace_period_is_one_of_an_api_server_that_answers_all_the_time() {
        node.stored("apiserver").running("apiserver").apiUp().parent("other").lookFor(50);
        node.apiDown().look();
        node.apiUp().lookFor(55);
        assertThat(node.isStored("apiserver")).isTrue();

        node.lookFor(10);
        assertThat(node.isStored("apiserver")).isFalse();
    }

    @Test
    void a_list_without_any_parent_is_given_twice_the_time() {
        node.stored("apiserver").stored("scheduler").apiUp().lookFor(115);
        assertThat(node.isStored("apiserver")).isTrue();

        node.lookFor(15);
        assertThat(node.isStored("apiserver")).isFalse();
    }

    @Test
    void a_pod_that_was_deleted_while_the_node_was_off_does_not_rise_if_the_api_server_is_there() {
        node.stored("apiserver").apiAsking().look();
        node.apiUp().parent("other").lookFor(300);

        assertThat(node.isStored("apiserver")).isFalse();
        assertThat(node.isActive("apiserver")).isFalse();
    }

    @Test
    void a_manifest_deleted_by_hand_is_restored() {
        node.stored("apiserver").apiDown().look();
        node.manifestDeleted("apiserver").look();

        assertThat(node.isActive("apiserver")).isTrue();
    }

    @Test
    void a_quiet_node_changes_nothing() {
        node.stored("apiserver")
                .running("apiserver")
                .apiUp()
                .parent("apiserver")
                .lookFor(600);
        node.stored("scheduler").apiDown().lookFor(5);
        node.copyRuns("scheduler");
        int before = node.errands;
        node.lookFor(600);

        assertThat(node.errands).isEqualTo(before);
    }

    @Test
    void the_checkpointer_always_runs_beside_its_parent() {
        node.stored("checkpointer")
                .running("checkpointer")
                .apiUp()
                .parent("checkpointer")
                .lookFor(5);
        assertThat(node.standing("checkpointer")).isEqualTo(Standing.SELF);
        assertThat(node.isActive("checkpointer")).isTrue();

        node.apiDown().stopped("checkpointer").lookFor(300);
        assertThat(node.standing("checkpointer")).isEqualTo(Standing.SELF);
    }

    @Test
    void a_checkpointer_that_is_not_wanted_any_more_takes_all_with_it_and_itself_last() {
        node.stored("checkpointer")
                .stored("apiserver")
                .running("apiserver")
                .apiUp()
                .parent("apiserver")
                .look();
        assertThat(node.isActive("checkpointer")).isTrue();
        node.lookFor(40);
        assertThat(node.standing("apiserver")).isEqualTo(Standing.INACTIVE);
        assertThat(node.isStored("checkpointer")).isTrue();

        node.lookFor(25);
        assertThat(node.isStored("apiserver")).isFalse();
        node.lookFor(10);
        assertThat(node.isStored("checkpointer")).isFalse();
    }

    @Test
    void a_checkpointer_that_leaves_goes_after_the_others_even_if_they_cannot_be_removed_yet() {
        node.stored("checkpointer").stored("apiserver").apiUp().lookFor(115);
        node.errandsFail = true;
        node.lookFor(60);
        node.errandsFail = false;
        node.look();
        assertThat(node.isStored("apiserver")).isFalse();
        assertThat(node.isStored("checkpointer")).isTrue();
        assertThat(node.isActive("checkpointer")).isTrue();

        node.look();
        assertThat(node.isStored("checkpointer")).isFalse();
    }
}
