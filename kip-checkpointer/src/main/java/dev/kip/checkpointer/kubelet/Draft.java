package dev.kip.checkpointer.kubelet;

/** Writes a {@link KubeletRule} so that its parts can be told from each other. */
record Draft(
        String id,
        Stage stage,
        String field,
        Versions versions,
        String reason,
        String message,
        String remedy,
        String source) {

    static Draft rule(String id, Stage stage, String field) {
        return new Draft(id, stage, field, Versions.all(), "", "", "", "");
    }

    Draft in(Versions these) {
        return new Draft(id, stage, field, these, reason, message, remedy, source);
    }

    Draft since(String first) {
        return in(Versions.since(first));
    }

    /** The pod's {@code status.reason}. */
    Draft failsAs(String text) {
        return new Draft(id, stage, field, versions, text, message, remedy, source);
    }

    Draft says(String text) {
        return new Draft(id, stage, field, versions, reason, text, remedy, source);
    }

    Draft mend(String text) {
        return new Draft(id, stage, field, versions, reason, message, text, source);
    }

    Draft read(String text) {
        return new Draft(id, stage, field, versions, reason, message, remedy, text);
    }

    KubeletRule when(KubeletRule.Check check) {
        return new KubeletRule(id, stage, field, versions, reason, message, remedy, source, check);
    }

    KubeletRule whenPresent() {
        return when(KubeletRule.present(field));
    }
}
