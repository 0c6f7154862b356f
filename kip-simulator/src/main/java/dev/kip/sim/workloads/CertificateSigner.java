package dev.kip.sim.workloads;

import com.google.common.collect.ImmutableSet;
import dev.kip.cell.wire.EcKey;
import dev.kip.entropy.Entropy;
import dev.kip.sim.apiserver.kinds.SigningRequests;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Optional;
import java.util.TreeSet;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Signs what was approved for {@code kubernetes.io/kubelet-serving}, for a year, and fails what is none of it: as the
 * controller manager does. Other signers do not exist here; nothing approves by itself.
 */
final class CertificateSigner {

    private static final String SIGNER = "kubernetes.io/kubelet-serving";
    private static final Duration YEAR = Duration.ofDays(365);
    private static final Duration BACKDATED = Duration.ofMinutes(5);
    private static final X500Name AUTHORITY = new X500Name("CN=kubernetes");
    private static final ImmutableSet<String> WANTED = ImmutableSet.of("digital signature", "server auth");
    private static final String WITH_RSA = "key encipherment";

    private final Cluster cluster;
    private final Cache requests;
    private final WorkQueue queue;
    private Optional<Authority> authority = Optional.empty();

    private record Authority(EcKey key, Entropy serials) {}

    CertificateSigner(Cluster cluster) {
        this.cluster = cluster;
        requests = cluster.cache("certificates.k8s.io", "certificatesigningrequests");
        queue = cluster.queue("certificate signer", this::sync);
        requests.listen((before, after) -> after.ifPresent(request -> queue.add(Cache.key(request))));
    }

    private void sync(String key) {
        Optional<ObjectNode> found = requests.get(key).filter(CertificateSigner::isDue);
        if (found.isEmpty()) {
            return;
        }
        ObjectNode request = found.get().deepCopy();
        ObjectNode status = request.withObjectProperty("status");
        Optional<String> problem;
        try {
            PKCS10CertificationRequest csr =
                    SigningRequests.read(request.at("/spec/request").asString(""));
            problem = problem(csr, request.path("spec").path("usages"));
            if (problem.isEmpty()) {
                status.put(
                        "certificate",
                        Base64.getEncoder().encodeToString(EcKey.pem("CERTIFICATE", sign(csr, request))));
            }
        } catch (IOException e) {
            problem = Optional.of("unable to parse csr: " + e.getMessage());
        }
        problem.ifPresent(why -> fail(status, why));
        cluster.updateStatus(requests, request);
    }

    private static boolean isDue(ObjectNode request) {
        boolean approved = false;
        for (JsonNode condition : request.path("status").path("conditions")) {
            String type = condition.path("type").asString("");
            if (type.equals("Denied") || type.equals("Failed")) {
                return false;
            }
            approved |= type.equals("Approved");
        }
        return approved
                && request.at("/spec/signerName").asString("").equals(SIGNER)
                && request.at("/status/certificate").asString("").isEmpty();
    }

    private void fail(ObjectNode status, String why) {
        status.withArrayProperty("conditions")
                .addObject()
                .put("type", "Failed")
                .put("status", "True")
                .put("reason", "SignerValidationFailure")
                .put("message", why)
                .put("lastUpdateTime", cluster.now().toString())
                .put("lastTransitionTime", cluster.now().toString());
    }

    /** In the words of the controller manager. */
    private static Optional<String> problem(PKCS10CertificationRequest csr, JsonNode usages) {
        RDN[] organisations = csr.getSubject().getRDNs(BCStyle.O);
        if (organisations.length != 1 || !text(organisations[0]).equals("system:nodes")) {
            return Optional.of("subject organization is not system:nodes");
        }
        RDN[] names = csr.getSubject().getRDNs(BCStyle.CN);
        if (names.length != 1 || !text(names[0]).startsWith("system:node:")) {
            return Optional.of("subject common name does not begin with system:node:");
        }
        Optional<GeneralNames> alternatives = alternatives(csr);
        if (alternatives.isEmpty()) {
            return Optional.of("DNS or IP subjectAltName is required");
        }
        for (GeneralName name : alternatives.get().getNames()) {
            if (name.getTagNo() != GeneralName.dNSName && name.getTagNo() != GeneralName.iPAddress) {
                return Optional.of("only DNS and IP subjectAltNames are allowed");
            }
        }
        TreeSet<String> asked = new TreeSet<>();
        usages.forEach(usage -> asked.add(usage.asString("")));
        asked.remove(WITH_RSA);
        return asked.equals(WANTED)
                ? Optional.empty()
                : Optional.of("usages did not match [digital signature key encipherment server auth]");
    }

    private static String text(RDN part) {
        return part.getFirst().getValue().toString();
    }

    private static Optional<GeneralNames> alternatives(PKCS10CertificationRequest csr) {
        return Optional.ofNullable(csr.getRequestedExtensions())
                .map((Extensions extensions) ->
                        GeneralNames.fromExtensions(extensions, Extension.subjectAlternativeName));
    }

    private byte[] sign(PKCS10CertificationRequest csr, ObjectNode request) throws IOException {
        Authority signing = authority.orElseGet(this::create);
        Instant now = cluster.now();
        long asked = request.at("/spec/expirationSeconds").asLong(YEAR.toSeconds());
        Duration life = asked < YEAR.toSeconds() ? Duration.ofSeconds(asked) : YEAR;
        return new X509v3CertificateBuilder(
                        AUTHORITY,
                        new BigInteger(1, signing.serials().bytes(16)).add(BigInteger.ONE),
                        Date.from(now.minus(BACKDATED)),
                        Date.from(now.plus(life)),
                        csr.getSubject(),
                        csr.getSubjectPublicKeyInfo())
                .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                .addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                .addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        alternatives(csr).orElseThrow())
                .build(signing.key().signer())
                .getEncoded();
    }

    /** Made when it first signs. */
    private Authority create() {
        Entropy entropy = cluster.entropy("certificate authority");
        Authority made = new Authority(EcKey.create(entropy), entropy);
        authority = Optional.of(made);
        return made;
    }
}
