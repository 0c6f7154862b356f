package dev.kip.sim.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.AnchorStore.Written;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.cloud.aws.AwsAnchors;
import dev.kip.http.HttpService;
import dev.kip.outcome.Outcome;
import dev.kip.sim.kernel.CallFaults;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimOffload;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.SimSdkHttpClient;
import dev.kip.sim.kernel.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;

/** The suite on a simulated service, by the SDK over the simulated network; and what only a simulated one can be asked. */
abstract class SimulatedSuite extends AnchorSuite {

    private static final Instant BEGINNING = Instant.parse("2030-01-01T00:00:00Z");

    final Kernel kernel = new Kernel(23, BEGINNING, new Trace(false));
    final SimProcess server = new SimProcess(kernel, "anchor");
    private final SimNetwork network = new SimNetwork(
            kernel, (from, to, request) -> new Call(from, to, request.method(), request.rawPath(), true));
    private final AnchorStore store = open("kip", location());

    abstract HttpService service();

    abstract String location();

    abstract String nowhereLocation();

    abstract void denyAccess(boolean all);

    /** Everything there is, lost and taken up again from a snapshot. */
    abstract void restart();

    abstract int calls();

    @BeforeEach
    void listen() {
        network.listen("anchor.sim", -1, "anchor", server, service());
    }

    final AnchorStore open(String process, String location) {
        SimOffload offload = new SimOffload(new SimProcess(kernel, process), 2, Duration.ofMillis(200));
        return AwsAnchors.open(
                new CloudSettings(
                        "us-east-1", Optional.empty(), Optional.empty(), Optional.empty(), false, ImmutableMap.of()),
                location,
                Optional.of("http://anchor.sim"),
                offload,
                new SimSdkHttpClient(network, offload),
                AnonymousCredentialsProvider.create());
    }

    @Override
    AnchorStore store() {
        return store;
    }

    @Override
    AnchorStore nowhere() {
        return open("lost", nowhereLocation());
    }

    @Override
    <T> Outcome<T, CloudError> await(CompletionStage<Outcome<T, CloudError>> stage) {
        var future = stage.toCompletableFuture();
        assertThat(kernel.runUntil(future::isDone, Duration.ofMinutes(2))).isTrue();
        return future.join();
    }

    @Test
    void of_many_that_write_at_once_one_wins() {
        String version = ok(store().write("race", "start", Optional.empty())).version();
        List<CompletionStage<Outcome<Written, CloudError>>> writes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            writes.add(open("racer-" + i, location()).write("race", "of " + i, Optional.of(version)));
        }

        List<Outcome<Written, CloudError>> outcomes =
                writes.stream().map(this::await).toList();

        assertThat(outcomes).filteredOn(outcome -> outcome.value().isPresent()).hasSize(1);
        assertThat(outcomes)
                .filteredOn(outcome -> outcome.value().isEmpty())
                .allSatisfy(
                        outcome -> assertThat(outcome.error().orElseThrow()).isInstanceOf(CloudError.Changed.class));
    }

    @Test
    void of_ten_that_add_ten_each_at_once_no_addition_is_lost() {
        ok(store().write("count", "0", Optional.empty()));
        List<CompletionStage<Integer>> adders = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            adders.add(add(open("adder-" + i, location()), 10, 0));
        }

        int refusals = 0;
        for (CompletionStage<Integer> adder : adders) {
            var future = adder.toCompletableFuture();
            assertThat(kernel.runUntil(future::isDone, Duration.ofMinutes(10))).isTrue();
            refusals += future.join();
        }

        assertThat(ok(store().read("count")).object().orElseThrow().content()).isEqualTo("100");
        assertThat(refusals).as("they were in each other's way").isPositive();
    }

    /** Adds one {@code left} times, as often as it takes; tells how often it was refused. */
    private static CompletionStage<Integer> add(AnchorStore store, int left, int refusals) {
        if (left == 0) {
            return CompletableFuture.completedFuture(refusals);
        }
        return store.read("count").thenCompose(reading -> {
            var seen = reading.value().orElseThrow().object().orElseThrow();
            String next = String.valueOf(Integer.parseInt(seen.content()) + 1);
            return store.write("count", next, Optional.of(seen.version()))
                    .thenCompose(written -> written.value().isPresent()
                            ? add(store, left - 1, refusals)
                            : add(store, left, refusals + 1));
        });
    }

    @Test
    void the_stores_time_is_virtual() {
        kernel.runFor(Duration.ofHours(5));

        assertThat(ok(store().read("a")).serverTime())
                .isBetween(
                        BEGINNING.plus(Duration.ofHours(5)),
                        BEGINNING.plus(Duration.ofHours(5).plusSeconds(1)));
    }

    @Test
    void a_write_whose_answer_is_lost_has_had_its_effect_and_is_no_answer() {
        network.faults(call -> CallFaults.Fate.REPLY_LOST);
        CloudError error = failed(store().write("a", "one", Optional.empty()));
        network.faults(CallFaults.NONE);

        assertThat(error).isInstanceOf(CloudError.NoAnswer.class);
        assertThat(ok(store().read("a")).object().orElseThrow().content()).isEqualTo("one");
    }

    @Test
    void without_permission_nothing_is_told_or_done() {
        denyAccess(true);
        assertThat(failed(store().read("a"))).isInstanceOf(CloudError.Forbidden.class);
        assertThat(failed(store().write("a", "one", Optional.empty()))).isInstanceOf(CloudError.Forbidden.class);
        assertThat(failed(store().list("", ""))).isInstanceOf(CloudError.Forbidden.class);
        denyAccess(false);

        assertThat(ok(store().read("a")).object()).isEmpty();
    }

    @Test
    void more_keys_than_a_page_holds_come_in_pages() {
        for (int i = 0; i < 1100; i++) {
            ok(store().write("many/" + i, "x".repeat(2000), Optional.empty()));
        }
        int before = calls();

        assertThat(listed("many/")).hasSize(1100);
        assertThat(calls() - before).isGreaterThan(1);
    }

    @Test
    void a_restart_from_a_snapshot_loses_nothing() {
        String version = ok(store().write("a", "one", Optional.empty())).version();

        restart();
        listen();

        ok(store().write("a", "two", Optional.of(version)));
        assertThat(ok(store().read("a")).object().orElseThrow().content()).isEqualTo("two");
    }
}
