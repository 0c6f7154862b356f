package dev.kip.sim.apiserver.schema;

import org.jspecify.annotations.Nullable;

/** The way to a field. Cheap to extend, since its text is rarely wanted. */
final class Path {

    static final Path ROOT = new Path(null, "", -1);

    private final @Nullable Path parent;
    private final String name;
    private final int index;

    private Path(@Nullable Path parent, String name, int index) {
        this.parent = parent;
        this.name = name;
        this.index = index;
    }

    static Path of(String name) {
        return name.isEmpty() ? ROOT : ROOT.child(name);
    }

    Path child(String field) {
        return new Path(this, field, -1);
    }

    Path item(int at) {
        return new Path(this, "", at);
    }

    /** Without list positions, as Go names a field. */
    String fieldsOnly() {
        return toString().replaceAll("\\[[0-9]+]", "");
    }

    @Override
    public String toString() {
        if (parent == null) {
            return "";
        }
        if (index >= 0) {
            return parent + "[" + index + "]";
        }
        String before = parent.toString();
        return before.isEmpty() ? name : before + "." + name;
    }
}
