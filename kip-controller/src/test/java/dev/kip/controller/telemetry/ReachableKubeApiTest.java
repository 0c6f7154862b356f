package dev.kip.controller.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.outcome.Outcome;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ReachableKubeApiTest {

    private static final Logger LOG = (Logger) LoggerFactory.getLogger(ReachableKubeApi.class);

    private final ListAppender<ILoggingEvent> said = new ListAppender<>();
    private final List<Boolean> changes = new ArrayList<>();
    private final HandLoop loop = new HandLoop();
    private Outcome<?, KubeError> answer = Outcome.failed(new KubeError.NoAnswer("get leases: Connection refused"));
    private final KubeApi api = new ReachableKubeApi(
            (KubeApi) Proxy.newProxyInstance(
                    KubeApi.class.getClassLoader(),
                    new Class<?>[] {KubeApi.class},
                    (proxy, method, arguments) -> CompletableFuture.completedFuture(answer)),
            "https://10.0.0.1",
            loop,
            changes::add);

    @BeforeEach
    void listen() {
        said.start();
        LOG.addAppender(said);
        LOG.setLevel(Level.INFO);
        LOG.setAdditive(false);
    }

    @AfterEach
    void stopListening() {
        LOG.detachAppender(said);
    }

    @Test
    void an_api_server_that_does_not_answer_is_complained_about_once_and_then_every_half_minute() {
        ask();
        loop.pass(Duration.ofSeconds(10));
        ask();
        assertThat(lines())
                .containsExactly(
                        "the API server https://10.0.0.1 does not answer; trying again and again. Is it up, and is"
                                + " the address right? (get leases: Connection refused)");

        loop.pass(Duration.ofSeconds(21));
        ask();

        assertThat(lines()).hasSize(2);
        assertThat(changes).containsExactly(false);
    }

    @Test
    void it_is_told_when_it_answers_again_even_with_an_error() {
        ask();
        answer = Outcome.failed(new KubeError.NotFound("leases \"kip\" not found"));
        ask();
        ask();

        assertThat(changes).containsExactly(false, true);
        assertThat(lines()).last().isEqualTo("the API server https://10.0.0.1 answers");
    }

    @Test
    void refused_credentials_are_named_as_such() {
        answer = Outcome.failed(new KubeError.Unauthorized("get leases: Unauthorized"));

        ask();

        assertThat(lines()).singleElement().asString().contains("refuses our credentials", "kubeconfig");
    }

    private void ask() {
        api.get(Kinds.LEASES, new ObjectRef("kip", "kip"));
    }

    private List<String> lines() {
        return said.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
