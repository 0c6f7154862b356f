package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableSet;
import dev.kip.sim.apiserver.Request.User;
import dev.kip.sim.apiserver.schema.FieldErrors;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Kinds that are questions: posted, answered, never stored. Everyone who is let in may do everything. */
final class Reviews {

    private static final ImmutableSet<String> KINDS = ImmutableSet.of(
            "SelfSubjectReview",
            "TokenReview",
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview");

    private final Authentication authentication;

    Reviews(Authentication authentication) {
        this.authentication = authentication;
    }

    static boolean isReview(ResourceType type) {
        return KINDS.contains(type.kind());
    }

    ObjectNode answer(ResourceType type, User asker, ObjectNode review) {
        ObjectNode status = review.putObject("status");
        switch (type.kind()) {
            case "SelfSubjectReview" -> describe(status.putObject("userInfo"), asker);
            case "TokenReview" -> {
                Optional<User> user =
                        authentication.byToken(review.path("spec").path("token").asString(""));
                if (user.isPresent()) {
                    status.put("authenticated", true);
                    describe(status.putObject("user"), user.get());
                } else {
                    status.put("error", "invalid bearer token");
                }
            }
            case "SelfSubjectRulesReview" -> {
                ObjectNode rule = status.putArray("resourceRules").addObject();
                any(rule.putArray("verbs"));
                any(rule.putArray("apiGroups"));
                any(rule.putArray("resources"));
                ObjectNode other = status.putArray("nonResourceRules").addObject();
                any(other.putArray("verbs"));
                any(other.putArray("nonResourceURLs"));
                status.put("incomplete", false);
            }
            default -> {
                JsonNode spec = review.path("spec");
                if (spec.has("resourceAttributes") == spec.has("nonResourceAttributes")) {
                    FieldErrors errors = new FieldErrors();
                    errors.invalid(
                            "spec.resourceAttributes",
                            spec.has("resourceAttributes")
                                    ? spec.path("resourceAttributes").toString()
                                    : "null",
                            "exactly one of nonResourceAttributes or resourceAttributes must be specified");
                    throw Failures.invalid(type.group(), "", "", errors.causes());
                }
                status.put("allowed", true).put("reason", "every user of this server is an administrator");
            }
        }
        return review;
    }

    private static void any(ArrayNode list) {
        list.add("*");
    }

    private static void describe(ObjectNode info, User user) {
        info.put("username", user.name());
        ArrayNode groups = info.putArray("groups");
        user.groups().forEach(groups::add);
    }
}
