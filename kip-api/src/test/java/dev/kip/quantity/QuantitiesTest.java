package dev.kip.quantity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.kip.quantity.Quantities.Style;
import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantitiesTest {

    /** fabric8io/kubernetes-client#2052. */
    @ParameterizedTest
    @CsvSource({
        "129e6, 129000000",
        "1e3, 1000",
        "1E3, 1000",
        "1E+3, 1000",
        "1E, 1000000000000000000",
        "12E, 12000000000000000000",
        "5e-3, 0.005",
        "1.5e1, 15"
    })
    void an_exponent_multiplies_the_mantissa_and_a_bare_E_is_exa(String text, BigDecimal value) {
        assertThat(Quantities.parse(text)).isEqualByComparingTo(value);
    }

    /** fabric8io/kubernetes-client#1965. */
    @ParameterizedTest
    @CsvSource({"250m, 0.25", "10u, 0.00001", "139173580n, 0.13917358", "1500u, 0.0015", "0, 0"})
    void small_suffixes_are_exact(String text, BigDecimal value) {
        assertThat(Quantities.parse(text)).isEqualByComparingTo(value);
    }

    /** kubernetes-client/java#2794. */
    @Test
    void large_numbers_are_exact_or_capped_and_never_negative() {
        assertThat(Quantities.parse("3.0064771072E10")).isEqualByComparingTo("30064771072");
        assertThat(Quantities.format(Quantities.parse("3.0064771072E10"), Style.BINARY))
                .isEqualTo("28Gi");
        assertThat(Quantities.format(Quantities.parse("3.0064771072E10"), Style.DECIMAL))
                .isEqualTo("30064771072");
        assertThat(Quantities.canonical("9223372036854775807")).isEqualTo("9223372036854775807");
        assertThat(Quantities.parse("1e19")).isEqualByComparingTo("10000000000000000000");
        assertThat(Quantities.whole(Quantities.parse("1e19"))).isEqualTo(Long.MAX_VALUE);
        assertThat(Quantities.milli(Quantities.parse("9223372036854775807"))).isEqualTo(Long.MAX_VALUE);
        assertThat(Quantities.parse("100Ei")).isEqualByComparingTo(BigDecimal.valueOf(Long.MAX_VALUE));
        assertThat(Quantities.parse("-100Ei")).isEqualByComparingTo(BigDecimal.valueOf(-Long.MAX_VALUE));
        assertThat(Quantities.canonical("1000E")).isEqualTo("1000E");
        assertThat(Quantities.canonical("1e21")).isEqualTo("1e21");
    }

    /** kubernetes-client/java#3082. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "16g",
                "16GB",
                "1Kb",
                "500mi",
                "2K",
                "100200K",
                "1 Gi",
                "",
                "-",
                "+",
                "1.2.3",
                "0x10",
                "1e",
                "Ki",
                "1K",
                ".",
                " 1",
                "1 ",
                "1\n",
                "1e1000000",
                "\u0661",
                "1e1.5",
                "NaN",
                "1_000",
                "1,5",
                "--1",
                "1ki"
            })
    void what_is_no_quantity_is_refused_by_name(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Quantities.parse(text))
                .withMessageStartingWith("\"" + text + "\" is no quantity");
    }

    /** kubernetes-client/java#3082. */
    @ParameterizedTest
    @CsvSource({"16G, 16e9", "16k, 16000", "1Ki, 1024", "+1, 1", "-1, -1", ".5, 0.5", "5., 5", "007, 7", "-0.5Ki, -512"
    })
    void what_is_a_quantity_is_accepted(String text, BigDecimal value) {
        assertThat(Quantities.parse(text)).isEqualByComparingTo(value);
    }

    @Test
    void a_negative_quantity_is_refused_where_no_sign_is_allowed() {
        assertThat(Quantities.parseNonNegative("-0")).isEqualByComparingTo("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Quantities.parseNonNegative("-1"))
                .withMessage("\"-1\" is negative; wanted a quantity of 0 or more");
    }

    /** kubernetes-sigs/headlamp#7072. */
    @ParameterizedTest
    @CsvSource({"1k, 1000", "500k, 500000", "1024k, 1024000"})
    void lower_case_k_is_a_thousand(String text, BigDecimal value) {
        assertThat(Quantities.parse(text)).isEqualByComparingTo(value);
    }

    /** kubernetes-sigs/metrics-server#342. */
    @Test
    void nano_cores_round_up_to_milli_cores() {
        assertThat(Quantities.parse("95647727n").movePointRight(3)).isEqualByComparingTo("95.647727");
        assertThat(Quantities.milli(Quantities.parse("95647727n"))).isEqualTo(96);
        assertThat(Quantities.milli(Quantities.parse("139173580n"))).isEqualTo(140);
        assertThat(Quantities.milli(Quantities.parse("1500u"))).isEqualTo(2);
    }

    /** virtual-kubelet/azure-aci#6. */
    @ParameterizedTest
    @CsvSource({"100M, 2200000000", "1Mi, 2148532224", "256Mi, 2415919104"})
    void memory_rounds_up_to_the_step(String step, BigDecimal rounded) {
        assertThat(Quantities.roundUpToStep(Quantities.parse("2147483649"), Quantities.parse(step)))
                .isEqualByComparingTo(rounded);
    }

    @Test
    void a_limit_stays_at_or_above_its_request_when_both_are_rounded() {
        Random random = new Random(20260102);
        for (int i = 0; i < 10_000; i++) {
            BigDecimal request = BigDecimal.valueOf(random.nextLong(1L << 40));
            BigDecimal limit = request.add(BigDecimal.valueOf(random.nextInt(1 << 20)));
            BigDecimal step = BigDecimal.valueOf(1 + random.nextInt(1 << 28));
            BigDecimal rounded = Quantities.roundUpToStep(request, step);

            assertThat(rounded).isGreaterThanOrEqualTo(request).isLessThan(request.add(step));
            assertThat(Quantities.roundUpToStep(limit, step)).isGreaterThanOrEqualTo(rounded);
        }
    }

    /** kubernetes/website#32518. */
    @Test
    void what_is_finer_than_the_smallest_step_rounds_up_and_a_sum_rounds_once() {
        assertThat(Quantities.milli(Quantities.parse("0.1m"))).isEqualTo(1);
        assertThat(Quantities.milli(Quantities.parse("0.0001"))).isEqualTo(1);
        assertThat(Quantities.parse("1500m")).isEqualByComparingTo("1.5");
        assertThat(Quantities.parse("100m").add(Quantities.parse("200m")).add(Quantities.parse("700m")))
                .isEqualByComparingTo("1");
        assertThat(Quantities.milli(Quantities.parse("0.5m").add(Quantities.parse("0.5m"))))
                .isEqualTo(1);
        assertThat(Quantities.canonical("0.1n")).isEqualTo("1n");
        assertThat(Quantities.canonical("1e-999")).isEqualTo("1e-9");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "0.0Mi, 0",
        "1024Mi, 1Gi",
        "1.5Gi, 1536Mi",
        "1000Ki, 1000Ki",
        "1Ki, 1Ki",
        "0.5Ki, 512",
        "1000m, 1",
        "1500m, 1500m",
        "0.25, 250m",
        "10000, 10k",
        "1e3, 1e3",
        "1.5e1, 15",
        "12e6, 12e6",
        "-1024Ki, -1Mi",
        "5., 5",
        "1000000000n, 1"
    })
    void the_canonical_form_is_that_of_the_api_server(String text, String canonical) {
        assertThat(Quantities.canonical(text)).isEqualTo(canonical);
    }

    @Test
    void formatting_and_parsing_are_inverse() {
        Random random = new Random(20260101);
        for (int i = 0; i < 10_000; i++) {
            BigDecimal value = BigDecimal.valueOf(random.nextLong(), random.nextInt(10));
            for (Style style : Style.values()) {
                assertThat(Quantities.parse(Quantities.format(value, style))).isEqualByComparingTo(value);
            }
        }
    }
}
