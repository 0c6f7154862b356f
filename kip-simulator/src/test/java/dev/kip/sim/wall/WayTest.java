package dev.kip.sim.wall;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.sun.net.httpserver.HttpServer;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.scenario.Fault;
import dev.kip.sim.wall.HttpFraming.Message;
import dev.kip.sim.wall.Way.Passage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of a controller's requests on their way to EC2. */
@Timeout(30)
class WayTest {

    private static final String LAUNCH = "Action=RunInstances&MinCount=1&MaxCount=3&ClientToken=t-1";

    private final List<String> served = new CopyOnWriteArrayList<>();
    private final List<String> killed = new CopyOnWriteArrayList<>();
    private final CloudGate gate = new CloudGate(new Answers());
    private final HttpClient client = HttpClient.newHttpClient();
    private Traffic traffic = new Traffic(ImmutableList.of());
    private HttpServer server;
    private Way way;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            served.add(body);
            byte[] answer = ("answer " + served.size()).getBytes(UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        way = new Way(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
                SocketFactory.getDefault(),
                ServerSocketFactory.getDefault(),
                false,
                new Way.Gate() {
                    @Override
                    public Passage judge(Message request) {
                        var call = Traffic.cloud("kip-0", request);
                        return gate.judge(call, Passage.of(traffic.passes(call), request));
                    }

                    @Override
                    public void kill() {
                        killed.add("served " + served.size());
                    }
                },
                Optional.empty());
    }

    @AfterEach
    void end() {
        way.close();
        server.stop(0);
    }

    @Test
    void a_launch_asks_for_all_and_one_of_the_same_token_gets_the_same_answer() throws Exception {
        assertThat(send(LAUNCH).body()).isEqualTo("answer 1");
        assertThat(send(LAUNCH).body()).isEqualTo("answer 1");

        assertThat(served).containsExactly("Action=RunInstances&MinCount=3&MaxCount=3&ClientToken=t-1");
        assertThat(traffic.count("kip-*", "ec2", "RunInstances", Optional.empty()))
                .isEqualTo(2);
        traffic.mark("then");
        send("Action=TerminateInstances");
        assertThat(traffic.count("*", "ec2", "mutating", Optional.of("then"))).isEqualTo(1);
    }

    @Test
    void what_is_denied_and_what_there_is_no_room_for_never_arrives() throws Exception {
        gate.deny("TerminateInstances");
        gate.noRoom();

        HttpResponse<String> denied = send("Action=TerminateInstances");
        assertThat(denied.statusCode()).isEqualTo(403);
        assertThat(denied.body()).contains("<Code>UnauthorizedOperation</Code>");
        assertThat(send(LAUNCH).body()).contains("<Code>InsufficientInstanceCapacity</Code>");
        assertThat(served).isEmpty();

        gate.heal();
        assertThat(send(LAUNCH).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fate.class,
            names = {"SENDER_DIES_BEFORE", "SENDER_DIES_AFTER", "REQUEST_LOST", "REPLY_LOST"})
    void a_fault_strikes_the_request_that_it_is_anchored_to(Fate fate) throws Exception {
        traffic = new Traffic(
                ImmutableList.of(Fault.once("kip*", "ec2", "TerminateInstances", 2, fate, Optional.empty())));
        send("Action=TerminateInstances&n=1");

        assertThatThrownBy(() -> send("Action=TerminateInstances&n=2")).isInstanceOf(IOException.class);

        boolean arrived = fate == Fate.SENDER_DIES_AFTER || fate == Fate.REPLY_LOST;
        assertThat(served).hasSize(arrived ? 2 : 1);
        assertThat(killed)
                .isEqualTo(
                        switch (fate) {
                            case SENDER_DIES_BEFORE -> List.of("served 1");
                            case SENDER_DIES_AFTER -> List.of("served 2");
                            default -> List.of();
                        });
        assertThat(traffic.missed()).isEmpty();
        assertThat(send("Action=TerminateInstances&n=3").statusCode()).isEqualTo(200);
    }

    @Test
    void while_it_is_cut_nobody_answers_and_then_all_is_as_before() throws Exception {
        way.cut();
        assertThatThrownBy(() -> send("Action=DescribeVpcs")).isInstanceOf(HttpTimeoutException.class);
        assertThat(served).isEmpty();

        way.heal();
        assertThat(send("Action=DescribeVpcs").statusCode()).isEqualTo(200);
    }

    private HttpResponse<String> send(String form) throws Exception {
        return client.send(
                HttpRequest.newBuilder(way.address().resolve("/"))
                        .version(HttpClient.Version.HTTP_1_1)
                        .timeout(Duration.ofSeconds(2))
                        .POST(HttpRequest.BodyPublishers.ofString(form))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
