package dev.kip.cell.wire;

import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * What a launch template tells the agents of its instances: a {@code #cloud-config} that writes one file.
 *
 * @param node the virtual node
 * @param template what the enrolment secret is derived from; the template's name
 * @param epoch the lowest epoch that may give orders
 * @param controller the only certificate from which the agent takes orders
 * @param enrolmentSecret {@link InstallationKeys#enrolmentSecret} of template and epoch
 * @param deadMan a cell that runs a pod shuts its instance down when no controller has reached it for so long; never if
 *     empty
 * @param inertDeadMan the same while it runs none
 */
public record UserData(
        String installationId,
        String node,
        String template,
        long epoch,
        X509Certificate controller,
        Secret enrolmentSecret,
        Optional<Duration> deadMan,
        Optional<Duration> inertDeadMan) {

    /** Where the agent finds it; owner root, mode 0400. */
    public static final String PATH = "/etc/kip/cell.json";

    private static final String HEADER = "#cloud-config";
    private static final String DEAD_MAN = "deadManSeconds";
    private static final String INERT_DEAD_MAN = "inertDeadManSeconds";
    private static final int VERSION = 1;

    public static UserData of(InstallationKeys keys, String installationId, String node, String template, long epoch) {
        return new UserData(
                installationId,
                node,
                template,
                epoch,
                keys.controllerCertificate(),
                keys.enrolmentSecret(template, epoch),
                Optional.empty(),
                Optional.empty());
    }

    /** With timers by which what no living controller claims ends by itself. */
    public UserData withDeadMan(Optional<Duration> bound, Optional<Duration> inert) {
        return new UserData(installationId, node, template, epoch, controller, enrolmentSecret, bound, inert);
    }

    /** Plain text, not base64; about 1.1 KB. */
    public String toCloudConfig() {
        Base64.Encoder base64 = Base64.getEncoder();
        ObjectNode json = Fields.JSON.createObjectNode();
        json.put("version", VERSION);
        json.put("installationId", installationId);
        json.put("node", node);
        json.put("template", template);
        json.put("epoch", epoch);
        json.put("controllerCertificate", base64.encodeToString(SelfSigned.der(controller)));
        json.put("enrolmentSecret", enrolmentSecret.toBase64());
        deadMan.ifPresent(after -> json.put(DEAD_MAN, after.toSeconds()));
        inertDeadMan.ifPresent(after -> json.put(INERT_DEAD_MAN, after.toSeconds()));
        return HEADER + "\nwrite_files:\n- path: " + PATH + "\n  owner: root:root\n  permissions: '0400'\n  content: '"
                + json.toString().replace("'", "''") + "'\n";
    }

    /**
     * Reads what {@link #toCloudConfig} wrote; other entries of the cloud-config are left alone.
     *
     * @throws IllegalArgumentException saying what is missing or wrong
     */
    public static UserData parse(String cloudConfig) {
        return parseFile(file(cloudConfig));
    }

    /**
     * Reads the file that the cloud-config writes.
     *
     * @throws IllegalArgumentException saying what is missing or wrong
     */
    public static UserData parseFile(String content) {
        Fields json = Fields.of("user data: " + PATH, content.getBytes(StandardCharsets.UTF_8));
        if (json.number("version") != VERSION) {
            throw new IllegalArgumentException(
                    json.what() + ".version: this agent knows " + VERSION + ", found " + json.number("version"));
        }
        return new UserData(
                json.text("installationId"),
                json.text("node"),
                json.text("template"),
                json.number("epoch"),
                SelfSigned.certificate(json.base64("controllerCertificate")),
                Secret.of(json.base64("enrolmentSecret")),
                seconds(json, DEAD_MAN),
                seconds(json, INERT_DEAD_MAN));
    }

    private static Optional<Duration> seconds(Fields json, String name) {
        if (!json.has(name)) {
            return Optional.empty();
        }
        long seconds = json.number(name);
        if (seconds <= 0) {
            throw new IllegalArgumentException(json.what() + "." + name + ": wanted more than 0, found " + seconds);
        }
        return Optional.of(Duration.ofSeconds(seconds));
    }

    /**
     * The content of the file that the cloud-config writes.
     *
     * @throws IllegalArgumentException saying what is missing or wrong
     */
    public static String file(String cloudConfig) {
        if (!cloudConfig.startsWith(HEADER)) {
            throw new IllegalArgumentException("user data: wanted " + HEADER + " in the first line");
        }
        JsonNode yaml;
        try {
            yaml = YAMLMapper.builder().build().readTree(cloudConfig);
        } catch (JacksonException e) {
            throw new IllegalArgumentException("user data: not YAML: " + e.getOriginalMessage(), e);
        }
        for (JsonNode file : yaml.path("write_files")) {
            @Nullable JsonNode content = file.get("content");
            if (PATH.equals(file.path("path").asString("")) && content != null && content.isString()) {
                return content.stringValue();
            }
        }
        throw new IllegalArgumentException("user data: write_files has no entry for " + PATH);
    }
}
