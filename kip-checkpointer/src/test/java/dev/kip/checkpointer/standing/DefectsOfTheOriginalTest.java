package dev.kip.checkpointer.standing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.checkpointer.generation.Origin.Controller;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What was found by reading the pod checkpointer of bootkube, each by its number; those of deciding. */
class DefectsOfTheOriginalTest {

    private static final Optional<Controller> DAEMON_SET = Optional.of(new Controller("DaemonSet", "ds-1"));

    private final PlayedNode node = PlayedNode.withGrace(60);

    @Test
    void d1_a_runtime_that_does_not_answer_is_not_one_in_which_nothing_runs() {
        node.stored("apiserver").runtime(false).apiDown().lookFor(600);
        assertThat(node.isActive("apiserver")).isFalse();

        node.runtime(true).look();
        assertThat(node.isActive("apiserver")).isTrue();
        node.runtime(false).lookFor(600);
        assertThat(node.isActive("apiserver")).isTrue();
    }

    @Test
    void d2_an_api_server_that_swallows_every_packet_delays_a_restore_by_seconds() {
        node.stored("apiserver").apiAsking().lookFor(5);

        assertThat(node.isActive("apiserver")).isTrue();
    }

    @Test
    void d3_a_start_and_a_stop_that_failed_are_tried_again() {
        node.errandsFail = true;
        node.stored("apiserver").apiDown().lookFor(20);
        assertThat(node.isActive("apiserver")).isFalse();
        node.errandsFail = false;
        node.look();
        assertThat(node.isActive("apiserver")).isTrue();

        node.errandsFail = true;
        node.running("apiserver").lookFor(20);
        assertThat(node.isActive("apiserver")).isTrue();
        node.errandsFail = false;
        node.look();
        assertThat(node.isActive("apiserver")).isFalse();
    }

    @Test
    void d3_a_changed_spec_reaches_a_checkpoint_that_runs() {
        node.stored("apiserver").apiDown().look();
        node.copyRuns("apiserver")
                .stored("apiserver", "uid-apiserver", "spec-2", Optional.empty(), true)
                .look();

        assertThat(node.activeGeneration("apiserver")).hasValue("g-spec-2");
    }

    @Test
    void d6_a_checkpoint_that_is_needed_but_not_whole_is_reported_and_what_kubelet_has_is_left() {
        node.stored("apiserver").apiDown().look();
        node.damaged("apiserver").look();

        assertThat(node.remark("apiserver")).contains("nothing of it is stored that is whole");
        assertThat(node.isActive("apiserver")).isTrue();
    }

    @Test
    void d14_a_ready_sandbox_in_which_nothing_comes_to_run_does_not_count_for_ever() {
        node.stored("apiserver")
                .run("apiserver", "uid-apiserver", "sandbox")
                .apiDown()
                .lookFor(60);
        assertThat(node.isActive("apiserver")).isFalse();

        node.lookFor(80);
        assertThat(node.standing("apiserver")).isEqualTo(Standing.ACTIVE);
    }

    @Test
    void d14_a_parent_that_crashes_again_and_again_is_replaced_by_what_ran_before() {
        node.stored("apiserver")
                .stored("apiserver", "uid-2", "bad", Optional.empty(), false)
                .apiUp()
                .parent("apiserver", "uid-2", "bad", Optional.empty(), false);
        for (int restart = 0; restart < 14; restart++) {
            node.run("apiserver", "uid-2", "c" + restart, "main").lookFor(5);
            node.run("apiserver", "uid-2", "crashed" + restart).lookFor(5);
        }

        assertThat(node.activeGeneration("apiserver")).hasValue("g-spec-apiserver");
    }

    @Test
    void d14_no_second_copy_of_what_crashes_by_itself_is_started_while_the_api_server_is_away() {
        node.stored("cni").apiDown();
        for (int restart = 0; restart < 60; restart++) {
            node.run("cni", "uid-cni", "c" + restart, "main").lookFor(5);
            node.run("cni", "uid-cni", "crashed" + restart).lookFor(5);
        }

        assertThat(node.isActive("cni")).isFalse();
    }

