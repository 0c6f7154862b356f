package dev.kip.sim.apiserver.kinds;

/**
 * How a kind is stored and answered, apart from its fields.
 *
 * @param generation what raises {@code metadata.generation}
 * @param status whether status is written only through its subresource
 * @param keepsStatusOnCreate a client may create the object with its status (nodes)
 * @param unconditionalUpdate a PUT without a resourceVersion is taken
 * @param createOnUpdate a PUT of an object that does not exist creates it
 * @param answersDeleted DELETE answers with the object instead of a Status
 */
public record Traits(
        Generation generation,
        boolean status,
        boolean keepsStatusOnCreate,
        boolean unconditionalUpdate,
        boolean createOnUpdate,
        boolean answersDeleted,
        Names names) {

    /** No generation, no status, plain names. */
    public static final Traits PLAIN = new Traits(Generation.NONE, false, false, true, false, false, Names.SUBDOMAIN);

    /** A spec with a generation, and a status. */
    public static final Traits SPEC_AND_STATUS =
            new Traits(Generation.SPEC, true, false, true, false, false, Names.SUBDOMAIN);

    public Traits generation(Generation raisedBy) {
        return new Traits(
                raisedBy, status, keepsStatusOnCreate, unconditionalUpdate, createOnUpdate, answersDeleted, names);
    }

    public Traits withStatus() {
        return new Traits(
                generation, true, keepsStatusOnCreate, unconditionalUpdate, createOnUpdate, answersDeleted, names);
    }

    public Traits keepingStatusOnCreate() {
        return new Traits(generation, status, true, unconditionalUpdate, createOnUpdate, answersDeleted, names);
    }

    public Traits versionRequired() {
        return new Traits(generation, status, keepsStatusOnCreate, false, createOnUpdate, answersDeleted, names);
    }

    public Traits creatingOnUpdate() {
        return new Traits(generation, status, keepsStatusOnCreate, unconditionalUpdate, true, answersDeleted, names);
    }

    public Traits answeringDeleted() {
        return new Traits(generation, status, keepsStatusOnCreate, unconditionalUpdate, createOnUpdate, true, names);
    }

    public Traits named(Names form) {
        return new Traits(
                generation, status, keepsStatusOnCreate, unconditionalUpdate, createOnUpdate, answersDeleted, form);
    }

    /** What raises the generation. */
    public enum Generation {
        NONE,
        SPEC,
        /** Deployments: the revision annotation counts as well. */
        SPEC_AND_ANNOTATIONS,
        /** Custom resources: everything but metadata, and but status where that is a subresource. */
        ALL_BUT_METADATA
    }
}
