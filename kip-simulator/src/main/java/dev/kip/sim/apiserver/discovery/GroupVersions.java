package dev.kip.sim.apiserver.discovery;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import dev.kip.sim.apiserver.ResourceType;
import java.util.Collection;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Resource types by group and version, in the order in which discovery shows them. */
final class GroupVersions {

    private static final Pattern VERSION = Pattern.compile("v(\\d+)(?:(alpha|beta)(\\d+))?");

    /** Most stable and newest first, as kube-aware version priority has it; names that are no versions last. */
    private static final Comparator<String> BY_PRIORITY = Comparator.<String>comparingInt(
                    version -> -stability(version))
            .thenComparingLong(version -> -number(version, 1))
            .thenComparingLong(version -> -number(version, 3))
            .thenComparing(Comparator.naturalOrder());

    private final ImmutableListMultimap<String, ResourceType> byGroup;

    GroupVersions(Collection<ResourceType> types) {
        byGroup = types.stream()
                .collect(ImmutableListMultimap.toImmutableListMultimap(ResourceType::group, type -> type));
    }

    /** Without the core group. */
    ImmutableList<String> groups() {
        return byGroup.keySet().stream().filter(group -> !group.isEmpty()).collect(ImmutableList.toImmutableList());
    }

    /** Preferred one first; empty for an unknown group. */
    ImmutableList<String> versions(String group) {
        return byGroup.get(group).stream()
                .map(ResourceType::version)
                .distinct()
                .sorted(BY_PRIORITY)
                .collect(ImmutableList.toImmutableList());
    }

    /** Sorted by name. */
    ImmutableList<ResourceType> types(String group, String version) {
        return byGroup.get(group).stream()
                .filter(type -> type.version().equals(version))
                .sorted(Comparator.comparing(ResourceType::plural))
                .collect(ImmutableList.toImmutableList());
    }

    private static int stability(String version) {
        Matcher matcher = VERSION.matcher(version);
        if (!matcher.matches()) {
            return 0;
        }
        return matcher.group(2) == null ? 3 : matcher.group(2).equals("beta") ? 2 : 1;
    }

    private static long number(String version, int part) {
        Matcher matcher = VERSION.matcher(version);
        return matcher.matches() && matcher.group(part) != null ? Long.parseLong(matcher.group(part)) : 0;
    }
}
