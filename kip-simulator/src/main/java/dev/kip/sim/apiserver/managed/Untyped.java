package dev.kip.sim.apiserver.managed;

import java.util.List;

/** A value does not fit its schema. */
public final class Untyped extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Untyped(List<String> path, String why) {
        super((path.isEmpty() ? "." : FieldSet.text(path)) + ": " + why, null, false, false);
    }
}
