package dev.kip.controller.generated;

import dev.kip.controller.telemetry.Metric;
import org.junit.jupiter.api.Test;

class MetricsReferenceGeneratedTest {

    @Test
    void the_reference_of_metrics_is_as_the_table_says() {
        GeneratedFile.mustBe("docs/reference/metrics.md", Metric.reference());
    }
}
