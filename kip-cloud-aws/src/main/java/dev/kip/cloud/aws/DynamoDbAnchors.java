package dev.kip.cloud.aws;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudError;
import dev.kip.loop.Offload;
import dev.kip.outcome.Outcome;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClientBuilder;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;

/**
 * Anchors as items of a DynamoDB table, by conditional puts and deletes: the text attributes {@code key} (the table's
 * only key), {@code content} and {@code version}, a digest of the content. DynamoDB encrypts every table at rest.
 */
final class DynamoDbAnchors implements AnchorStore {

    private static final String KEY = "key";
    private static final String CONTENT = "content";
    private static final String VERSION = "version";

    /** Some of these words are reserved in expressions, so all are given by another name. */
    private static final ImmutableMap<String, String> KEY_NAME = ImmutableMap.of("#key", KEY);

    private static final ImmutableMap<String, String> VERSION_NAME = ImmutableMap.of("#version", VERSION);

    private final AnchorLocation.DynamoDb location;
    private final DynamoDbClient dynamoDb;
    private final Offload offload;

    DynamoDbAnchors(AnchorLocation.DynamoDb location, DynamoDbClient dynamoDb, Offload offload) {
        this.location = location;
        this.dynamoDb = dynamoDb;
        this.offload = offload;
    }

    static DynamoDbClient client(
            String region, Optional<String> endpoint, SdkHttpClient http, AwsCredentialsProvider credentials) {
        DynamoDbClientBuilder builder = DynamoDbClient.builder()
                .region(Region.of(region))
                .httpClient(http)
                .credentialsProvider(credentials)
                .endpointDiscoveryEnabled(false)
                .overrideConfiguration(override -> override.retryStrategy(DefaultRetryStrategy.doNotRetry()));
        endpoint.ifPresent(url -> builder.endpointOverride(URI.create(url)));
        return builder.build();
    }

    @Override
    public String location() {
        return location.text();
    }

    @Override
    public CompletionStage<Outcome<Reading, CloudError>> read(String key) {
        GetItemRequest request = GetItemRequest.builder()
                .tableName(location.table())
                .key(ImmutableMap.of(KEY, AttributeValue.fromS(key)))
                .consistentRead(true)
                .build();
        return AnchorCalls.send(offload, "dynamodb.GetItem", AnchorCalls.faultOfKey(key), () -> {
            var answer = dynamoDb.getItem(request);
            return new Reading(
                    answer.hasItem()
                            ? Optional.of(new Anchored(text(answer.item(), CONTENT), text(answer.item(), VERSION)))
                            : Optional.empty(),
                    AnchorCalls.serverTime(answer.sdkHttpResponse()));
        });
    }

    @Override
    public CompletionStage<Outcome<Written, CloudError>> write(String key, String content, Optional<String> expected) {
        String version =
                Hashing.sha256().hashString(content, StandardCharsets.UTF_8).toString();
        PutItemRequest.Builder request = PutItemRequest.builder()
                .tableName(location.table())
                .item(ImmutableMap.of(
                        KEY, AttributeValue.fromS(key),
                        CONTENT, AttributeValue.fromS(content),
                        VERSION, AttributeValue.fromS(version)));
        expected.ifPresentOrElse(
                wanted -> request.conditionExpression("#version = :version")
                        .expressionAttributeNames(VERSION_NAME)
                        .expressionAttributeValues(ImmutableMap.of(":version", AttributeValue.fromS(wanted))),
                () -> request.conditionExpression("attribute_not_exists(#key)").expressionAttributeNames(KEY_NAME));
        Optional<String> fault = AnchorCalls.faultOfKey(key).or(() -> AnchorCalls.faultOfContent(content));
        return AnchorCalls.send(offload, "dynamodb.PutItem", fault, () -> {
            var answer = dynamoDb.putItem(request.build());
            return new Written(version, AnchorCalls.serverTime(answer.sdkHttpResponse()));
        });
    }

    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> delete(String key, String version) {
        DeleteItemRequest request = DeleteItemRequest.builder()
                .tableName(location.table())
                .key(ImmutableMap.of(KEY, AttributeValue.fromS(key)))
                .conditionExpression("#version = :version")
                .expressionAttributeNames(VERSION_NAME)
                .expressionAttributeValues(ImmutableMap.of(":version", AttributeValue.fromS(version)))
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .build();
        return AnchorCalls.send(offload, "dynamodb.DeleteItem", AnchorCalls.faultOfKey(key), () -> {
                    try {
                        dynamoDb.deleteItem(request);
                        return Deleted.DONE;
                    } catch (ConditionalCheckFailedException refused) {
                        return refused.hasItem() ? Deleted.OF_ANOTHER_VERSION : Deleted.GONE;
                    }
                })
                .thenApply(answer -> answer.fold(deleted -> deleted.outcome(key), Outcome::failed));
    }

    /** What a conditional delete found; the item that stopped it comes with the refusal. */
    private enum Deleted {
        DONE,
        OF_ANOTHER_VERSION,
        GONE;

        Outcome<Boolean, CloudError> outcome(String key) {
            return switch (this) {
                case DONE -> Outcome.ok(true);
                case OF_ANOTHER_VERSION ->
                    Outcome.failed(new CloudError.Changed("dynamodb.DeleteItem: " + key + " is of another version"));
                case GONE -> Outcome.failed(new CloudError.NotFound("dynamodb.DeleteItem: there is no " + key));
            };
        }
    }

    /** A scan: the table holds a few objects of each installation and nothing else. */
    @Override
    public CompletionStage<Outcome<KeyPage, CloudError>> list(String prefix, String pageToken) {
        ScanRequest.Builder request = ScanRequest.builder()
                .tableName(location.table())
                .consistentRead(true)
                .projectionExpression("#key")
                .expressionAttributeNames(KEY_NAME);
        if (!prefix.isEmpty()) {
            request.filterExpression("begins_with(#key, :prefix)")
                    .expressionAttributeValues(ImmutableMap.of(":prefix", AttributeValue.fromS(prefix)));
        }
        Ec2Requests.page(pageToken)
                .ifPresent(last -> request.exclusiveStartKey(ImmutableMap.of(KEY, AttributeValue.fromS(last))));
        return AnchorCalls.send(offload, "dynamodb.Scan", AnchorCalls.faultOfPrefix(prefix), () -> {
            var answer = dynamoDb.scan(request.build());
            ImmutableList<String> keys = answer.items().stream()
                    .map(item -> text(item, KEY))
                    .sorted()
                    .collect(toImmutableList());
            return new KeyPage(keys, answer.hasLastEvaluatedKey() ? text(answer.lastEvaluatedKey(), KEY) : "");
        });
    }

    private static String text(Map<String, AttributeValue> item, String attribute) {
        AttributeValue value = item.get(attribute);
        return value == null || value.s() == null ? "" : value.s();
    }
}
