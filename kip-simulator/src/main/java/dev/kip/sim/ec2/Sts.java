package dev.kip.sim.ec2;

import com.google.common.io.BaseEncoding;
import dev.kip.sim.aws.Xml;
import java.nio.charset.StandardCharsets;

/** Two calls of STS; they are answered at EC2's endpoint, as emulators do. */
final class Sts {

    static final String ACTION = "GetCallerIdentity";
    private static final String NAMESPACE = "https://sts.amazonaws.com/doc/2011-06-15/";

    static final String DECODE = "DecodeAuthorizationMessage";

    private Sts() {}

    /** What a denial hides for those who may not read it. */
    static String encode(String action) {
        String denial = "{\"allowed\":false,\"explicitDeny\":false,\"context\":{\"principal\":{\"arn\":\"the caller\"},"
                + "\"action\":\"ec2:" + action + "\",\"resource\":\"*\"}}";
        return BaseEncoding.base64Url().omitPadding().encode(denial.getBytes(StandardCharsets.UTF_8));
    }

    static String decoded(String message, String requestId) {
        String denial;
        try {
            denial = new String(BaseEncoding.base64Url().omitPadding().decode(message), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new Ec2Failure("InvalidAuthorizationMessageException", "The encoded message cannot be decoded.");
        }
        Xml xml = new Xml()
                .in(DECODE + "Result", result -> result.put("DecodedMessage", denial))
                .in("ResponseMetadata", metadata -> metadata.put("RequestId", requestId));
        return "<" + DECODE + "Response xmlns=\"" + NAMESPACE + "\">" + xml + "</" + DECODE + "Response>";
    }

    static String answer(String account, String requestId) {
        Xml xml = new Xml()
                .in(
                        ACTION + "Result",
                        result -> result.put("Arn", "arn:aws:iam::" + account + ":user/simulated")
                                .put("UserId", "AIDA0000000000EXAMPLE")
                                .put("Account", account))
                .in("ResponseMetadata", metadata -> metadata.put("RequestId", requestId));
        return "<" + ACTION + "Response xmlns=\"" + NAMESPACE + "\">" + xml + "</" + ACTION + "Response>";
    }
}
