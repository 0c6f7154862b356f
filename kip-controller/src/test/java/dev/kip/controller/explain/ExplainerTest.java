package dev.kip.controller.explain;

import static dev.kip.controller.inventory.Samples.NOW;
import static dev.kip.controller.inventory.Samples.OURS;
import static dev.kip.controller.inventory.Samples.cell;
import static dev.kip.controller.inventory.Samples.holdings;
import static dev.kip.controller.inventory.Samples.instance;
import static dev.kip.controller.inventory.Samples.ours;
import static dev.kip.controller.inventory.Samples.pod;
import static dev.kip.controller.inventory.Samples.proof;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.config.ProviderConfig;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.controller.config.Surroundings;
import dev.kip.controller.explain.Account.Verdict;
import dev.kip.controller.inventory.Holdings;
import dev.kip.crd.LaunchBatch;
import dev.kip.crd.LaunchBatchSpec;
import dev.kip.crd.LaunchBatchSpec.PlannedPod;
import dev.kip.crd.ObjectMetadata;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExplainerTest {

    private static final ControllerSettings SETTINGS = ResolvedConfig.of(
                    ProviderConfig.defaults(),
                    new Surroundings(ImmutableMap.of("AWS_REGION", "us-east-1"), "test", "dev"),
                    "none")
            .value()
            .orElseThrow()
            .controller();

    private static Account explain(Holdings holdings, String name) {
        Explainer explainer = new Explainer(
                holdings, SETTINGS, new Closer(Optional.empty(), ImmutableList.of(), Optional.empty(), false));
        Subject subject = Subject.of(holdings, name);
        if (subject instanceof Subject.OfPod found) {
            return explainer.of(found);
        }
        if (subject instanceof Subject.OfCell found) {
            return explainer.of(found);
        }
        if (subject instanceof Subject.OfInstance found) {
            return explainer.of(found);
        }
        throw new AssertionError(subject);
    }

    @Test
    void a_tag_set_that_was_copied_is_named_as_the_part_that_fails() {
        InstanceFacts copied = instance("i-1", "another", InstanceState.RUNNING, proof("i-1"));

        Account account = explain(holdings(ImmutableList.of(copied), ImmutableList.of(), ImmutableList.of()), "i-1");

        assertThat(account.proof()).extracting(Account.Check::verdict).startsWith(Verdict.YES, Verdict.NO);
        assertThat(account.next()).first().asString().startsWith("Nothing by itself: Kip ends only what is proven");
    }

    @Test
    void a_pod_whose_launch_is_open_is_told_so() {
        Holdings before =
                holdings(ImmutableList.of(), ImmutableList.of(), ImmutableList.of(pod("u", "{'phase':'Pending'}")));
        LaunchBatch batch = new LaunchBatch(
                ObjectMetadata.named("launch-9"),
                new LaunchBatchSpec(
                        OURS, "vk", 3, "n", "d", "t", "k", ImmutableList.of(new PlannedPod("default", "web", "u", 0))));
        Holdings open = new Holdings(
                before.now(),
                before.installationName(),
                before.installation(),
                before.standing(),
                before.others(),
                before.instances(),
                before.cells(),
                ImmutableList.of(batch),
                before.pods(),
                before.leases(),
                before.prices(),
                before.gaps());

        assertThat(explain(before, "web").next()).first().asString().startsWith("It is new to the controller");
        assertThat(explain(open, "default/web").next())
                .first()
                .asString()
                .startsWith("Its launch is in LaunchBatch launch-9 of epoch 3")
                .contains("never sent twice", "5m");
    }

    @Test
    void what_kept_a_pod_from_being_launched_is_told_with_since_when() {
        String status = "{'phase':'Pending','conditions':[{'type':'kip.elotl.co/CellLaunched','status':'False',"
                + "'reason':'LaunchFailedLimitReached','message':'too many vCPUs','lastTransitionTime':'"
                + NOW.minus(Duration.ofMinutes(12)) + "'}]}";

        assertThat(explain(holdings(ImmutableList.of(), ImmutableList.of(), ImmutableList.of(pod("u", status))), "web")
                        .next())
                .first()
                .isEqualTo("It has no instance, for 12m: LaunchFailedLimitReached: too many vCPUs. It is tried again by"
                        + " itself.");
    }

    @Test
    void a_pod_that_started_and_lost_its_instance_fails_and_one_that_had_not_gets_another() {
        InstanceFacts ended = instance("i-1", "token-i-1", InstanceState.TERMINATED, proof("i-1"));
        String started = "{'phase':'Running','containerStatuses':[{'name':'c','state':{'running':{}},'ready':true}]}";

        assertThat(next(ended, started)).contains("the pod becomes Failed, and its owner replaces it");
        assertThat(next(ended, "{'phase':'Pending'}")).contains("it gets another one");
        assertThat(next(ours("i-1"), started)).startsWith("It runs until its pod ends or is deleted.");
        assertThat(next(instance("i-1", "token-i-1", InstanceState.STOPPED, proof("i-1")), started))
                .contains("stopped from outside");
    }

    private static String next(InstanceFacts instance, String status) {
        return explain(
                        holdings(
                                ImmutableList.of(instance),
                                ImmutableList.of(cell("c-0", OURS, "i-1", "u")),
                                ImmutableList.of(pod("u", status))),
                        "web")
                .next()
                .get(0);
    }

    @Test
    void an_instance_that_nothing_claims_is_told_when_it_ends_and_what_may_hold_it() {
        assertThat(explain(holdings(ImmutableList.of(ours("i-1")), ImmutableList.of(), ImmutableList.of()), "i-1")
                        .next())
                .first()
                .asString()
                .contains("ended once the leading controller has seen it so for at least 5m")
                .contains("one that runs a pod that still exists is never ended");
    }

    @Test
    void a_name_that_two_namespaces_have_is_asked_back() {
        Holdings twice =
                holdings(ImmutableList.of(), ImmutableList.of(), ImmutableList.of(pod("u", "{}"), pod("v", "{}")));

        assertThat(Subject.of(twice, "web"))
                .isInstanceOfSatisfying(
                        Subject.Unclear.class,
                        unclear -> assertThat(unclear.message()).contains("there are 2 pods of that name"));
    }
}
