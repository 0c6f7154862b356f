package dev.kip.controller.kubelet;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.net.InetAddresses;
import dev.kip.cell.wire.EcKey;
import dev.kip.entropy.Entropy;
import dev.kip.kube.Codecs;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Consumer;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.pkcs.PKCS10CertificationRequestBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The serving certificate of the node's kubelet API, asked of the cluster as a kubelet with {@code serverTLSBootstrap} asks:
 * a CertificateSigningRequest of the signer {@code kubernetes.io/kubelet-serving}, which somebody approves. Asked for at each
 * start, for the addresses of that start, and again, with a new key, when four fifths of its life, more or less, have
 * passed. Nothing is kept on disk. Confined to the loop.
 */
public final class ServingCertificates {

    /** What is to be shown from now on, PEM. */
    public record Issued(byte[] certificates, byte[] key) {}

    static final ResourceKind<ObjectNode> REQUESTS = new ResourceKind<>(
            "certificates.k8s.io",
            "v1",
            "CertificateSigningRequest",
            "certificatesigningrequests",
            false,
            Codecs.tree());

    private static final Logger LOG = LoggerFactory.getLogger(ServingCertificates.class);
    private static final String SIGNER = "kubernetes.io/kubelet-serving";
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final Duration LOOK_LATER = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final Duration AGAIN = Duration.ofMinutes(1);
    private static final Duration AFTER_REFUSAL = Duration.ofMinutes(15);

    private final Loop loop;
    private final KubeApi kube;
    private final Entropy entropy;
    private final String node;
    private final ImmutableList<String> addresses;
    private final Consumer<Issued> shown;
    private boolean stopped;

    /** @param addresses names and IPs by which the API server calls the node */
    public ServingCertificates(
            Loop loop,
            KubeApi kube,
            Entropy entropy,
            String node,
            ImmutableList<String> addresses,
            Consumer<Issued> shown) {
        this.loop = loop;
        this.kube = kube;
        this.entropy = entropy;
        this.node = node;
        this.addresses = addresses;
        this.shown = shown;
    }

    /** Asks for the first. */
    public void start() {
        ask();
    }

    public void stop() {
        stopped = true;
    }

    private void later(Duration delay, Runnable task) {
        loop.after(delay, () -> {
            if (!stopped) {
                task.run();
            }
        });
    }

    private void ask() {
        EcKey key = EcKey.create(entropy);
        kube.create(REQUESTS, "", request(key))
                .thenAccept(outcome -> outcome.on(
                        created -> {
                            String name = created.path("metadata").path("name").asString("");
                            LOG.info(
                                    "a serving certificate of the kubelet API is asked for: kubectl certificate approve"
                                            + " {}",
                                    name);
                            later(LOOK, () -> look(name, key, loop.nanos()));
                        },
                        error -> {
                            LOG.warn("a serving certificate cannot be asked for: {}", error.message());
                            later(AGAIN, this::ask);
                        }));
    }

    private ObjectNode request(EcKey key) {
        ObjectNode request = JsonNodeFactory.instance.objectNode();
        request.put("apiVersion", REQUESTS.apiVersion()).put("kind", REQUESTS.kind());
        request.putObject("metadata").put("generateName", "kip-" + node + "-");
        ObjectNode spec = request.putObject("spec");
        spec.put("request", Base64.getEncoder().encodeToString(EcKey.pem("CERTIFICATE REQUEST", der(key))));
        spec.put("signerName", SIGNER);
        spec.putArray("usages").add("digital signature").add("server auth");
        return request;
    }

    private byte[] der(EcKey key) {
        try {
            ExtensionsGenerator extensions = new ExtensionsGenerator();
            extensions.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(addresses.stream()
                            .map(address -> new GeneralName(
                                    InetAddresses.isInetAddress(address) ? GeneralName.iPAddress : GeneralName.dNSName,
                                    address))
                            .toArray(GeneralName[]::new)));
            return new PKCS10CertificationRequestBuilder(
                            new X500NameBuilder()
                                    .addRDN(BCStyle.O, "system:nodes")
                                    .addRDN(BCStyle.CN, "system:node:" + node)
                                    .build(),
                            key.publicKeyInfo())
                    .addAttribute(PKCSObjectIdentifiers.pkcs_9_at_extensionRequest, extensions.generate())
                    .build(key.signer())
                    .getEncoded();
        } catch (IOException e) {
            throw new IllegalStateException("encoding in memory failed", e);
        }
    }

    private void look(String name, EcKey key, long since) {
        kube.get(REQUESTS, new ObjectRef("", name))
                .thenAccept(outcome -> outcome.on(found -> judge(name, key, since, found), error -> {
                    if (error instanceof KubeError.NotFound) {
                        LOG.info("the request {} is gone before it was answered: another is made", name);
                        later(LOOK, this::ask);
                    } else {
                        lookAgain(name, key, since);
                    }
                }));
    }

    private void lookAgain(String name, EcKey key, long since) {
        boolean soon = loop.nanos() - since < SOON.toNanos();
        later(soon ? LOOK : LOOK_LATER, () -> look(name, key, since));
    }

    private void judge(String name, EcKey key, long since, ObjectNode request) {
        Optional<String> refusal = refusal(request);
        String certificate = request.path("status").path("certificate").asString("");
        if (refusal.isPresent()) {
            LOG.warn(
                    "the serving certificate was refused ({}): {}; it is asked for again in {} minutes",
                    name,
                    refusal.get(),
                    AFTER_REFUSAL.toMinutes());
            later(AFTER_REFUSAL, this::ask);
        } else if (certificate.isEmpty()) {
            lookAgain(name, key, since);
        } else {
            take(name, key, certificate);
        }
    }

    private static Optional<String> refusal(ObjectNode request) {
        for (JsonNode condition : request.path("status").path("conditions")) {
            String type = condition.path("type").asString("");
            if (type.equals("Denied") || type.equals("Failed")) {
                return Optional.of(type + " " + condition.path("reason").asString("") + " "
                        + condition.path("message").asString(""));
            }
        }
        return Optional.empty();
    }

    private void take(String name, EcKey key, String certificate) {
        try {
            byte[] pem = Base64.getDecoder().decode(certificate.getBytes(UTF_8));
            X509Certificate first = (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem));
            Instant end = first.getNotAfter().toInstant();
            if (!Arrays.equals(
                    first.getPublicKey().getEncoded(), key.publicKeyInfo().getEncoded())) {
                throw new CertificateException("it is of another key");
            }
            if (!end.isAfter(loop.now())) {
                throw new CertificateException("it ended at " + end);
            }
            shown.accept(new Issued(pem, key.privatePem()));
            LOG.info("the kubelet API has a certificate of the cluster ({}), until {}", name, end);
            later(life(first), this::ask);
        } catch (CertificateException | IOException | IllegalArgumentException e) {
            LOG.warn("the certificate of {} cannot be used: {}", name, e.getMessage());
            later(AGAIN, this::ask);
        }
    }

    /** Until it is time for the next: at 70 to 90 % of its life, as kubelets do, lest all ask at once. */
    private Duration life(X509Certificate certificate) {
        Instant begin = certificate.getNotBefore().toInstant();
        Duration whole = Duration.between(begin, certificate.getNotAfter().toInstant());
        Instant due = begin.plus(whole.multipliedBy(70 + entropy.below(21)).dividedBy(100));
        Duration left = Duration.between(loop.now(), due);
        return left.compareTo(AGAIN) < 0 ? AGAIN : left;
    }
}
