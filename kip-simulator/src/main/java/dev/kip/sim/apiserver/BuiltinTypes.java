package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.ResourceType.Subresource;
import java.util.Locale;

/** The built-in kinds as discovery describes them. */
final class BuiltinTypes {

    static final ImmutableList<String> ALL_VERBS =
            ImmutableList.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");
    static final ImmutableList<String> GET_PATCH_UPDATE = ImmutableList.of("get", "patch", "update");
    private static final ImmutableList<String> CREATE = ImmutableList.of("create");
    private static final ImmutableList<String> CREATE_GET = ImmutableList.of("create", "get");

    /** Group and version of the kinds that follow. */
    private final String group;

    private final String version;

    private BuiltinTypes(String group, String version) {
        this.group = group;
        this.version = version;
    }

    static BuiltinTypes in(String group, String version) {
        return new BuiltinTypes(group, version);
    }

    /** @param shortNames separated by commas */
    Draft namespaced(String kind, String plural, String shortNames) {
        return new Draft(group, version, kind, plural, true, shortNames);
    }

    Draft cluster(String kind, String plural, String shortNames) {
        return new Draft(group, version, kind, plural, false, shortNames);
    }

    /** A kind that is only ever posted. */
    static ResourceType review(String group, String kind, String plural, boolean namespaced) {
        return new ResourceType(
                group,
                "v1",
                kind,
                plural,
                kind.toLowerCase(Locale.ROOT),
                namespaced,
                ImmutableList.of(),
                ImmutableList.of(),
                CREATE,
                ImmutableList.of());
    }

    /** Collects what is said about a kind. */
    static final class Draft {

        private final String group;
        private final String version;
        private final String kind;
        private final String plural;
        private final boolean namespaced;
        private final ImmutableList<String> shortNames;
        private final ImmutableList.Builder<String> categories = ImmutableList.builder();
        private final ImmutableList.Builder<Subresource> subresources = ImmutableList.builder();
        private ImmutableList<String> verbs = ALL_VERBS;

        private Draft(String group, String version, String kind, String plural, boolean namespaced, String shortNames) {
            this.group = group;
            this.version = version;
            this.kind = kind;
            this.plural = plural;
            this.namespaced = namespaced;
            this.shortNames =
                    shortNames.isEmpty() ? ImmutableList.of() : ImmutableList.copyOf(shortNames.split(",", -1));
        }

        Draft category(String category) {
            categories.add(category);
            return this;
        }

        Draft withoutCollectionDelete() {
            verbs = verbs.stream()
                    .filter(verb -> !verb.equals("deletecollection"))
                    .collect(ImmutableList.toImmutableList());
            return this;
        }

        Draft status() {
            return own("status");
        }

        /** A subresource whose bodies are of the kind itself. */
        Draft own(String name) {
            return sub(name, group, version, kind, GET_PATCH_UPDATE);
        }

        Draft scale() {
            return sub("scale", "autoscaling", "v1", "Scale", GET_PATCH_UPDATE);
        }

        /** A subresource that is only posted to. */
        Draft posted(String name, String bodyGroup, String bodyVersion, String bodyKind) {
            return sub(name, bodyGroup, bodyVersion, bodyKind, CREATE);
        }

        /** A subresource that opens a stream. */
        Draft stream(String name, String bodyKind) {
            return sub(name, "", "v1", bodyKind, CREATE_GET);
        }

        Draft sub(String name, String bodyGroup, String bodyVersion, String bodyKind, ImmutableList<String> allowed) {
            subresources.add(new Subresource(name, bodyGroup, bodyVersion, bodyKind, allowed));
            return this;
        }

        ResourceType type() {
            return new ResourceType(
                    group,
                    version,
                    kind,
                    plural,
                    kind.toLowerCase(Locale.ROOT),
                    namespaced,
                    shortNames,
                    categories.build(),
                    verbs,
                    subresources.build());
        }
    }
}
