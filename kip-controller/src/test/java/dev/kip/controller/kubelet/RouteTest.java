package dev.kip.controller.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.kubelet.Route.Kind;
import org.junit.jupiter.api.Test;

class RouteTest {

    @Test
    void a_path_of_a_pod_names_its_pod_and_container() {
        assertThat(Route.of("GET", "/containerLogs/ns/web/c"))
                .isEqualTo(new Route.OfPod(Kind.LOGS, "ns", "web", ImmutableList.of("c")));
        assertThat(Route.of("POST", "/exec/ns/web/c"))
                .isEqualTo(new Route.OfPod(Kind.EXEC, "ns", "web", ImmutableList.of("c")));
        assertThat(Route.of("GET", "/attach/ns/web/uid-1/c"))
                .isEqualTo(new Route.OfPod(Kind.ATTACH, "ns", "web", ImmutableList.of("uid-1", "c")));
        assertThat(Route.of("POST", "/portForward/ns/web"))
                .isEqualTo(new Route.OfPod(Kind.PORT_FORWARD, "ns", "web", ImmutableList.of()));
    }

    @Test
    void what_a_kubelet_does_not_serve_is_unknown() {
        assertThat(Route.of("GET", "/")).isEqualTo(new Route.Unknown());
        assertThat(Route.of("GET", "/configz")).isEqualTo(new Route.Unknown());
        assertThat(Route.of("GET", "/containerLogs/ns/web")).isEqualTo(new Route.Unknown());
        assertThat(Route.of("GET", "/portForward/ns/web/uid/more")).isEqualTo(new Route.Unknown());
    }

    @Test
    void a_path_cannot_lead_the_cell_elsewhere() {
        assertThat(Route.of("GET", "/exec/ns/web/..")).isEqualTo(new Route.Unknown());
        assertThat(Route.of("GET", "/exec/ns/web/%2e%2e")).isEqualTo(new Route.Unknown());
        assertThat(Route.of("GET", "/exec/ns/web/c%3Fcommand=sh")).isEqualTo(new Route.Unknown());
    }

    @Test
    void the_wrong_method_is_told_from_the_wrong_path() {
        assertThat(Route.of("POST", "/containerLogs/ns/web/c")).isEqualTo(new Route.WrongMethod());
        assertThat(Route.of("GET", "/run/ns/web/c")).isEqualTo(new Route.WrongMethod());
        assertThat(Route.of("DELETE", "/pods")).isEqualTo(new Route.WrongMethod());
    }
}
