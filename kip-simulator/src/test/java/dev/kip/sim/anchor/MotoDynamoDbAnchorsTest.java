package dev.kip.sim.anchor;

import dev.kip.sim.Moto;

class MotoDynamoDbAnchorsTest extends MotoSuite {

    @Override
    void makeStore(Moto in) throws Exception {
        in.createTable("kip-anchors");
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
