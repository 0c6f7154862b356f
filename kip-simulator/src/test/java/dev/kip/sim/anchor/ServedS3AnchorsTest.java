package dev.kip.sim.anchor;

import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import dev.kip.sim.kernel.SeededEntropy;
import dev.kip.sim.s3.SimS3;

class ServedS3AnchorsTest extends ServedSuite {

    @Override
    HttpService service(Loop loop) {
        SimS3 made = new SimS3(loop, new SeededEntropy(5));
        made.createBucket("kip-anchors");
        return made;
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
