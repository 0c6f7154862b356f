package dev.kip.sim.ec2;

import dev.kip.sim.aws.Xml;

/** The one call of STS that needs no role; it is answered at EC2's endpoint, as emulators do. */
final class Sts {

    static final String ACTION = "GetCallerIdentity";
    private static final String NAMESPACE = "https://sts.amazonaws.com/doc/2011-06-15/";

    private Sts() {}

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
