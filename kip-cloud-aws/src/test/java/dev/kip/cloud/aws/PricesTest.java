package dev.kip.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import dev.kip.cloud.CloudApi.ListPrice;
import dev.kip.cloud.CloudApi.ListPricePage;
import dev.kip.cloud.CloudApi.SpotPrice;
import dev.kip.cloud.CloudApi.TypeInZone;
import dev.kip.cloud.CloudError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PricesTest {

    private final Canned canned = new Canned();

    @Test
    void a_region_of_the_table_has_its_own_prices() {
        assertThat(Prices.in("us-east-1", Optional.empty()).hourlyUsd("m5.large"))
                .contains(0.096);
        Prices government = Prices.in("us-gov-west-1", Optional.empty());
        assertThat(government.region()).isEqualTo("us-gov-west-1");
        assertThat(government.hourlyUsd("m5.large").orElseThrow()).isGreaterThan(0.096);
    }

    @Test
    void any_other_region_compares_by_the_prices_of_us_east_1_and_says_so() {
        assertThat(Prices.in("eu-central-1", Optional.empty()).region()).isEqualTo("us-east-1");
    }

    @Test
    void the_table_and_that_of_the_sizes_agree() {
        Prices prices = Prices.in("us-east-1", Optional.empty());

        assertThat(InstanceTypes.table().types().values())
                .allSatisfy(type -> assertThat(prices.hourlyUsd(type.type()))
                        .as(type.type())
                        .isEqualTo(type.hourlyUsd()));
    }

    @Test
    void a_file_replaces_the_regions_that_it_has(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("prices.csv");
        Files.writeString(file, "# mine\n\neu-central-1,m5.large,0.115\nus-east-1,t3.nano,0.01\n");

        assertThat(Prices.in("eu-central-1", Optional.of(file)).hourlyUsd("m5.large"))
                .contains(0.115);
        assertThat(Prices.in("us-east-1", Optional.of(file)).hourlyUsd("m5.large"))
                .isEmpty();
        assertThat(Prices.in("us-gov-west-1", Optional.of(file)).hourlyUsd("m5.large"))
                .isPresent();
    }

    @Test
    void a_file_that_makes_no_sense_is_refused_by_name_and_line(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("prices.csv");
        Files.writeString(file, "eu-central-1,m5.large,0.115\neu-central-1,m5.large\n");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Prices.in("eu-central-1", Optional.of(file)))
                .withMessageContaining("KIP_ON_DEMAND_PRICES: " + file + ":2")
                .withMessageContaining("wanted region,type,hourly");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Prices.in("eu-central-1", Optional.of(directory.resolve("none"))))
                .withMessageContaining("cannot be read");
    }

    /** An answer in the form that AWS documents: with a type that costs nothing, one that is no type, one sold by the piece. */
    @Test
    void the_price_list_is_read_page_by_page() throws IOException {
        canned.answers(
                200,
                Resources.toString(
                        Resources.getResource(PricesTest.class, "get-products.json"), StandardCharsets.UTF_8));

        ListPricePage page = canned.cloud()
                .listPrices("eu-central-1", "page-1")
                .toCompletableFuture()
                .join()
                .value()
                .orElseThrow();

        Instant published = Instant.parse("2026-11-24T21:45:28Z");
        assertThat(page.prices())
                .containsExactly(
                        new ListPrice("m5.large", 0.115, "USD", published),
                        new ListPrice("t3.nano", 0.006, "USD", published));
        assertThat(page.nextToken()).isEqualTo("cGFnZS0y");
        assertThat(canned.requests())
                .singleElement()
                .asString()
                .contains("https://api.pricing.us-east-1.amazonaws.com/")
                .contains("AWSPriceListService.GetProducts")
                .contains("\"Field\":\"regionCode\",\"Value\":\"eu-central-1\"")
                .contains("\"NextToken\":\"page-1\"");
    }

    @Test
    void a_price_list_that_is_not_allowed_is_forbidden() {
        canned.answers(
                400,
                "{\"__type\":\"com.amazon.coral.service#AccessDeniedException\",\"Message\":\"User is not authorized to"
                        + " perform: pricing:GetProducts\"}");

        CloudError error = canned.cloud()
                .listPrices("eu-central-1", "")
                .toCompletableFuture()
                .join()
                .error()
                .orElseThrow();

        assertThat(error).isInstanceOf(CloudError.Forbidden.class);
        assertThat(error.message()).contains("pricing:GetProducts");
    }

    @Test
    void spot_prices_are_read_and_rows_without_a_number_are_left_out() {
        canned.answers(200, """
                <DescribeSpotPriceHistoryResponse><spotPriceHistorySet>
                <item><instanceType>m5.large</instanceType><spotPrice>0.035100</spotPrice>
                <timestamp>2026-11-30T12:00:00.000Z</timestamp><availabilityZone>us-east-1b</availabilityZone></item>
                <item><instanceType>m5.large</instanceType><spotPrice></spotPrice>
                <availabilityZone>us-east-1c</availabilityZone></item>
                </spotPriceHistorySet><nextToken>more</nextToken></DescribeSpotPriceHistoryResponse>""");

        var page = canned.cloud()
                .spotPrices(Instant.parse("2026-12-01T00:00:00Z"), "")
                .toCompletableFuture()
                .join()
                .value()
                .orElseThrow();

        assertThat(page.prices())
                .containsExactly(
                        new SpotPrice("m5.large", "us-east-1b", 0.0351, Instant.parse("2026-11-30T12:00:00Z")));
        assertThat(page.nextToken()).isEqualTo("more");
        assertThat(canned.requests())
                .singleElement()
                .asString()
                .contains("StartTime=2026-12-01T00%3A00%3A00Z")
                .contains("ProductDescription.1=Linux%2FUNIX");
    }

    @Test
    void zones_of_types_are_asked_for_by_zone() {
        canned.answers(200, """
                <DescribeInstanceTypeOfferingsResponse><instanceTypeOfferingSet>
                <item><instanceType>m5.large</instanceType><location>us-east-1b</location></item>
                </instanceTypeOfferingSet></DescribeInstanceTypeOfferingsResponse>""");

        var page = canned.cloud().zones("").toCompletableFuture().join().value().orElseThrow();

        assertThat(page.types()).isEqualTo(ImmutableList.of(new TypeInZone("m5.large", "us-east-1b")));
        assertThat(canned.requests()).singleElement().asString().contains("LocationType=availability-zone");
    }
}
