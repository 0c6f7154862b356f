package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Everything that is served, by its path. Custom resources come and go. */
final class Registry {

    private final Map<String, Resource> builtin = new LinkedHashMap<>();
    private final Map<String, List<Resource>> custom = new LinkedHashMap<>();
    private final Map<String, Resource> byPath = new LinkedHashMap<>();
    private final List<Runnable> listeners = new ArrayList<>();

    void add(Resource resource) {
        builtin.put(path(resource.type()), resource);
        byPath.put(path(resource.type()), resource);
    }

    /** @param definition name of the custom resource definition; replaces what it defined before */
    void define(String definition, List<Resource> versions) {
        custom.put(definition, versions);
        refresh();
    }

    void undefine(String definition) {
        if (custom.remove(definition) != null) {
            refresh();
        }
    }

    void undefineAll() {
        custom.clear();
        refresh();
    }

    /** Calls {@code listener} after custom resources have come, gone or changed. */
    void onChange(Runnable listener) {
        listeners.add(listener);
    }

    Optional<Resource> find(String group, String version, String plural) {
        return Optional.ofNullable(byPath.get(path(group, version, plural)));
    }

    /** The first served version, which is the one that discovery prefers. */
    Optional<Resource> find(String group, String plural) {
        return byPath.values().stream()
                .filter(each -> each.type().group().equals(group)
                        && each.type().plural().equals(plural))
                .findFirst();
    }

    List<Resource> defined(String definition) {
        return custom.getOrDefault(definition, List.of());
    }

    ImmutableList<Resource> all() {
        return ImmutableList.copyOf(byPath.values());
    }

    /** @param segments of a path that begins with {@code api} or {@code apis} */
    boolean servesVersionOf(List<String> segments) {
        boolean core = segments.get(0).equals("api");
        if (segments.size() < (core ? 2 : 3)) {
            return false;
        }
        String group = core ? "" : segments.get(1);
        String version = segments.get(core ? 1 : 2);
        return byPath.values().stream()
                .map(Resource::type)
                .anyMatch(type -> type.group().equals(group) && type.version().equals(version));
    }

    private void refresh() {
        byPath.clear();
        byPath.putAll(builtin);
        custom.values().forEach(versions -> versions.forEach(each -> byPath.put(path(each.type()), each)));
        listeners.forEach(Runnable::run);
    }

    private static String path(ResourceType type) {
        return path(type.group(), type.version(), type.plural());
    }

    private static String path(String group, String version, String plural) {
        return group + "/" + version + "/" + plural;
    }
}