    @Test
    void a_parent_that_was_not_waited_for_is_trusted_again_when_it_runs() {
        node.stored("apiserver")
                .run("apiserver", "uid-apiserver", "sandbox")
                .apiDown()
                .lookFor(150);
        assertThat(node.isActive("apiserver")).isTrue();
        node.running("apiserver").lookFor(20);
        assertThat(node.isActive("apiserver")).isTrue();

        node.lookFor(20);
        assertThat(node.isActive("apiserver")).isFalse();
    }

    @Test
    void a_parent_that_could_not_start_without_the_api_server_gets_another_chance_with_it() {
        node.stored("apiserver")
                .run("apiserver", "uid-apiserver", "sandbox")
                .apiDown()
                .lookFor(150);
        assertThat(node.isActive("apiserver")).isTrue();

        node.apiUp().parent("apiserver").look();
        assertThat(node.isActive("apiserver")).isTrue();
        node.run("apiserver", "uid-apiserver", "crashed on the port").look();
        assertThat(node.isActive("apiserver")).isFalse();
    }

    /** Seen on kubelet 1.34: the API server that a checkpoint was went away before its parent's container was made. */
    @Test
    void a_bare_sandbox_of_the_parent_does_not_end_the_checkpoint_that_serves_it() {
        node.stored("apiserver").apiDown().look();
        node.copyRuns("apiserver")
                .apiUp()
                .parent("apiserver")
                .run("apiserver", "uid-apiserver", "sandbox")
                .lookFor(30);
        assertThat(node.isActive("apiserver")).isTrue();

        node.run("apiserver", "uid-apiserver", "crashed on the port").look();
        assertThat(node.isActive("apiserver")).isFalse();
    }

    @Test
    void d15_what_never_ran_does_not_replace_what_did() {
        node.stored("apiserver")
                .stored("apiserver", "uid-2", "untried", Optional.empty(), false)
                .apiDown()
                .look();
        assertThat(node.activeGeneration("apiserver")).hasValue("g-spec-apiserver");
    }

    @Test
    void d15_what_has_run_for_a_while_does() {
        node.stored("apiserver")
                .stored("apiserver", "uid-2", "tried", Optional.empty(), false)
                .run("apiserver", "uid-2", "c1", "main")
                .apiUp()
                .parent("apiserver", "uid-2", "tried", Optional.empty(), false)
                .lookFor(40);
        assertThat(node.generations("apiserver")).containsExactly("g-tried");

        node.restart().apiDown().stopped("apiserver").look();
        assertThat(node.activeGeneration("apiserver")).hasValue("g-tried");
    }

    @Test
    void d15_if_what_ran_before_is_not_run_by_kubelet_the_other_one_is_tried_in_turn() {
        node.stored("apiserver")
                .stored("apiserver", "uid-2", "untried", Optional.empty(), false)
                .apiDown()
                .lookFor(70);

        assertThat(node.activeGeneration("apiserver")).hasValue("g-untried");
        assertThat(node.remark("apiserver")).contains("it was given the manifest 2 times");
        node.lookFor(130);
        assertThat(node.activeGeneration("apiserver")).hasValue("g-spec-apiserver");
    }

    @Test
    void d16_nothing_is_removed_while_the_api_server_is_away() {
        node.stored("apiserver").running("apiserver").apiUp().parent("other").lookFor(55);
        node.apiDown().lookFor(3600);

        assertThat(node.isStored("apiserver")).isTrue();
    }

    @Test
    void d17_the_checkpointer_whose_parent_reappears_protects_itself_and_the_others_as_before() {
        node.stored("checkpointer")
                .stored("apiserver")
                .running("checkpointer")
                .apiUp()
                .parent("apiserver")
                .lookFor(30);
        node.parent("checkpointer").lookFor(10);
        assertThat(node.standing("checkpointer")).isEqualTo(Standing.SELF);
        assertThat(node.isActive("checkpointer")).isTrue();

        node.apiDown().lookFor(10);
        node.apiUp().lookFor(10);
        assertThat(node.standing("checkpointer")).isEqualTo(Standing.SELF);
        node.apiDown().lookFor(15);
        assertThat(node.standing("apiserver")).isEqualTo(Standing.ACTIVE);
    }

