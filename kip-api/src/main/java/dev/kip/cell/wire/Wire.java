package dev.kip.cell.wire;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.PodBundle;
import dev.kip.bundle.PodBundle.BundleFile;
import dev.kip.cell.CellReport;
import dev.kip.cell.CellReport.Kubelet;
import dev.kip.cell.CellReport.PodReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The messages of the agent's protocol as JSON, UTF-8. Decoders throw {@link IllegalArgumentException} naming the field,
 * what was wanted and what was found; they ignore fields that they do not know. Pure.
 */
public final class Wire {

    /** Where an agent listens. */
    public static final int PORT = 6421;

    /** Where a cell's kubelet listens. */
    public static final int KUBELET_PORT = 10_250;

    public static final String IDENTITY = "/v1/identity";
    public static final String STATE = "/v1/state";
    public static final String POD = "/v1/pod";
    public static final String END = "/v1/pod/end";

    /** Query parameter of every request but {@link #IDENTITY}: whom it is meant for. */
    public static final String INSTANCE = "instance";

    public static final String NONCE = "nonce";
    public static final String SEEN = "seen";

    /** Whole seconds. */
    public static final String WAIT = "wait";

    /** A longer wait is cut to this. */
    public static final Duration MAX_WAIT = Duration.ofMinutes(5);

    public static final String CONTENT_TYPE = "application/json";

    private static final int HIGHEST_PORT = 65_535;

    private Wire() {}

    /** A grant, and the secret by which this cell proves itself from now on. */
    public record GrantRequest(Grant grant, Secret cellSecret) {}

    public static byte[] encode(GrantRequest request) {
        Grant grant = request.grant();
        ObjectNode json = Fields.JSON.createObjectNode();
        json.put("epoch", grant.epoch());
        json.put("podUid", grant.podUid());
        json.put("attempt", grant.attempt());
        json.put("cellSecret", request.cellSecret().toBase64());
        json.set("bundle", bundle(grant.bundle()));
        return bytes(json);
    }

    public static GrantRequest decodeGrant(byte[] body) {
        Fields json = Fields.of("grant", body);
        return new GrantRequest(
                new Grant(
                        json.number("epoch"),
                        json.text("podUid"),
                        json.smallNumber("attempt"),
                        bundle(json.object("bundle"))),
                Secret.of(json.base64("cellSecret")));
    }

    /** As it is in a grant; an agent also keeps it so on its disk. */
    public static ObjectNode bundle(PodBundle bundle) {
        ObjectNode json = Fields.JSON.createObjectNode();
        json.put("generation", bundle.generation());
        json.put("manifest", bundle.manifest());
        ArrayNode files = json.putArray("files");
        for (BundleFile file : bundle.files()) {
            ObjectNode entry = files.addObject();
            entry.put("path", file.path());
            entry.put("content", file.contentBase64());
            entry.put("mode", file.mode());
        }
        json.put("origin", bundle.origin());
        return json;
    }

    public static PodBundle decodeBundle(JsonNode json) {
        return bundle(Fields.of("bundle", json));
    }

    private static PodBundle bundle(Fields json) {
        ImmutableList.Builder<BundleFile> files = ImmutableList.builder();
        int index = 0;
        for (JsonNode entry : json.array("files")) {
            Fields file = Fields.of(json.what() + ".files[" + index++ + "]", entry);
            String path = file.text("path");
            if (!staysInside(path)) {
                throw new IllegalArgumentException(
                        file.what() + ".path: wanted a relative path inside the bundle, found \"" + path + "\"");
            }
            file.base64("content"); // checked here, used as text
            files.add(new BundleFile(path, file.text("content"), file.smallNumber("mode")));
        }
        return new PodBundle(
                json.number("generation"), json.text("manifest"), files.build(), json.textOrEmpty("origin"));
    }

