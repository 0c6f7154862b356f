package dev.kip.cloud.aws;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.LaunchRequest;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.TemplateContent;
import java.util.Optional;

/** Requests that tests send. */
final class Requests {

    private Requests() {}

    static LaunchRequest launch(String token, int count) {
        return new LaunchRequest(
                "lt-0123456789abcdef0",
                "3",
                "t3.nano",
                Optional.of("subnet-0123456789abcdef0"),
                ImmutableList.of("sg-0123456789abcdef0"),
                true,
                Market.SPOT,
                count,
                token,
                ImmutableMap.of("kip.elotl.co/installation", "abc", "team", "ünïcode & <more>"));
    }

    static TemplateContent template(String userData) {
        return new TemplateContent(
                "kip-abc-1",
                "ami-0123456789abcdef0",
                Optional.of("/dev/xvda"),
                10,
                userData,
                Optional.of("arn:aws:iam::123456789012:instance-profile/cell"),
                "epoch 4",
                ImmutableMap.of("kip.elotl.co/installation", "abc"));
    }
}
