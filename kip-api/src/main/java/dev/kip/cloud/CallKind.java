package dev.kip.cloud;

/** Calls to the cloud, as far as it limits how often they may be made. Earlier kinds go before later ones. */
public enum CallKind {
    /** Ends instances; counts them. */
    END(true),
    STOP(true),
    /** Sets tags; {@code CreateTags} has a bucket of its own. */
    TAG(true),
    /** Any other change: templates, security groups, tags taken off. */
    CHANGE(false),
    /** Starts new instances of one type in one subnet; counts them. */
    LAUNCH(false),
    /** Starts new instances of any of several types; counts them. */
    FLEET(false),
    /** Starts stopped instances; counts them. */
    START(false),
    /** Reads by id, neither filtered nor paged. */
    LOOK(true),
    /** Reads what a filter lets through, or a page. */
    LIST(true),
    /** Another service than that of the machines, with limits far above what we do. */
    ELSEWHERE(true);

    private final boolean repeatable;

    CallKind(boolean repeatable) {
        this.repeatable = repeatable;
    }

    /** Whether a call that was refused because there were too many may be made again as it is. */
    public boolean repeatable() {
        return repeatable;
    }

    /** It changes nothing. */
    public boolean reads() {
        return this == LOOK || this == LIST;
    }
}
