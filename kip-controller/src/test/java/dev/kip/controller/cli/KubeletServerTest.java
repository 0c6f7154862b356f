package dev.kip.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.entropy.SecureEntropy;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class KubeletServerTest {

    private static String nameFor(String node) {
        return KubeletServer.selfSigned(new SecureEntropy(), Instant.parse("2030-01-01T00:00:00Z"), node)
                .certificate()
                .getSubjectX500Principal()
                .getName();
    }

    @Test
    void without_a_certificate_it_signs_one_for_whatever_the_node_is_called() {
        assertThat(nameFor("virtual-kubelet")).isEqualTo("CN=system:node:virtual-kubelet");
        assertThat(nameFor("a.b-" + "c".repeat(240))).startsWith("CN=system:node:a.b-ccc");
    }
}
