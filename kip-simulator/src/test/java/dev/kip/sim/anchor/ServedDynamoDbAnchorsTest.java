package dev.kip.sim.anchor;

import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import dev.kip.sim.dynamodb.SimDynamoDb;
import dev.kip.sim.kernel.SeededEntropy;

class ServedDynamoDbAnchorsTest extends ServedSuite {

    @Override
    HttpService service(Loop loop) {
        SimDynamoDb made = new SimDynamoDb(loop, new SeededEntropy(5));
        made.createTable("kip-anchors");
        return made;
    }

    @Override
    String location() {
        return "dynamodb://kip-anchors";
    }

    @Override
    String nowhereLocation() {
        return "dynamodb://kip-lost";
    }
}
