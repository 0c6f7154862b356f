package dev.kip.sim.anchor;

import dev.kip.sim.Moto;

class MotoS3AnchorsTest extends MotoSuite {

    @Override
    void makeStore(Moto in) throws Exception {
        in.createBucket("kip-anchors");
    }

    @Override
    String location() {
        return "s3://kip-anchors/team";
    }

    @Override
    String nowhereLocation() {
        return "s3://kip-lost";
    }
}
