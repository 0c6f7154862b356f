package dev.kip.sim.apiserver.managed;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Others own what would be changed. */
public final class ApplyConflict extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient ImmutableList<Conflict> conflicts;

    /** @param manager as the message names it */
    public record Conflict(String manager, List<String> path) {

        public String field() {
            return FieldSet.text(path);
        }
    }

    ApplyConflict(ImmutableList<Conflict> conflicts) {
        super(text(conflicts), null, false, false);
        this.conflicts = conflicts;
    }

    public ImmutableList<Conflict> conflicts() {
        return conflicts;
    }

    /** As the answer says it. */
    public String text() {
        return text(conflicts);
    }

    /** Whether every field that others own is in the set. */
    boolean within(FieldSet set) {
        FieldSet disputed = new FieldSet();
        conflicts.forEach(conflict -> disputed.add(conflict.path()));
        return disputed.minus(set).isEmpty();
    }

    private static String text(ImmutableList<Conflict> conflicts) {
        if (conflicts.size() == 1) {
            Conflict only = conflicts.get(0);
            return "Apply failed with 1 conflict: conflict with " + only.manager() + ": " + only.field();
        }
        Map<String, List<String>> byManager = new TreeMap<>();
        for (Conflict conflict : conflicts) {
            byManager
                    .computeIfAbsent(conflict.manager(), any -> new ArrayList<>())
                    .add("- " + conflict.field());
        }
        List<String> lines = new ArrayList<>();
        byManager.forEach((manager, fields) -> {
            lines.add("conflicts with " + manager + ":");
            lines.addAll(fields);
        });
        return "Apply failed with " + conflicts.size() + " conflicts: " + String.join("\n", lines);
    }
}
