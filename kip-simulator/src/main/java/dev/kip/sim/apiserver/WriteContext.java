package dev.kip.sim.apiserver;

import java.util.ArrayList;
import java.util.List;

/**
 * How a write was asked for.
 *
 * @param dryRun everything happens but the commit
 * @param validation what becomes of fields that the kind does not have
 * @param warnings collects what the client is to be warned of
 * @param manager who owns what is written; empty for the server itself, whose writes nobody owns
 * @param subresource that is written; empty for the object itself
 * @param applies whether the object comes from a server-side apply, which has settled who manages what
 */
record WriteContext(
        boolean dryRun,
        FieldValidation validation,
        List<String> warnings,
        String manager,
        String subresource,
        boolean applies) {

    static WriteContext internal() {
        return new WriteContext(false, FieldValidation.IGNORE, new ArrayList<>(), "", "", false);
    }

    /** The {@code fieldValidation} parameter. */
    enum FieldValidation {
        IGNORE,
        WARN,
        STRICT
    }
}
