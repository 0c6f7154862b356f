package dev.kip.cloud.aws;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.OfferingPage;
import dev.kip.cloud.CloudApi.SpotPrice;
import dev.kip.cloud.CloudApi.SpotPricePage;
import dev.kip.cloud.CloudApi.TypeInZone;
import dev.kip.cloud.CloudApi.ZonePage;
import dev.kip.cloud.CloudError;
import dev.kip.outcome.Outcome;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.DescribeInstanceTypeOfferingsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeInstanceTypesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeSpotPriceHistoryRequest;
import software.amazon.awssdk.services.ec2.model.LocationType;

/** Asks what is offered: types, the zones that have them, and what they cost on the spot market now. */
final class OfferCalls {

    private static final int TYPES_PER_PAGE = 100;
    private static final int PLACES_PER_PAGE = 1000;

    /** An account without EC2-Classic is told the second, an old one both: they cost the same. */
    private static final ImmutableList<String> LINUX = ImmutableList.of("Linux/UNIX", "Linux/UNIX (Amazon VPC)");

    private final Ec2Client ec2;
    private final Calls calls;
    private final Prices prices;

    OfferCalls(Ec2Client ec2, Calls calls, Prices prices) {
        this.ec2 = ec2;
        this.calls = calls;
        this.prices = prices;
    }

    CompletionStage<Outcome<OfferingPage, CloudError>> types(String pageToken) {
        DescribeInstanceTypesRequest.Builder request =
                DescribeInstanceTypesRequest.builder().maxResults(TYPES_PER_PAGE);
        Ec2Requests.page(pageToken).ifPresent(request::nextToken);
        return calls.read("ec2.DescribeInstanceTypes", () -> {
            var answer = ec2.describeInstanceTypes(request.build());
            return new OfferingPage(
                    answer.instanceTypes().stream()
                            .map(type -> Ec2Facts.offering(type, prices))
                            .collect(toImmutableList()),
                    Strings.nullToEmpty(answer.nextToken()));
        });
    }

    CompletionStage<Outcome<ZonePage, CloudError>> zones(String pageToken) {
        DescribeInstanceTypeOfferingsRequest.Builder request = DescribeInstanceTypeOfferingsRequest.builder()
                .locationType(LocationType.AVAILABILITY_ZONE)
                .maxResults(PLACES_PER_PAGE);
        Ec2Requests.page(pageToken).ifPresent(request::nextToken);
        return calls.read("ec2.DescribeInstanceTypeOfferings", () -> {
            var answer = ec2.describeInstanceTypeOfferings(request.build());
            return new ZonePage(
                    answer.instanceTypeOfferings().stream()
                            .map(place -> new TypeInZone(place.instanceTypeAsString(), place.location()))
                            .collect(toImmutableList()),
                    Strings.nullToEmpty(answer.nextToken()));
        });
    }

    /** With {@code StartTime} as the only bound the history is what holds at that time, one row for each pool. */
    CompletionStage<Outcome<SpotPricePage, CloudError>> spotPrices(Instant at, String pageToken) {
        DescribeSpotPriceHistoryRequest.Builder request = DescribeSpotPriceHistoryRequest.builder()
                .startTime(at)
                .productDescriptions(LINUX)
                .maxResults(PLACES_PER_PAGE);
        Ec2Requests.page(pageToken).ifPresent(request::nextToken);
        return calls.read("ec2.DescribeSpotPriceHistory", () -> {
            var answer = ec2.describeSpotPriceHistory(request.build());
            return new SpotPricePage(
                    answer.spotPriceHistory().stream()
                            .map(OfferCalls::price)
                            .flatMap(Optional::stream)
                            .collect(toImmutableList()),
                    Strings.nullToEmpty(answer.nextToken()));
        });
    }

    /** A row whose price is no number is left out: it says nothing. */
    private static Optional<SpotPrice> price(software.amazon.awssdk.services.ec2.model.SpotPrice row) {
        try {
            return Optional.of(new SpotPrice(
                    row.instanceTypeAsString(),
                    Strings.nullToEmpty(row.availabilityZone()),
                    Double.parseDouble(Strings.nullToEmpty(row.spotPrice())),
                    row.timestamp() == null ? Instant.EPOCH : row.timestamp()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
