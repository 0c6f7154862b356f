package dev.kip.cloud.aws;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.ListPrice;
import dev.kip.cloud.CloudApi.ListPricePage;
import dev.kip.cloud.CloudError;
import dev.kip.outcome.Outcome;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Asks the Price List Query API, which answers for all regions of a partition in one of them. The SDK has a module for it
 * that is larger than this one operation deserves.
 *
 * @see <a href="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html">GetProducts</a>
 */
final class PriceListCalls {

    /** The SDKs' name for another address of this service. */
    static final String ENDPOINT = "AWS_ENDPOINT_URL_PRICING";

    private static final String CALL = "pricing.GetProducts";
    private static final int PRODUCTS_PER_PAGE = 100;
    private static final String HOUR = "Hrs";

    private final SignedJson service;
    private final Calls calls;

    /**
     * @param region in whose partition the price list is asked
     * @param endpoint in place of the public one
     */
    PriceListCalls(
            String region,
            Optional<String> endpoint,
            SdkHttpClient http,
            AwsCredentialsProvider credentials,
            Calls calls) {
        boolean china = region.startsWith("cn-");
        String signingRegion = china ? "cn-northwest-1" : "us-east-1";
        URI there = URI.create(endpoint.orElse(
                "https://api.pricing." + signingRegion + ".amazonaws.com" + (china ? ".cn" : "") + "/"));
        this.service = new SignedJson("pricing", signingRegion, there, http, credentials);
        this.calls = calls;
    }

    CompletionStage<Outcome<ListPricePage, CloudError>> page(String region, String pageToken) {
        byte[] body = body(region, pageToken).getBytes(StandardCharsets.UTF_8);
        return calls.read(CALL, () -> {
            JsonNode answer = service.send("AWSPriceListService.GetProducts", body);
            ImmutableList.Builder<ListPrice> prices = ImmutableList.builder();
            for (JsonNode product : answer.path("PriceList")) {
                price(JsonMapper.shared().readTree(product.asString())).ifPresent(prices::add);
            }
            return new ListPricePage(prices.build(), answer.path("NextToken").asString(""));
        });
    }

    private static String body(String region, String pageToken) {
        ObjectNode body = JsonMapper.shared().createObjectNode();
        body.put("ServiceCode", "AmazonEC2").put("FormatVersion", "aws_v1").put("MaxResults", PRODUCTS_PER_PAGE);
        ArrayNode filters = body.putArray("Filters");
        filter(filters, "regionCode", region);
        // The plain price, not one with a licence, of a reservation or of a machine of one's own.
        filter(filters, "operatingSystem", "Linux");
        filter(filters, "tenancy", "Shared");
        filter(filters, "preInstalledSw", "NA");
        filter(filters, "capacitystatus", "Used");
        if (!pageToken.isEmpty()) {
            body.put("NextToken", pageToken);
        }
        return body.toString();
    }

    private static void filter(ArrayNode filters, String field, String value) {
        filters.addObject().put("Type", "TERM_MATCH").put("Field", field).put("Value", value);
    }

    /** Empty if the product has no price by the hour, or one of nothing: such rows are of reservations and trials. */
    private static Optional<ListPrice> price(JsonNode product) {
        String type =
                product.path("product").path("attributes").path("instanceType").asString("");
        for (JsonNode term : product.path("terms").path("OnDemand")) {
            for (JsonNode dimension : term.path("priceDimensions")) {
                for (Map.Entry<String, JsonNode> amount :
                        dimension.path("pricePerUnit").properties()) {
                    double hourly = amount.getValue().asDouble(0);
                    if (dimension.path("unit").asString("").equals(HOUR) && hourly > 0 && type.contains(".")) {
                        return Optional.of(new ListPrice(
                                type,
                                hourly,
                                amount.getKey(),
                                instant(product.path("publicationDate").asString(""))));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            return Instant.EPOCH;
        }
    }
}
