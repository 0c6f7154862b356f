package dev.kip.controller.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.kip.cloud.CloudApi.Market;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How many cells are kept, and when. 2026-12-01 is a Tuesday. */
class WarmPoolTest {

    @ParameterizedTest
    @CsvSource({
        "c5.large 2, 2026-12-01T03:00:00Z, 2",
        "c5.large 2 Mon-Fri, 2026-12-05T12:00:00Z, 0",
        "c5.large 2 Sat-Mon, 2026-12-07T12:00:00Z, 2",
        "c5.large 2 07:00-19:00, 2026-12-01T07:00:00Z, 2",
        "c5.large 2 07:00-19:00, 2026-12-01T19:00:00Z, 0",
        "c5.large 2 07:00-19:00 Europe/Berlin, 2026-12-01T06:30:00Z, 2",
        "c5.large 2 07:00-19:00 Europe/Berlin, 2026-12-01T18:30:00Z, 0",
        "c5.large 2 Tue 22:00-06:00, 2026-12-02T05:00:00Z, 2",
        "c5.large 2 Tue 22:00-06:00, 2026-12-01T05:00:00Z, 0",
        "c5.large 1; c5.large 9 Tue, 2026-12-01T05:00:00Z, 9",
        "c5.large 1; c5.large 9 Tue, 2026-12-02T05:00:00Z, 1"
    })
    void itIsAsLargeAsTheTimeSays(String text, Instant now, int size) {
        assertThat(WarmPool.parse(text))
                .singleElement()
                .extracting(pool -> pool.size(now))
                .isEqualTo(size);
    }

    @Test
    void marketsAreOfPoolsOfTheirOwn() {
        assertThat(WarmPool.parse("c5.large 2; c5.large spot 3; m5.xlarge 1"))
                .extracting(WarmPool::name, WarmPool::market)
                .containsExactly(
                        tuple("c5.large", Market.ON_DEMAND),
                        tuple("c5.large spot", Market.SPOT),
                        tuple("m5.xlarge", Market.ON_DEMAND));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "large 2",
                "c5.large",
                "c5.large many",
                "c5.large 1001",
                "c5.large 2 Someday",
                "c5.large 2 7-19",
                "c5.large 2 07:00-19:00 Berlin",
                "c5.large 2 07:00-19:00 UTC stopped"
            })
    void whatIsNoneIsRefusedWithWhatWasWanted(String text) {
        assertThatThrownBy(() -> WarmPool.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text)
                .hasMessageContaining(WarmPool.WANTED);
    }
}
