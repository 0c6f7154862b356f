package dev.kip.crd;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.google.common.collect.ImmutableList;
import io.fabric8.generator.annotation.Required;

/** How the installation is, for people; nothing is decided by it. */
public record InstallationStatus(
        @JsonPropertyDescription("How each virtual node's controller stands.")
        ImmutableList<Condition> conditions) {

    public static final InstallationStatus NONE = new InstallationStatus(ImmutableList.of());

    /** One sentence about one thing. */
    public record Condition(
            @Required @JsonPropertyDescription("What it is about.")
            String type,

            @Required @JsonPropertyDescription("True or False.")
            String status,

            @JsonPropertyDescription("The reason in one word.")
            String reason,

            @JsonPropertyDescription("The reason, for people.")
            String message,

            @JsonPropertyDescription("When it became so.") String lastTransitionTime) {

        boolean saysTheSame(Condition other) {
            return status.equals(other.status) && reason.equals(other.reason) && message.equals(other.message);
        }
    }

    /** With this condition in the place of the one of its type; unchanged if that says the same. */
    public InstallationStatus with(Condition condition) {
        ImmutableList.Builder<Condition> all = ImmutableList.builder();
        boolean known = false;
        for (Condition old : conditions) {
            boolean same = old.type().equals(condition.type());
            known |= same;
            all.add(same && !old.saysTheSame(condition) ? condition : old);
        }
        if (!known) {
            all.add(condition);
        }
        return new InstallationStatus(all.build());
    }
}
