package dev.kip.sim.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.loop.Loop;
import dev.kip.loop.Offload.Abandoned;
import dev.kip.outcome.Outcome;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KernelTest {

    private static final Instant EPOCH = Instant.parse("2030-01-01T00:00:00Z");

    private final List<String> seen = new ArrayList<>();
    private final Kernel kernel = new Kernel(7, EPOCH, new Trace(true));

    @Test
    void events_run_in_order_of_time_and_then_of_insertion() {
        SimProcess process = new SimProcess(kernel, "p");
        process.after(Duration.ofSeconds(2), () -> seen.add("late"));
        process.after(Duration.ofSeconds(1), () -> seen.add("first"));
        process.after(Duration.ofSeconds(1), () -> seen.add("second"));

        kernel.runFor(Duration.ofSeconds(3));

        assertThat(seen).containsExactly("first", "second", "late");
        assertThat(kernel.now()).isEqualTo(EPOCH.plusSeconds(3));
    }

    /** Three processes with three events each, all due at one moment. */
    private List<String> atOneMoment(long seed, boolean drawn) {
        List<String> order = new ArrayList<>();
        Kernel other = new Kernel(seed, EPOCH, new Trace(false));
        if (drawn) {
            other.drawOrder();
        }
        for (int i = 0; i < 3; i++) {
            for (String name : List.of("p", "q", "r")) {
                int number = i;
                new SimProcess(other, name).after(Duration.ofSeconds(1), () -> order.add(name + number));
            }
        }
        other.runFor(Duration.ofSeconds(2));
        return order;
    }

    @Test
    void a_drawn_order_mixes_processes_but_keeps_the_events_of_each_in_order() {
        assertThat(atOneMoment(1, false)).containsExactly("p0", "q0", "r0", "p1", "q1", "r1", "p2", "q2", "r2");
        List<List<String>> orders = new ArrayList<>();
        for (long seed = 0; seed < 20; seed++) {
            List<String> order = atOneMoment(seed, true);
            assertThat(order).isEqualTo(atOneMoment(seed, true)).hasSize(9);
            for (String name : List.of("p", "q", "r")) {
                assertThat(order).containsSubsequence(name + "0", name + "1", name + "2");
            }
            orders.add(order);
        }
        assertThat(orders)
                .anyMatch(order -> order.get(0).equals("r0"))
                .anyMatch(order -> order.get(0).equals("q0"));
    }

    @Test
    void a_killed_process_runs_no_more() {
        SimProcess process = new SimProcess(kernel, "p");
        process.after(Duration.ofSeconds(2), () -> seen.add("never"));
        kernel.schedule(Duration.ofSeconds(1), process::kill);

        kernel.runFor(Duration.ofSeconds(3));

        assertThat(seen).isEmpty();
    }

    @Test
    void a_paused_process_catches_up_in_order_when_it_goes_on() {
        SimProcess process = new SimProcess(kernel, "p");
        process.after(Duration.ofSeconds(1), () -> seen.add("a at " + kernel.elapsed()));
        Loop.Timer cancelled = process.after(Duration.ofSeconds(2), () -> seen.add("cancelled"));
        process.after(Duration.ofSeconds(3), () -> seen.add("b at " + kernel.elapsed()));
        process.after(Duration.ofSeconds(3), cancelled::cancel);
        process.pause(Duration.ofSeconds(60));

        kernel.runFor(Duration.ofSeconds(70));

        assertThat(seen).containsExactly("a at PT1M", "cancelled", "b at PT1M");
    }

    @Test
    void
            a_machine_that_is_suspended_again_while_it_sleeps_wakes_at_the_later_end_and_its_timers_wait_for_their_time_awake() {
        SimProcess process = new SimProcess(kernel, "p");
        process.after(Duration.ofSeconds(5), () -> seen.add("timer at " + kernel.elapsed()));
        process.after(Duration.ofSeconds(100), () -> seen.add("late timer at " + kernel.elapsed()));
        kernel.schedule(Duration.ofSeconds(2), () -> process.suspend(Duration.ofSeconds(60)));
        kernel.schedule(Duration.ofSeconds(10), () -> process.suspend(Duration.ofSeconds(20)));
        kernel.schedule(Duration.ofSeconds(40), () -> process.post(() -> seen.add("message at " + kernel.elapsed())));
        long before = process.nanos();

        kernel.runFor(Duration.ofSeconds(200));

        assertThat(seen).containsExactly("message at PT1M2S", "timer at PT1M5S", "late timer at PT2M40S");
        assertThat(Duration.ofNanos(process.nanos() - before)).isEqualTo(Duration.ofSeconds(140));
    }

    @Test
    void a_fork_depends_on_its_name_and_not_on_what_was_drawn_before() {
        SeededEntropy one = new SeededEntropy(1);
        SeededEntropy other = new SeededEntropy(1);
        other.nextLong();

        assertThat(one.fork("ec2").nextLong()).isEqualTo(other.fork("ec2").nextLong());
        assertThat(one.fork("ec2").nextLong()).isNotEqualTo(one.fork("network").nextLong());
    }

    @Test
    void the_reply_of_a_call_that_had_its_effect_can_be_lost() {
        SimNetwork network = network();
        network.faults(call -> Fate.REPLY_LOST);
        List<String> effects = new ArrayList<>();
        SimProcess server = new SimProcess(kernel, "server");
        network.listen("api", 443, "kubernetes", server, call -> {
            effects.add(call.method());
            call.respond(200, ImmutableMap.of(), new byte[0]);
        });

        post(network, new SimProcess(kernel, "client"));
        kernel.runFor(Duration.ofSeconds(1));

        assertThat(effects).containsExactly("POST");
        assertThat(seen).containsExactly("broken connection reset before the answer");
    }

    @Test
    void a_lost_request_has_no_effect_and_a_silent_one_no_end() {
        SimNetwork network = network();
        SimProcess server = new SimProcess(kernel, "server");
        network.listen("api", 443, "kubernetes", server, call -> seen.add("effect"));

        network.faults(call -> Fate.REQUEST_LOST);
        post(network, new SimProcess(kernel, "client"));
        kernel.runFor(Duration.ofSeconds(1));
        assertThat(seen).containsExactly("broken connection reset");

        seen.clear();
        network.faults(call -> Fate.SILENCE);
        post(network, new SimProcess(kernel, "client"));
        kernel.runFor(Duration.ofHours(1));
        assertThat(seen).isEmpty();
    }

    @Test
    void the_answer_breaks_when_the_server_dies_in_the_middle() {
        SimNetwork network = network();
        SimProcess server = new SimProcess(kernel, "server");
        network.listen("api", 443, "kubernetes", server, call -> {
            call.stream(200, ImmutableMap.of()).write("one".getBytes(StandardCharsets.UTF_8));
            server.after(Duration.ofSeconds(1), server::kill);
        });

        post(network, new SimProcess(kernel, "client"));
        kernel.runFor(Duration.ofSeconds(2));

        assertThat(seen).containsExactly("200", "one", "broken connection reset");
    }

    @Test
    void an_offloaded_call_in_flight_outlives_the_process_that_sent_it() {
        SimProcess process = new SimProcess(kernel, "client");
        SimOffload offload = new SimOffload(process, 2, Duration.ofSeconds(1));
        offload.call("ec2.RunInstances", Duration.ofSeconds(10), () -> seen.add("launched"))
                .thenAccept(answer -> seen.add("answered"));
        process.kill();

        kernel.runFor(Duration.ofSeconds(20));

        assertThat(seen).containsExactly("launched");
    }

    @Test
    void a_call_that_never_returns_is_ended_by_its_deadline_and_keeps_its_slot() {
        SimProcess process = new SimProcess(kernel, "client");
        SimOffload offload = new SimOffload(process, 1, Duration.ofSeconds(1));
        offload.call("ec2.RunInstances", Duration.ofSeconds(10), () -> {
                    throw new SimNetwork.Silence();
                })
                .thenAccept(answer -> seen.add(name(answer)));
        offload.call("ec2.DescribeInstances", Duration.ofSeconds(20), () -> seen.add("never invoked"))
                .thenAccept(answer -> seen.add(name(answer)));

        kernel.runFor(Duration.ofSeconds(30));

        assertThat(seen).containsExactly("DeadlinePassed", "DeadlinePassed");
        assertThat(kernel.elapsed()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void equal_seeds_give_equal_hashes_and_other_seeds_other_ones() {
        assertThat(hashOf(1)).isEqualTo(hashOf(1)).isNotEqualTo(hashOf(2));
    }

    private static String hashOf(long seed) {
        Kernel kernel = new Kernel(seed, EPOCH, new Trace(false));
        SimNetwork network = new SimNetwork(kernel, KernelTest::describe);
        SimProcess server = new SimProcess(kernel, "server");
        network.listen("api", 443, "kubernetes", server, call -> call.respond(200, ImmutableMap.of(), call.body()));
        SimProcess client = new SimProcess(kernel, "client");
        network.send(client, URI.create("https://api:443/x"), request(), new Recorder(new ArrayList<>()));
        kernel.runFor(Duration.ofSeconds(1));
        return kernel.trace().hash();
    }

    private static String name(Outcome<?, Abandoned> answer) {
        return answer.error().map(e -> e.getClass().getSimpleName()).orElse("ok");
    }

    private SimNetwork network() {
        return new SimNetwork(kernel, KernelTest::describe);
    }

    private static Call describe(String from, String to, SimNetwork.Request request) {
        return new Call(
                from, to, request.method(), request.rawPath(), !request.method().equals("GET"));
    }

    private void post(SimNetwork network, SimProcess client) {
        network.send(client, URI.create("https://api:443/x"), request(), new Recorder(seen));
    }

    private static SimNetwork.Request request() {
        return new SimNetwork.Request("POST", "/x", "", ImmutableListMultimap.of(), new byte[] {1}, Optional.empty());
    }

    private record Recorder(List<String> seen) implements SimNetwork.Answer {
        @Override
        public void head(int status, ImmutableMap<String, String> headers) {
            seen.add(Integer.toString(status));
        }

        @Override
        public void piece(byte[] piece) {
            seen.add(new String(piece, StandardCharsets.UTF_8));
        }

        @Override
        public void end() {
            seen.add("end");
        }

        @Override
        public void broken(IOException reason) {
            seen.add("broken " + reason.getMessage());
        }
    }
}
