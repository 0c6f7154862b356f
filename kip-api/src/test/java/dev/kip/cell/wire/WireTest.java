package dev.kip.cell.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.bundle.PodBundle;
import dev.kip.bundle.PodBundle.BundleFile;
import dev.kip.cell.CellAddress;
import dev.kip.cell.CellReport;
import dev.kip.cell.CellReport.PodReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.Wire.GrantRequest;
import dev.kip.entropy.Entropy;
import dev.kip.entropy.SecureEntropy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class WireTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final InstallationKeys KEYS = InstallationKeys.create(new Counting(), NOW);

    @Test
    void every_message_survives_the_way() {
        GrantRequest grant = new GrantRequest(
                new Grant(
                        1L << 40,
                        "u-1",
                        2,
                        new PodBundle(7, "{\"a\":\"ü\"}", ImmutableList.of(new BundleFile("v/k", "AAE=", 0400)))),
                KEYS.cellSecret("i-1"));
        EndOrder end = new EndOrder(3, "u-1", Duration.ofSeconds(30));
        CellReport inert = new CellReport("i-1", 5, 3, Optional.empty());
        CellReport busy = new CellReport(
                "i-1",
                6,
                3,
                Optional.of(new PodReport("u-1", 0, 1, "{\"phase\":\"Running\",\"x\":[1.5]}", false)),
                Optional.of(new CellReport.Kubelet(Wire.KUBELET_PORT, "web-i-1")));
        Identity identity = Identity.prove(KEYS.cellSecret("i-1"), Identity.By.CELL, "00", "i-1", "ff", "t", 3);

        assertThat(Wire.decodeGrant(Wire.encode(grant))).isEqualTo(grant);
        assertThat(Wire.decodeEnd(Wire.encode(end))).isEqualTo(end);
        assertThat(Wire.decodeReport(Wire.encode(inert))).isEqualTo(inert);
        assertThat(Wire.decodeReport(Wire.encode(busy))).isEqualTo(busy);
        assertThat(Wire.decodeIdentity(Wire.encode(identity))).isEqualTo(identity);
    }

    @ParameterizedTest
    @EnumSource
    void every_problem_survives_the_way(Problem.Reason reason) {
        Problem problem = new Problem(reason, "why", 9);

        assertThat(Wire.decodeProblem(Wire.encode(problem))).isEqualTo(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "end: not JSON | {",
                "end: wanted an object, found ARRAY | []",
                "end.epoch: missing | {\"podUid\":\"u\",\"graceSeconds\":1}",
                "end.epoch: wanted an integer, found \"1\" | {\"epoch\":\"1\",\"podUid\":\"u\",\"graceSeconds\":1}",
                "end.graceSeconds: wanted 0 or more, found -1 | {\"epoch\":1,\"podUid\":\"u\",\"graceSeconds\":-1}",
            })
    void a_broken_message_is_refused_by_its_field(String message, String body) {
        assertThatThrownBy(() -> Wire.decodeEnd(body.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void a_report_names_a_port_that_can_be_dialled() {
        byte[] body =
                "{\"instanceId\":\"i\",\"sequence\":1,\"highestEpoch\":1,\"kubelet\":{\"port\":0,\"podName\":\"p\"}}"
                        .getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(() -> Wire.decodeReport(body)).hasMessage("report.kubelet.port: wanted 1 to 65535, found 0");
    }

    @ParameterizedTest
    @CsvSource({"/etc/passwd", "../x", "a/../b", "a//b", "a/./b", "''"})
    void a_file_outside_the_bundle_is_refused(String path) {
        PodBundle bundle = new PodBundle(1, "{}", ImmutableList.of(new BundleFile(path, "", 0644)));
        byte[] body = Wire.encode(new GrantRequest(new Grant(1, "u", 0, bundle), KEYS.cellSecret("i")));

        assertThatThrownBy(() -> Wire.decodeGrant(body)).hasMessageContaining("files[0].path: wanted a relative path");
    }

    @Test
    void user_data_carries_the_dead_mans_timers() {
        UserData data = UserData.of(KEYS, "abc", "vk", "kip-template", 4)
                .withDeadMan(Optional.of(Duration.ofHours(6)), Optional.of(Duration.ofHours(1)));

        assertThat(UserData.parse(data.toCloudConfig())).isEqualTo(data);
        assertThatThrownBy(() -> UserData.parse(
                        data.toCloudConfig().replace("inertDeadManSeconds\":3600", "inertDeadManSeconds\":0")))
                .hasMessageContaining("inertDeadManSeconds: wanted more than 0");
    }

    @Test
    void user_data_can_be_read_again_among_what_else_a_cloud_config_says() {
        UserData data = UserData.of(KEYS, "abc", "vk", "kip-template", 4);

        String text = data.toCloudConfig();

        assertThat(text).startsWith("#cloud-config\n").contains("permissions: '0400'");
        assertThat(text.length()).isLessThan(2_000);
        assertThat(UserData.parse(text)).isEqualTo(data);
        assertThat(UserData.parse(text + "- path: /etc/motd\n  content: hello\nruncmd: [ls]\n"))
                .isEqualTo(data);
        assertThat(data.toString())
                .doesNotContain(KEYS.enrolmentSecret("kip-template", 4).toBase64());
        assertThatThrownBy(() -> UserData.parse("#!/bin/sh")).hasMessageContaining("wanted #cloud-config");
        assertThatThrownBy(() -> UserData.parse("#cloud-config\nruncmd: []\n"))
                .hasMessageContaining("/etc/kip/cell.json");
    }

    @Test
    void keys_depend_on_their_arguments_alone_and_survive_the_secret() {
        InstallationKeys again = InstallationKeys.create(new Counting(), NOW);
        InstallationKeys reread = InstallationKeys.fromSecretData(KEYS.toSecretData());

        assertThat(again.toSecretData()).isEqualTo(KEYS.toSecretData());
        assertThat(reread.toSecretData()).isEqualTo(KEYS.toSecretData());
        assertThat(reread.cellSecret("i-1")).isEqualTo(KEYS.cellSecret("i-1")).isNotEqualTo(KEYS.cellSecret("i-2"));
        assertThat(KEYS.enrolmentSecret("t", 1)).isNotEqualTo(KEYS.enrolmentSecret("t", 2));
        assertThatThrownBy(() -> InstallationKeys.fromSecretData(ImmutableMap.of()))
                .hasMessageContaining("data[installation.key] is missing");
    }

    @Test
    void a_certificate_is_signed_by_its_own_key() throws Exception {
        KEYS.controllerCertificate().verify(KEYS.controllerCertificate().getPublicKey());
        SelfSigned fresh = SelfSigned.create(new SecureEntropy(), NOW, "cell");
        fresh.certificate().verify(fresh.certificate().getPublicKey());

        assertThat(fresh.fingerprint()).matches("[0-9a-f]{64}");
    }

    @ParameterizedTest
    @CsvSource({
        "i-1, 00, i-1, f, true",
        "i-2, 00, i-1, f, false",
        "i-1, 01, i-1, f, false",
        "i-1, 00, i-2, f, false",
        "i-1, 00, i-1, g, false",
    })
    void a_proof_is_for_one_cell_one_question_and_one_certificate(
            String asked, String nonce, String claimed, String fingerprint, boolean holds) {
        Identity honest = Identity.prove(KEYS.enrolmentSecret("t", 3), Identity.By.ENROLMENT, "00", "i-1", "f", "t", 3);
        Identity shown = new Identity(claimed, fingerprint, honest.by(), "t", 3, honest.proof());

        assertThat(KEYS.doubt(asked, nonce, shown).isEmpty()).isEqualTo(holds);
    }

    @Test
    void a_proof_by_the_template_does_not_pass_for_one_by_the_cell() {
        Identity honest = Identity.prove(KEYS.enrolmentSecret("t", 3), Identity.By.ENROLMENT, "00", "i-1", "f", "t", 3);
        Identity shown = new Identity("i-1", "f", Identity.By.CELL, "t", 3, honest.proof());

        assertThat(KEYS.doubt("i-1", "00", shown)).isPresent();
    }

    @Test
    void the_address_map_names_instances_or_addresses() {
        assertThat(AddressMapFile.parse("{\"i-1\":\"127.0.0.1:4001\",\"10.0.0.2\":\"host:1\"}"))
                .containsExactlyInAnyOrderEntriesOf(ImmutableMap.of("i-1", "127.0.0.1:4001", "10.0.0.2", "host:1"));
        assertThatThrownBy(() -> AddressMapFile.parse("{\"i-1\":\"127.0.0.1\"}"))
                .hasMessageContaining("i-1: wanted \"host:port\"");
        assertThat(AddressMap.none().resolve(new CellAddress("i-1", "h", 1))).isEqualTo(new CellAddress("i-1", "h", 1));
    }

    /** The same bytes every time. */
    private static final class Counting implements Entropy {
        private byte next;

        @Override
        public byte[] bytes(int count) {
            byte[] bytes = new byte[count];
            for (int i = 0; i < count; i++) {
                bytes[i] = next++;
            }
            return bytes;
        }

        @Override
        public long below(long bound) {
            return next++ % bound;
        }

        @Override
        public Entropy fork(String name) {
            return this;
        }
    }
}
