package dev.kip.sim.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.cloud.CloudError;
import dev.kip.http.HttpService;
import dev.kip.sim.dynamodb.DynamoDbFailure;
import dev.kip.sim.dynamodb.SimDynamoDb;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SimDynamoDbAnchorsTest extends SimulatedSuite {

    private SimDynamoDb dynamoDb = made();

    private SimDynamoDb made() {
        SimDynamoDb made = new SimDynamoDb(server, kernel.entropy("dynamodb"));
        made.createTable("kip-anchors");
        return made;
    }

    @Override
    HttpService service() {
        return dynamoDb;
    }

    @Override
    String location() {
        return "dynamodb://kip-anchors";
    }

    @Override
    String nowhereLocation() {
        return "dynamodb://kip-lost";
    }

    @Override
    void denyAccess(boolean all) {
        dynamoDb.denyAccess(all);
    }

    @Override
    void restart() {
        var snapshot = dynamoDb.snapshot();
        dynamoDb = made();
        dynamoDb.restore(snapshot);
    }

    @Override
    int calls() {
        return (int) dynamoDb.log().total();
    }

    @Test
    void items_are_what_the_table_holds() {
        ok(store().write("names/a", "abc", Optional.empty()));

        assertThat(dynamoDb.contents("kip-anchors")).containsOnly(Map.entry("names/a", "abc"));
        dynamoDb.removeFromOutside("kip-anchors", "names/");
        assertThat(ok(store().read("names/a")).object()).isEmpty();
    }

    @Test
    void a_table_at_its_limit_throttles() {
        dynamoDb.intercept((action, table) -> Optional.of(DynamoDbFailure.throttled()));

        assertThat(failed(store().read("a"))).isInstanceOf(CloudError.Throttled.class);
    }
}
