package dev.kip.controller.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessTest {

    @ParameterizedTest
    @CsvSource({
        "GET, /containerLogs/ns/p/c, get, proxy",
        "POST, /exec/ns/p/c, create, proxy",
        "GET, /exec/ns/p/c, get, proxy",
        "GET, /stats/summary, get, stats",
        "GET, /metrics/resource, get, metrics",
        "GET, /metrics, get, metrics",
        "GET, /metricsfoo, get, proxy",
        "GET, /logs/x, get, log",
        "GET, /pods, get, pods proxy",
        "GET, /runningpods/, get, pods proxy",
        "GET, /healthz, get, healthz proxy",
        "GET, /configz, get, configz proxy",
        "PUT, /x, update, proxy",
        "DELETE, /x, delete, proxy",
    })
    void a_request_needs_what_it_needs_of_a_kubelet(String method, String path, String verb, String subresources) {
        Access access = Access.to(method, path);

        assertThat(access.verb()).isEqualTo(verb);
        assertThat(String.join(" ", access.subresources())).isEqualTo(subresources);
    }
}
