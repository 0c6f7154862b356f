package dev.kip.cell.wire;

import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Base64;
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
 */
public record UserData(
        String installationId,
        String node,
        String template,
        long epoch,
        X509Certificate controller,
        Secret enrolmentSecret) {

    /** Where the agent finds it; owner root, mode 0400. */
    public static final String PATH = "/etc/kip/cell.json";

    private static final String HEADER = "#cloud-config";
    private static final int VERSION = 1;

    public static UserData of(InstallationKeys keys, String installationId, String node, String template, long epoch) {
        return new UserData(
                installationId,
                node,
                template,
                epoch,
                keys.controllerCertificate(),
                keys.enrolmentSecret(template, epoch));
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
        return HEADER + "\nwrite_files:\n- path: " + PATH + "\n  owner: root:root\n  permissions: '0400'\n  content: '"
                + json.toString().replace("'", "''") + "'\n";
    }

    /**
     * Reads what {@link #toCloudConfig} wrote; other entries of the cloud-config are left alone.
     *
     * @throws IllegalArgumentException saying what is missing or wrong
     */
    public static UserData parse(String cloudConfig) {
        Fields json = Fields.of("user data: " + PATH, content(cloudConfig).getBytes(StandardCharsets.UTF_8));
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
                Secret.of(json.base64("enrolmentSecret")));
    }

    private static String content(String cloudConfig) {
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
