package dev.kip.controller.podstatus;

import dev.kip.controller.launch.Problem;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Why a pod is not launched, as a condition of its status. Pure. */
public final class Explanation {

    public static final String CONDITION = "kip.elotl.co/CellLaunched";

    private Explanation() {}

    /** What {@link #in} finds once {@code problem} is written. */
    public static String textOf(Problem problem) {
        return problem.reason() + ": " + problem.message();
    }

    public static Optional<String> in(JsonNode status) {
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").asString("").equals(CONDITION)) {
                return Optional.of(textOf(new Problem(
                        condition.path("reason").asString(""),
                        condition.path("message").asString(""))));
            }
        }
        return Optional.empty();
    }

    static ObjectNode condition(Problem problem, String now) {
        ObjectNode condition = JsonNodeFactory.instance.objectNode();
        condition.put("type", CONDITION);
        condition.put("status", "False");
        condition.put("reason", problem.reason());
        condition.put("message", problem.message());
        condition.put("lastTransitionTime", now);
        return condition;
    }
}
