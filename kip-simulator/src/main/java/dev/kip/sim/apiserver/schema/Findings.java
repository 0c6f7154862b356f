package dev.kip.sim.apiserver.schema;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;

/** What was noticed while a body was fitted to its kind. */
public final class Findings {

    private final List<String> strict = new ArrayList<>();

    /** A field that the kind does not have; it is dropped. */
    public void unknownField(String path) {
        strict.add("unknown field \"" + path + "\"");
    }

    /** A name that came twice in one object; the last one counts. */
    public void duplicateField(String path) {
        strict.add("duplicate field \"" + path + "\"");
    }

    /** What strict field validation refuses and the lenient one warns of. */
    public ImmutableList<String> strict() {
        return ImmutableList.copyOf(strict);
    }
}
