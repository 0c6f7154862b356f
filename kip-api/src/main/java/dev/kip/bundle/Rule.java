package dev.kip.bundle;

import java.util.function.Predicate;

/**
 * One row of a table that says what becomes of a pod's fields on the way into a static pod: {@link SanitisingTable} for
 * cells, another for checkpoints. A field without a row, known or not, is carried as it is.
 *
 * @param path of the field, {@code [*]} for every element of an array
 * @param reason for people: why a static pod cannot have it as it is
 */
public record Rule(String path, Action action, String reason, Rewrite rewrite) {

    /** What becomes of a field. */
    public enum Action {
        /** Carried as it is; a row only where a reader would wonder. */
        KEEP,
        /** Means nothing in a static pod. */
        DROP,
        /** Carried in another form. */
        REWRITE,
        /** The pod cannot run without it and not with it. */
        REFUSE
    }

    /** Changes the manifest at one place. */
    public interface Rewrite {
        void at(Site site, Workpiece piece);
    }

    public static Rule keep(String path, String reason) {
        return new Rule(path, Action.KEEP, reason, (site, piece) -> {});
    }

    /** Carried as it is, and told where {@code when} holds. */
    public static Rule note(String path, String reason, Predicate<Site> when) {
        return new Rule(path, Action.KEEP, reason, (site, piece) -> {
            if (when.test(site)) {
                piece.refuse(Refusal.Kind.NOTE, site.path(), reason);
            }
        });
    }

    public static Rule drop(String path, String reason) {
        return new Rule(path, Action.DROP, reason, (site, piece) -> site.remove());
    }

    public static Rule rewrite(String path, String reason, Rewrite rewrite) {
        return new Rule(path, Action.REWRITE, reason, rewrite);
    }

    public static Rule refuse(String path, String reason) {
        return new Rule(path, Action.REFUSE, reason, (site, piece) -> {
            if (site.saysSomething()) {
                piece.refuse(Refusal.Kind.REFUSED, site.path(), reason);
            }
            site.remove();
        });
    }

    public void apply(Workpiece piece) {
        for (Site site : Site.find(piece.manifest(), path)) {
            rewrite.at(site, piece);
        }
    }
}
