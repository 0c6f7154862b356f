package dev.kip.cloud.aws;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a decoded authorization failure says, in one line.
 *
 * @see <a href="https://docs.aws.amazon.com/STS/latest/APIReference/API_DecodeAuthorizationMessage.html">DecodeAuthorizationMessage</a>
 */
final class Denials {

    private Denials() {}

    /** @param decoded JSON; anything else is said as it is */
    static String text(String decoded) {
        JsonNode denial;
        try {
            denial = JsonMapper.shared().readTree(decoded);
        } catch (JacksonException e) {
            return decoded;
        }
        JsonNode context = denial.path("context");
        String action = context.path("action").asString("");
        if (action.isEmpty()) {
            return decoded;
        }
        return (denial.path("explicitDeny").asBoolean(false) ? "a policy denies " : "no policy allows ")
                + context.path("principal").path("arn").asString("the caller")
                + " to call " + action + " on "
                + context.path("resource").asString("anything");
    }
}
