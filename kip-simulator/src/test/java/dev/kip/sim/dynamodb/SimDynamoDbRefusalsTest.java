package dev.kip.sim.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.sim.PlainCall;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What this DynamoDB does not have, or what DynamoDB refuses, is refused by name, and nothing is done. */
class SimDynamoDbRefusalsTest {

    private final Kernel kernel = new Kernel(5, Instant.parse("2030-01-01T00:00:00Z"), new Trace(false));
    private final SimDynamoDb dynamoDb = new SimDynamoDb(new SimProcess(kernel, "dynamodb"), kernel.entropy("d"));

    SimDynamoDbRefusalsTest() {
        dynamoDb.createTable("t");
    }

    private PlainCall send(String action, String body) {
        return PlainCall.send(
                dynamoDb,
                "POST",
                "/",
                ImmutableMap.of(),
                ImmutableMap.of("x-amz-target", "DynamoDB_20120810." + action),
                body);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Query", "UpdateItem", "TransactWriteItems", "CreateTable", ""})
    void an_operation(String action) {
        PlainCall answer = send(action, "{\"TableName\":\"t\"}");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.answer()).contains("UnknownOperationException");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"TableName\":\"t\",\"Item\":{\"key\":{\"S\":\"a\"}},\"Expected\":{}}",
                "{\"TableName\":\"t\",\"Item\":{\"key\":{\"N\":\"1\"}}}",
                "{\"TableName\":\"t\",\"Item\":{\"key\":{\"S\":\"\"}}}",
                "{\"TableName\":\"t\",\"Item\":{\"other\":{\"S\":\"a\"}}}",
                "{\"TableName\":\"t\",\"Item\":{\"key\":{\"S\":\"a\"}},\"ConditionExpression\":\"size(#key) > :v\"}",
                "{\"TableName\":\"t\",\"Item\":{\"key\":{\"S\":\"a\"}},\"ConditionExpression\":\"#v = :v\"}",
                "{\"TableName\":\"t\",\"Item\":{\"key\":{\"S\":\"a\"}},\"ConditionExpression\":\"version = :v\"}",
                "{\"TableName\":\"t\",\"Item\":{\"key\":{\"S\":\"a\"}},\"ExpressionAttributeNames\":{\"#k\":\"key\"}}",
            })
    void a_put_that_is_wrong(String body) {
        PlainCall answer = send("PutItem", body);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.answer()).contains("ValidationException");
        assertThat(dynamoDb.contents("t")).isEmpty();
    }

    @Test
    void items_that_are_too_large_tables_that_are_none_and_bodies_that_are_no_json() {
        String large = "x".repeat(400 * 1024);
        assertThat(send(
                                "PutItem",
                                "{\"TableName\":\"t\",\"Item\":{\"key\":{\"S\":\"a\"},\"c\":{\"S\":\"" + large
                                        + "\"}}}")
                        .answer())
                .contains("ValidationException", "Item size has exceeded");
        assertThat(send("GetItem", "{\"TableName\":\"none\",\"Key\":{\"key\":{\"S\":\"a\"}}}")
                        .answer())
                .contains("ResourceNotFoundException");
        assertThat(send("GetItem", "no json").answer()).contains("SerializationException");
        assertThat(send("GetItem", "{\"TableName\":\"t\",\"Key\":{\"key\":{\"S\":\"a\"},\"b\":{\"S\":\"c\"}}}")
                        .answer())
                .contains("does not match the schema");
    }

    @Test
    void a_scan_pages_by_what_it_has_looked_at_not_by_what_matches() {
        for (int i = 0; i < 10; i++) {
            send("PutItem", "{\"TableName\":\"t\",\"Item\":{\"key\":{\"S\":\"k" + i + "\"}}}");
        }
        String filter = ",\"FilterExpression\":\"begins_with(#k, :p)\",\"ExpressionAttributeNames\":{\"#k\":\"key\"},"
                + "\"ExpressionAttributeValues\":{\":p\":{\"S\":\"none\"}}";

        PlainCall page = send("Scan", "{\"TableName\":\"t\",\"Limit\":4" + filter + "}");

        assertThat(page.answer()).contains("\"Count\":0", "\"ScannedCount\":4", "LastEvaluatedKey");
    }
}
