package dev.kip.sim.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.kubelet.ServingCertificates;
import dev.kip.controller.kubelet.ServingCertificates.Issued;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.KubeApi;
import dev.kip.sim.apiserver.ApiServer;
import dev.kip.sim.apiserver.ApiServerSettings;
import dev.kip.sim.kernel.CallFaults;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimHttpClient;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** The kubelet API's certificate, from the request to the rotation, by a simulated cluster. */
class ServingCertificatesTest {

    private static final URI API = URI.create("https://api:6443");

    private final Kernel kernel = new Kernel(7, Instant.parse("2026-11-30T12:00:00Z"), new Trace(false));
    private final SimNetwork network = new SimNetwork(
            kernel, (from, to, request) -> new CallFaults.Call(from, to, request.method(), request.rawPath(), false));
    private final SimProcess server = new SimProcess(kernel, "apiserver");
    private final SimProcess controller = new SimProcess(kernel, "controller");
    private final ApiServer apiServer = new ApiServer(server, kernel.entropy("apiserver"), ApiServerSettings.DEFAULT);
    private final List<Issued> issued = new ArrayList<>();
    private final KubeApi kube = new HttpKubeApi(
            new SimHttpClient(network, controller, Optional.empty()),
            API,
            controller,
            Runnable::run,
            Duration.ofSeconds(10));

    @BeforeEach
    void serve() {
        network.listen(API.getHost(), API.getPort(), "api", server, apiServer);
        Cluster cluster = new Cluster(apiServer.client(), server, kernel.entropy("controllers"));
        new CertificateSigner(cluster);
        cluster.start();
    }

    private ServingCertificates start(String address) {
        ServingCertificates certificates = new ServingCertificates(
                controller, kube, kernel.entropy("keys"), "kip", ImmutableList.of(address, "kip"), issued::add);
        controller.post(certificates::start);
        kernel.runFor(Duration.ofSeconds(10));
        return certificates;
    }

    private List<ObjectNode> requests() {
        return apiServer
                .client()
                .list(apiServer.client().resource("certificates.k8s.io", "certificatesigningrequests"), "");
    }

    /** As {@code kubectl certificate approve} or {@code deny} does with the newest. */
    private void say(String type) {
        ObjectNode request = requests().stream()
                .filter(each -> each.path("status").path("conditions").isEmpty())
                .findFirst()
                .orElseThrow()
                .deepCopy();
        request.withObjectProperty("status")
                .withArrayProperty("conditions")
                .addObject()
                .put("type", type)
                .put("status", "True")
                .put("reason", "Test");
        apiServer
                .client()
                .update(
                        apiServer.client().resource("certificates.k8s.io", "certificatesigningrequests"),
                        "status",
                        request);
        kernel.runFor(Duration.ofMinutes(1));
    }

    private static X509Certificate certificate(Issued given) throws CertificateException {
        return (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(given.certificates()));
    }

    private static List<String> names(X509Certificate certificate) throws CertificateParsingException {
        return certificate.getSubjectAlternativeNames().stream()
                .map(name -> name.get(1).toString())
                .sorted()
                .toList();
    }

    @Test
    void what_was_approved_is_signed_and_served() throws Exception {
        start("10.1.0.5");
        assertThat(issued).isEmpty();
        assertThat(requests()).hasSize(1);
        assertThat(requests().get(0).at("/spec/signerName").asString("")).isEqualTo("kubernetes.io/kubelet-serving");
        say("Approved");

        assertThat(issued).hasSize(1);
        X509Certificate certificate = certificate(issued.get(0));
        assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=system:node:kip,O=system:nodes");
        assertThat(names(certificate)).containsExactly("10.1.0.5", "kip");
        assertThat(new String(issued.get(0).key(), java.nio.charset.StandardCharsets.US_ASCII))
                .startsWith("-----BEGIN PRIVATE KEY-----");
    }

    @Test
    void KAPI_11_a_new_start_asks_for_the_address_of_that_start() throws Exception {
        start("10.1.0.5").stop();
        say("Approved");
        issued.clear();
        start("10.1.0.9");
        say("Approved");

        assertThat(names(certificate(issued.get(0)))).containsExactly("10.1.0.9", "kip");
    }

    @Test
    void the_next_is_asked_for_before_the_last_ends_with_another_key() throws Exception {
        start("10.1.0.5");
        say("Approved");
        Instant end = certificate(issued.get(0)).getNotAfter().toInstant();
        kernel.runUntil(() -> requests().size() == 2, Duration.ofDays(365));

        assertThat(kernel.now()).isBetween(end.minus(Duration.ofDays(110)), end.minus(Duration.ofDays(36)));
        say("Approved");
        assertThat(issued).hasSize(2);
        assertThat(certificate(issued.get(1)).getPublicKey())
                .isNotEqualTo(certificate(issued.get(0)).getPublicKey());
    }

    @Test
    void a_refusal_is_accepted_for_a_quarter_of_an_hour() {
        start("10.1.0.5");
        say("Denied");
        kernel.runFor(Duration.ofMinutes(13));
        assertThat(requests()).hasSize(1);
        kernel.runFor(Duration.ofMinutes(2));

        assertThat(requests()).hasSize(2);
        assertThat(issued).isEmpty();
    }

    @Test
    void a_request_that_somebody_deleted_is_made_again() {
        start("10.1.0.5");
        ObjectNode request = requests().get(0);
        apiServer
                .client()
                .delete(
                        apiServer.client().resource("certificates.k8s.io", "certificatesigningrequests"),
                        "",
                        request.at("/metadata/name").asString(""),
                        PlayedCluster.json("{}"));
        kernel.runFor(Duration.ofSeconds(30));

        assertThat(requests()).hasSize(1);
        assertThat(requests().get(0).at("/metadata/name")).isNotEqualTo(request.at("/metadata/name"));
    }

    @Test
    void without_an_API_server_it_is_tried_again() {
        network.unlisten(API.getHost(), API.getPort());
        start("10.1.0.5");
        assertThat(requests()).isEmpty();
        network.listen(API.getHost(), API.getPort(), "api", server, apiServer);
        kernel.runFor(Duration.ofMinutes(3));

        assertThat(requests()).isNotEmpty();
    }
}
