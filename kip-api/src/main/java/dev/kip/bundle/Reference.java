package dev.kip.bundle;

import java.util.Comparator;

/**
 * An object of the pod's namespace that its bundle needs.
 *
 * @param optional the pod runs without it
 */
public record Reference(Kind kind, String name, boolean optional) implements Comparable<Reference> {

    private static final Comparator<Reference> ORDER =
            Comparator.comparing(Reference::kind).thenComparing(Reference::name).thenComparing(Reference::optional);

    /** What can be referred to. */
    public enum Kind {
        SECRET("secret"),
        CONFIG_MAP("configmap");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** As kubelet names it in its messages. */
        public String text() {
            return text;
        }
    }

    @Override
    public int compareTo(Reference other) {
        return ORDER.compare(this, other);
    }
}
