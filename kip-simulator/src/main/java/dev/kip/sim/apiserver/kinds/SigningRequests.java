package dev.kip.sim.apiserver.kinds;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kip.sim.apiserver.schema.FieldErrors;
import java.io.IOException;
import java.util.Base64;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** CertificateSigningRequests: what is asked for does not change; what is said about it is status. */
public final class SigningRequests implements Strategy {

    @Override
    public Traits traits() {
        return Traits.PLAIN.withStatus();
    }

    @Override
    public void beforeUpdate(ObjectNode object, ObjectNode old) {
        object.set("spec", old.path("spec").deepCopy());
    }

    @Override
    public void validate(ObjectNode object, FieldErrors errors) {
        JsonNode spec = object.path("spec");
        if (!isRequest(spec.path("request").asString(""))) {
            errors.invalid(
                    "spec.request",
                    spec.path("request").isMissingNode()
                            ? "null"
                            : spec.path("request").toString(),
                    "PEM block type must be CERTIFICATE REQUEST");
        }
        if (spec.path("usages").isEmpty()) {
            errors.required("spec.usages", "");
        }
        if (spec.path("signerName").asString("").isEmpty()) {
            errors.required("spec.signerName", "");
        }
    }

    private static boolean isRequest(String base64) {
        try {
            read(base64);
            return true;
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * @param base64 of the PEM, as {@code spec.request} has it
     * @throws IOException if it is no PKCS #10 request
     */
    public static PKCS10CertificationRequest read(String base64) throws IOException {
        String pem = new String(Base64.getDecoder().decode(base64), US_ASCII);
        String begin = "-----BEGIN CERTIFICATE REQUEST-----";
        int from = pem.indexOf(begin);
        int to = pem.indexOf("-----END CERTIFICATE REQUEST-----");
        if (from < 0 || to < from) {
            throw new IOException("no PEM block of a certificate request");
        }
        return new PKCS10CertificationRequest(Base64.getMimeDecoder().decode(pem.substring(from + begin.length(), to)));
    }
}
