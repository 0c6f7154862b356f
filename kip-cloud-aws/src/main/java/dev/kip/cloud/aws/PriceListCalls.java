package dev.kip.cloud.aws;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.ListPrice;
import dev.kip.cloud.CloudApi.ListPricePage;
import dev.kip.cloud.CloudError;
import dev.kip.outcome.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Asks the Price List Query API, which answers for all regions of a partition in one of them. The SDK has a module for it
 * that is larger than this one operation deserves: its request is plain JSON, signed as every other.
 *
 * @see <a href="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html">GetProducts</a>
 */
final class PriceListCalls {

    /** The SDKs' name for another address of this service. */
    static final String ENDPOINT = "AWS_ENDPOINT_URL_PRICING";

    private static final String CALL = "pricing.GetProducts";
    private static final int PRODUCTS_PER_PAGE = 100;
    private static final String HOUR = "Hrs";

    private final SdkHttpClient http;
    private final AwsCredentialsProvider credentials;
    private final Calls calls;
    private final String signingRegion;
    private final URI endpoint;

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
        this.signingRegion = china ? "cn-northwest-1" : "us-east-1";
        this.endpoint = URI.create(endpoint.orElse(
                "https://api.pricing." + signingRegion + ".amazonaws.com" + (china ? ".cn" : "") + "/"));
        this.http = http;
        this.credentials = credentials;
        this.calls = calls;
    }

    CompletionStage<Outcome<ListPricePage, CloudError>> page(String region, String pageToken) {
        byte[] body = body(region, pageToken).getBytes(StandardCharsets.UTF_8);
        return calls.read(CALL, () -> {
            JsonNode answer = send(body);
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

    private JsonNode send(byte[] body) throws IOException {
        SdkHttpRequest request = SdkHttpRequest.builder()
                .method(SdkHttpMethod.POST)
                .uri(endpoint)
                .putHeader("Content-Type", "application/x-amz-json-1.1")
                .putHeader("Content-Length", String.valueOf(body.length))
                .putHeader("X-Amz-Target", "AWSPriceListService.GetProducts")
                .build();
        ContentStreamProvider payload = ContentStreamProvider.fromByteArray(body);
        var signed = AwsV4HttpSigner.create()
                .sign(sign -> sign.identity(credentials.resolveCredentials())
                        .request(request)
                        .payload(payload)
                        .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "pricing")
                        .putProperty(AwsV4HttpSigner.REGION_NAME, signingRegion));
        var answer = http.prepareRequest(HttpExecuteRequest.builder()
                        .request(signed.request())
                        .contentStreamProvider(signed.payload().orElse(payload))
                        .build())
                .call();
        JsonNode json = JsonMapper.shared().readTree(read(answer.responseBody()));
        if (!answer.httpResponse().isSuccessful()) {
            String kind = json.path("__type").asString("");
            throw AwsServiceException.builder()
                    .statusCode(answer.httpResponse().statusCode())
                    .awsErrorDetails(AwsErrorDetails.builder()
                            .errorCode(kind.substring(kind.indexOf('#') + 1))
                            .errorMessage(json.path("message")
                                    .asString(json.path("Message").asString("")))
                            .serviceName("pricing")
                            .build())
                    .build();
        }
        return json;
    }

    private static String read(Optional<AbortableInputStream> body) throws IOException {
        if (body.isEmpty()) {
            return "{}";
        }
        try (InputStream stream = body.get()) {
            String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            return text.isBlank() ? "{}" : text;
        }
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
