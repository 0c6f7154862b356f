package dev.kip.bundle;

/**
 * One row of {@link SanitisingTable}.
 *
 * @param path of the field, {@code [*]} for every element of an array
 * @param reason for people: why a static pod cannot have it as it is
 */
record Rule(String path, Action action, String reason, Rewrite rewrite) {

    /** What becomes of a field. */
    enum Action {
        /** Carried as it is; a row only where a reader would wonder. */
        KEEP,
        /** Means nothing on a cell. */
        DROP,
        /** Carried in another form. */
        REWRITE,
        /** The pod cannot run without it and not with it. */
        REFUSE
    }

    /** Changes the manifest at one place. */
    interface Rewrite {
        void at(Site site, Workpiece piece);
    }

    static Rule keep(String path, String reason) {
        return new Rule(path, Action.KEEP, reason, (site, piece) -> {});
    }

    static Rule drop(String path, String reason) {
        return new Rule(path, Action.DROP, reason, (site, piece) -> site.remove());
    }

    static Rule rewrite(String path, String reason, Rewrite rewrite) {
        return new Rule(path, Action.REWRITE, reason, rewrite);
    }

    static Rule refuse(String path, String reason) {
        return new Rule(path, Action.REFUSE, reason, (site, piece) -> {
            if (site.saysSomething()) {
                piece.refuse(Refusal.Kind.REFUSED, site.path(), reason);
            }
            site.remove();
        });
    }

    void apply(Workpiece piece) {
        for (Site site : Site.find(piece.manifest(), path)) {
            rewrite.at(site, piece);
        }
    }
}
