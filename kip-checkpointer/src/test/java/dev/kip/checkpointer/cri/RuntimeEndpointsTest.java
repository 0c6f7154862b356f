package dev.kip.checkpointer.cri;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kip.disk.nio.NioDisk;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RuntimeEndpointsTest {

    @ParameterizedTest
    @ValueSource(strings = {"unix:///run/crio/crio.sock", "/run/crio/crio.sock"})
    void an_endpoint_is_a_unix_socket_with_or_without_its_scheme(String endpoint) {
        assertThat(RuntimeEndpoints.find(Optional.of(endpoint), new NioDisk()))
                .isEqualTo(Path.of("/run/crio/crio.sock"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp://127.0.0.1:1234", "crio.sock"})
    void anything_else_is_refused(String endpoint) {
        assertThatThrownBy(() -> RuntimeEndpoints.find(Optional.of(endpoint), new NioDisk()))
                .hasMessageContaining("must be unix:///path");
    }

    @Test
    void dockershim_is_refused_by_name() {
        assertThatThrownBy(() -> RuntimeEndpoints.find(Optional.of("unix:///var/run/dockershim.sock"), new NioDisk()))
                .hasMessageContaining("gone since Kubernetes 1.24");
    }
}
