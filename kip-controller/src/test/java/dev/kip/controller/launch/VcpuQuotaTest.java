package dev.kip.controller.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.cloud.CloudApi.Market;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VcpuQuotaTest {

    private static final LaunchKey KEY = new LaunchKey("m5.large", "x86_64", Market.SPOT, "subnet-a", 5, false);

    @ParameterizedTest
    @CsvSource({
        "m7i.large, 'Standard (A, C, D, H, I, M, R, T, Z)'",
        "t3a.nano, 'Standard (A, C, D, H, I, M, R, T, Z)'",
        "im4gn.large, 'Standard (A, C, D, H, I, M, R, T, Z)'",
        "g5.xlarge, G and VT",
        "vt1.3xlarge, G and VT",
        "p5.48xlarge, P",
        "inf2.xlarge, Inf",
        "trn1.2xlarge, Trn",
        "u-6tb1.112xlarge, High Memory",
        "x2iedn.xlarge, X",
        "hpc7a.12xlarge, HPC",
        "dl1.24xlarge, DL",
        "f1.2xlarge, F",
    })
    void a_type_counts_against_the_quota_of_its_class_of_families(String type, String families) {
        assertThat(VcpuQuota.of(type, Market.ON_DEMAND).families()).isEqualTo(families);
    }

    @Test
    void a_quota_that_is_reached_keeps_all_types_of_its_class_and_market_away_for_a_while() {
        Avoided avoided = new Avoided();
        avoided.avoidQuota(KEY, 0, Duration.ofMinutes(5));
        long later = Duration.ofMinutes(4).toNanos();

        assertThat(avoided.avoids("c6a.large", "subnet-b", Market.SPOT, later)).isTrue();
        assertThat(avoided.avoids("c6a.large", "subnet-b", Market.ON_DEMAND, later))
                .isFalse();
        assertThat(avoided.avoids("g5.xlarge", "subnet-b", Market.SPOT, later)).isFalse();
        assertThat(avoided.quotaReached("r5.large", Market.SPOT, later))
                .contains("All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests");
        assertThat(avoided.shortestPause(later)).isEqualTo(Duration.ofMinutes(1));
        assertThat(avoided.avoids(
                        "c6a.large",
                        "subnet-b",
                        Market.SPOT,
                        Duration.ofMinutes(5).toNanos()))
                .isFalse();
    }
}