    @Test
    void d18_a_new_checkpointer_takes_over_and_nothing_else_is_removed() {
        node.stored("checkpointer", "uid-old", "v1", DAEMON_SET, true)
                .active("checkpointer")
                .stored("apiserver")
                .running("apiserver")
                .apiUp()
                .parent("apiserver")
                .parent("checkpointer-new", "uid-new", "v2", DAEMON_SET, false)
                .lookFor(300);
        assertThat(node.isActive("checkpointer"))
                .as("until its successor is stored")
                .isTrue();

        node.stored("checkpointer-new", "uid-new", "v2", DAEMON_SET, false).look();
        assertThat(node.isActive("checkpointer-new")).isTrue();
        assertThat(node.isActive("checkpointer"))
                .as("until its successor is in place")
                .isTrue();
        node.look();
        assertThat(node.isStored("checkpointer")).isFalse();
        assertThat(node.isStored("apiserver")).isTrue();
        assertThat(node.isActive("checkpointer-new")).isTrue();
    }

    @Test
    void d19_a_list_that_is_not_believed_removes_nothing() {
        node.stored("apiserver").stored("scheduler").evidence(false).apiUp().lookFor(3600);

        assertThat(node.isStored("apiserver")).isTrue();
        assertThat(node.isStored("scheduler")).isTrue();
        assertThat(node.remark("apiserver")).contains("is not believed");
    }

    @Test
    void nothing_is_removed_while_the_runtime_does_not_answer() {
        node.stored("apiserver").apiUp().parent("other").lookFor(30);
        node.runtime(false).lookFor(600);

        assertThat(node.isStored("apiserver")).isTrue();
    }

    /** lokomotive#72: the checkpoint of the pod before is all that is left of what worked. */
    @Test
    void the_checkpoint_of_a_daemon_sets_pod_stays_until_its_successor_has_run() {
        node.stored("api-old", "uid-old", "good", DAEMON_SET, true)
                .stored("api-new", "uid-new", "bad", DAEMON_SET, false)
                .apiUp()
                .parent("api-new", "uid-new", "bad", DAEMON_SET, false)
                .run("api-new", "uid-new", "sandbox")
                .lookFor(600);
        assertThat(node.isStored("api-old")).isTrue();

        node.run("api-new", "uid-new", "c1", "main").lookFor(60);
        assertThat(node.isStored("api-old")).isFalse();
    }

    @Test
    void of_a_daemon_sets_checkpoints_only_the_one_that_worked_runs() {
        node.stored("api-old", "uid-old", "good", DAEMON_SET, true)
                .stored("api-new", "uid-new", "bad", DAEMON_SET, false)
                .apiDown()
                .look();

        assertThat(node.isActive("api-old")).isTrue();
        assertThat(node.isActive("api-new")).isFalse();
    }

    @Test
    void the_checkpoint_of_the_pod_before_yields_to_a_daemon_sets_new_pod() {
        node.stored("api-old", "uid-old", "good", DAEMON_SET, true).apiDown().look();
        node.stored("api-new", "uid-new", "new", DAEMON_SET, false)
                .run("api-new", "uid-new", "c1", "main")
                .apiUp()
                .parent("api-new", "uid-new", "new", DAEMON_SET, false)
                .look();

        assertThat(node.isActive("api-old")).isFalse();
    }

    /** kubernetes#138391: what kubelet rejected once it does not look at again. */
    @Test
    void a_checkpoint_that_kubelet_does_not_run_is_reported_and_given_another_face() {
        node.stored("apiserver").apiDown().look();
        var first = node.manifest("apiserver");
        node.lookFor(60);

        assertThat(node.remark("apiserver")).contains("kubelet does not run the checkpoint");
        assertThat(node.manifest("apiserver")).isPresent().isNotEqualTo(first);
        node.lookFor(40);
        assertThat(node.remark("apiserver"))
                .as("said for as long as it is so, not just when it is tried again")
                .contains("kubelet does not run the checkpoint: it was given the manifest 2 times");
    }

    @Test
    void d24_two_checkpointers_in_one_process_have_each_their_own_grace_and_memory() {
        PlayedNode hasty = PlayedNode.withGrace(0).stored("apiserver").apiUp();
        PlayedNode patient = PlayedNode.withGrace(600).stored("apiserver").apiUp();

        hasty.lookFor(10);
        patient.lookFor(10);

        assertThat(hasty.isStored("apiserver")).isFalse();
        assertThat(patient.isStored("apiserver")).isTrue();
    }
}
