package dev.kip.checkpointer.lint;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.sanitise.Sanitised;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.sanitise.TableSanitiser;
import dev.kip.yaml.YamlProblem;
import dev.kip.yaml.YamlReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.node.ObjectNode;

class ConvertCommandTest {

    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: api-1, namespace: kube-system, uid: u-7}
            spec:
              nodeSelector: {role: master}
              serviceAccountName: api
              containers:
              - name: api
                image: api:1
                env:
                - {name: A, value: "1"}
                - name: PASSWORD
                  valueFrom: {secretKeyRef: {name: s, key: password}}
                volumeMounts: [{name: certs, mountPath: /c}]
              volumes:
              - name: certs
                secret: {secretName: s, defaultMode: 0400}
            """;

    @TempDir
    private Path directory;

    private record Ran(int exit, String out, String err) {}

    private static Ran convert(String stdin, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        var command = new ConvertCommand(new ByteArrayInputStream(stdin.getBytes(StandardCharsets.UTF_8)));
        int exit = new CommandLine(command)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        return new Ran(exit, out.toString(), err.toString());
    }

    @Test
    void the_diff_says_behind_each_change_why() {
        Ran ran = convert(POD, "-");

        assertThat(ran.exit()).isZero();
        assertThat(ran.out())
                .contains(
                        "-   nodeSelector:  # scheduling is over; with no API server kubelet may know none of the labels")
                .contains("+       value: \"<secret s, key password>\"  # kubelet would ask the API server")
                .contains("  0400 0:0 password");
    }

    @Test
    void no_line_changes_without_a_reason() throws YamlProblem {
        ObjectNode pod = PodDocuments.read("pod", POD).get(0).pod();
        TableSanitiser sanitiser = new TableSanitiser();
        Sanitised sanitised = sanitiser.sanitise(
                pod, AssumedSupplies.of(pod, sanitiser, ImmutableList.of()), new Sanitiser.Site("/v", "n"));
        ReasonedDiff diff = new ReasonedDiff(pod, sanitised.pod().orElseThrow().manifest(), sanitised.findings());

        assertThat(diff.lines())
                .filteredOn(shown -> shown.sign() != ' ')
                .isNotEmpty()
                .allSatisfy(shown -> assertThat(diff.reason(shown.line().path()))
                        .as("reason for %s", shown.line().text())
                        .isPresent());
    }

    @Test
    void the_manifest_is_yaml_that_comes_back() throws YamlProblem {
        Ran ran = convert(POD, "-", "-o", "manifest", "--volumes", "/etc/kubernetes/api");

        ObjectNode manifest = PodDocuments.read("out", ran.out()).get(0).pod();
        assertThat(manifest.at("/spec/volumes/0/hostPath/path").asString("")).isEqualTo("/etc/kubernetes/api/certs");
        assertThat(manifest.at("/spec/containers/0/env/0/value").asString("")).isEqualTo("1");
        assertThat(GoYaml.json(YamlReader.read("out", ran.out()))).isEqualTo(manifest);
    }

    @Test
    void objects_given_take_the_place_of_placeholders() throws IOException {
        Path secrets = directory.resolve("secrets.yaml");
        Files.writeString(secrets, """
                apiVersion: v1
                kind: Secret
                metadata: {name: s, namespace: kube-system}
                data: {password: aHVudGVy, tls.crt: Q0VSVA==}
                """);

        Ran ran = convert(POD, "-", "--objects", secrets.toString());

        assertThat(ran.out()).contains("value: hunter").contains("  0400 0:0 tls.crt");
    }

    @Test
    void what_cannot_be_converted_is_refused_by_name() {
        Ran ran = convert(
                POD.replace("secret: {secretName: s, defaultMode: 0400}", "csi: {driver: d}"), "-", "-o", "manifest");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).contains("kube-system/api-1: cannot be checkpointed: spec.volumes[0].csi: a CSI driver");
        assertThat(ran.out()).isEmpty();
    }
}