    private static boolean staysInside(String path) {
        if (path.isEmpty() || path.startsWith("/") || path.indexOf('\0') >= 0) {
            return false;
        }
        for (String segment : path.split("/", -1)) {
            if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
                return false;
            }
        }
        return true;
    }

    public static byte[] encode(EndOrder order) {
        ObjectNode json = Fields.JSON.createObjectNode();
        json.put("epoch", order.epoch());
        json.put("podUid", order.podUid());
        json.put("graceSeconds", order.grace().toSeconds());
        return bytes(json);
    }

    public static EndOrder decodeEnd(byte[] body) {
        Fields json = Fields.of("end", body);
        long grace = json.number("graceSeconds");
        if (grace < 0) {
            throw new IllegalArgumentException("end.graceSeconds: wanted 0 or more, found " + grace);
        }
        return new EndOrder(json.number("epoch"), json.text("podUid"), Duration.ofSeconds(grace));
    }

    public static byte[] encode(CellReport report) {
        ObjectNode json = Fields.JSON.createObjectNode();
        json.put("instanceId", report.instanceId());
        json.put("sequence", report.sequence());
        json.put("highestEpoch", report.highestEpoch());
        report.pod().ifPresent(pod -> {
            ObjectNode entry = json.putObject("pod");
            entry.put("uid", pod.uid());
            entry.put("attempt", pod.attempt());
            entry.put("generation", pod.generation());
            entry.put("ended", pod.ended());
            entry.put("origin", pod.origin());
            entry.set("status", Fields.JSON.readTree(pod.status()));
        });
        report.kubelet()
                .ifPresent(kubelet ->
                        json.putObject("kubelet").put("port", kubelet.port()).put("podName", kubelet.podName()));
        return bytes(json);
    }

    public static CellReport decodeReport(byte[] body) {
        Fields json = Fields.of("report", body);
        Optional<PodReport> pod = Optional.empty();
        if (json.has("pod")) {
            Fields entry = json.object("pod");
            pod = Optional.of(new PodReport(
                    entry.text("uid"),
                    entry.smallNumber("attempt"),
                    entry.number("generation"),
                    entry.tree("status").toString(),
                    entry.flag("ended"),
                    entry.textOrEmpty("origin")));
        }
        Optional<Kubelet> kubelet = Optional.empty();
        if (json.has("kubelet")) {
            Fields entry = json.object("kubelet");
            int port = entry.smallNumber("port");
            if (port < 1 || port > HIGHEST_PORT) {
                throw new IllegalArgumentException(entry.what() + ".port: wanted 1 to 65535, found " + port);
            }
            kubelet = Optional.of(new Kubelet(port, entry.text("podName")));
        }
        return new CellReport(
                json.text("instanceId"), json.number("sequence"), json.number("highestEpoch"), pod, kubelet);
    }

    public static byte[] encode(Identity identity) {
        ObjectNode json = Fields.JSON.createObjectNode();
        json.put("instanceId", identity.instanceId());
        json.put("fingerprint", identity.fingerprint());
        json.put("by", identity.by() == Identity.By.CELL ? "cell" : "enrolment");
        json.put("template", identity.template());
        json.put("epoch", identity.epoch());
        json.put("proof", identity.proof());
        return bytes(json);
    }

    public static Identity decodeIdentity(byte[] body) {
        Fields json = Fields.of("identity", body);
        String by = json.text("by");
        if (!by.equals("cell") && !by.equals("enrolment")) {
            throw new IllegalArgumentException("identity.by: wanted cell or enrolment, found \"" + by + "\"");
        }
        return new Identity(
                json.text("instanceId"),
                json.text("fingerprint"),
                by.equals("cell") ? Identity.By.CELL : Identity.By.ENROLMENT,
                json.text("template"),
                json.number("epoch"),
                json.text("proof"));
    }

    public static byte[] encode(Problem problem) {
        ObjectNode json = Fields.JSON.createObjectNode();
        json.put("reason", problem.reason().text());
        json.put("message", problem.message());
        json.put("highestEpoch", problem.highestEpoch());
        return bytes(json);
    }

    public static Problem decodeProblem(byte[] body) {
        Fields json = Fields.of("problem", body);
        String reason = json.text("reason");
        for (Problem.Reason known : Problem.Reason.values()) {
            if (known.text().equals(reason)) {
                return new Problem(known, json.text("message"), json.number("highestEpoch"));
            }
        }
        throw new IllegalArgumentException("problem.reason: unknown: \"" + reason + "\"");
    }

    private static byte[] bytes(ObjectNode json) {
        try {
            return Fields.JSON.writeValueAsBytes(json);
        } catch (JacksonException e) {
            throw new IllegalStateException("a JSON tree can be written", e);
        }
    }
}
