package dev.kip.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScenarioReaderTest {

    @Test
    void every_scenario_that_ships_can_be_read() throws Exception {
        for (String name : Library.names()) {
            Scenario scenario = Library.find(name);
            assertThat(scenario.name()).isEqualTo(name);
            assertThat(scenario.because()).as(name).isNotBlank();
            assertThat(scenario.expectations()).as(name).isNotEmpty();
        }
    }

    @Test
    void steps_faults_and_expectations_say_what_the_file_says() throws YamlProblem {
        Scenario scenario = ScenarioReader.read("dir/story.yaml", """
                scenario: a title
                given: {controllers: 2, taint: on}
                steps:
                  - apply: {deployment: web, replicas: 3}
                  - until: {pod: web-*, is: Ready, count: 3, within: 90s}
                faults:
                  - {from: kip-0, to: kubernetes, call: POST cells, nth: 2, do: crash-after, restartAfter: 1s}
                expect:
                  - cells: none
                  - instances: 2
                """);

        assertThat(scenario.name()).isEqualTo("story");
        assertThat(scenario.given().controllers()).isEqualTo(2);
        assertThat(scenario.given().taint()).isTrue();
        assertThat(scenario.steps())
                .extracting(Step::describe)
                .containsExactly("apply deployment web with 3 replicas", "until 3 of pod default/web-* is Ready");
        assertThat(scenario.steps().get(1).within()).isEqualTo(Duration.ofSeconds(90));
        assertThat(scenario.faults())
                .containsExactly(Fault.once(
                        "kip-0",
                        "kubernetes",
                        "POST cells",
                        2,
                        Fate.SENDER_DIES_AFTER,
                        Optional.of(Duration.ofSeconds(1))));
        assertThat(scenario.expectations())
                .extracting(Expectation::describe)
                .containsExactly("cells: none", "instances: 2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "- aply: {pod: x}              | story.yaml:3: steps: \"aply\" is no step. Did you mean \"apply\"?",
                "- apply: {pod: x, cpus: 2}    | story.yaml:3: apply: \"cpus\" is not known here. Did you mean \"cpu\"?",
                "- wait: soon                  | story.yaml:3: wait: \"soon\" is no time; write 500ms, 90s, 5m or 2h",
                "- until: {pod: x, is: ready}  | story.yaml:3: until.is: a pod is never \"ready\". Did you mean \"Ready\"?",
                "- until: {within: 5s}         | story.yaml:3: until.pod: or controller",
                "- delete: {grace: 1}          | story.yaml:3: delete.pod: or deployment",
                "- scale: {deployment: x, replicas: many} | story.yaml:3: scale.replicas: must be a whole number",
                "- apply: x                    | story.yaml:3: apply: a map was expected, not \"x\"",
            })
    void a_wrong_word_is_named_with_its_line_and_the_remedy(String step, String message) {
        assertThatThrownBy(() -> ScenarioReader.read("story.yaml", "scenario: t\nsteps:\n  " + step + "\n"))
                .isInstanceOf(YamlProblem.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "- power: {off: master-3}      | story.yaml:4: power.off: no node is \"master-3\".",
                "- power: {cycle: \"*\", disk: gone} | story.yaml:4: power.disk: \"gone\" is not known here.",
                "- clock: {node: master-1, is: 1970} | story.yaml:4: clock.is: must be right or an instant",
                "- certificate: {of: kublet, is: expired} | certificate.of: \"kublet\" is not known here. Did you mean \"kubelet\"?",
                "- crash: {node: master-1}     | story.yaml:4: crash.pod: is missing",
                "- until: {runs: x, as: copy}  | story.yaml:4: until.as: \"copy\" is not known here.",
                "- terminate: {instanceOf: x}  | story.yaml:4: steps: \"terminate\" is nothing that happens to a plane of nodes",
            })
    void a_wrong_word_about_machines_is_named_too(String step, String message) {
        String story = "scenario: t\ngiven: {nodes: {count: 2, kubelet: \"1.34\"}}\nsteps:\n  ";
        assertThatThrownBy(() -> ScenarioReader.read("story.yaml", story + step + "\n"))
                .isInstanceOf(YamlProblem.class)
                .hasMessageContaining(message);
    }

    @Test
    void machines_are_a_world_of_their_own() {
        assertThatThrownBy(() -> ScenarioReader.read("s.yaml", "scenario: t\nsteps: [{power: {off: master-1}}]\n"))
                .hasMessageContaining("s.yaml:2: power: the story has no nodes; say given: {nodes:");
        assertThatThrownBy(() ->
                        ScenarioReader.read("s.yaml", "scenario: t\nsteps: [{wait: 1s}]\nexpect: [{plane: up}]\n"))
                .hasMessageContaining("s.yaml:3: plane: the story has no nodes");
        assertThatThrownBy(() -> ScenarioReader.read("s.yaml", "scenario: t\ngiven: {nodes: {kubelet: 1.13}}\n"))
                .hasMessageContaining("s.yaml:2: given.nodes.kubelet: \"1.13\" is not modelled. Known: [1.11.3");
        assertThatThrownBy(() -> ScenarioReader.read("s.yaml", "scenario: t\ngiven: {nodes: {}, anchor: s3}\n"))
                .hasMessageContaining("given: \"anchor\" is not known here.");
    }

    @Test
    void a_fault_or_an_expectation_that_is_not_known_is_named() {
        String story = "scenario: t\nsteps: [{wait: 1s}]\n";
        assertThatThrownBy(() -> ScenarioReader.read("s.yaml", story + "faults: [{call: x, do: crash}]\n"))
                .hasMessageContaining("s.yaml:3: faults.do: \"crash\" is no fault.");
        assertThatThrownBy(() -> ScenarioReader.read("s.yaml", story + "expect: [{cels: none}]\n"))
                .hasMessageContaining("s.yaml:3: expect: \"cels\" cannot be expected. Did you mean \"cells\"?");
        assertThatThrownBy(() -> ScenarioReader.read("s.yaml", "scenario: t\n"))
                .hasMessageContaining("steps: is missing");
    }

    @Test
    void a_fault_strikes_once_at_the_request_it_is_anchored_to() {
        Fault fault = Fault.once("kip*", "*", "POST *", 2, Fate.SENDER_DIES_BEFORE, Optional.empty());
        List<String> deaths = new ArrayList<>();
        FaultPlan plan =
                new FaultPlan(com.google.common.collect.ImmutableList.of(fault), (f, sender) -> deaths.add(sender));
        Call other = new Call("kube", "kubernetes", "POST pods", "x", true);
        Call call = new Call("kip-0", "kubernetes", "POST cells", "x", true);

        assertThat(plan.missed()).containsExactly(fault);
        assertThat(List.of(plan.fateOf(call), plan.fateOf(other), plan.fateOf(call), plan.fateOf(call)))
                .containsExactly(Fate.ARRIVES, Fate.ARRIVES, Fate.SENDER_DIES_BEFORE, Fate.ARRIVES);
        assertThat(plan.missed()).isEmpty();
        assertThat(deaths).containsExactly("kip-0");
    }
}
