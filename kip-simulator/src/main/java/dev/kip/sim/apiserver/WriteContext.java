package dev.kip.sim.apiserver;

import java.util.ArrayList;
import java.util.List;

/**
 * How a write was asked for.
 *
 * @param dryRun everything happens but the commit
 * @param validation what becomes of fields that the kind does not have
 * @param warnings collects what the client is to be warned of
 */
record WriteContext(boolean dryRun, FieldValidation validation, List<String> warnings) {

    static WriteContext internal() {
        return new WriteContext(false, FieldValidation.IGNORE, new ArrayList<>());
    }

    /** The {@code fieldValidation} parameter. */
    enum FieldValidation {
        IGNORE,
        WARN,
        STRICT
    }
}
