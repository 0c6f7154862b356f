package dev.kip.checkpointer.sanitise;

import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * Who owns the files of a pod's volumes, so that its processes can read them: kubelet applies fsGroup to its own volumes,
 * but not to a hostPath.
 *
 * @param uid that all containers agree on, else root's
 * @param shared whether the group may read whatever the mode says, as with fsGroup
 * @param agreed false if containers run as different users
 */
record FileOwner(int uid, int gid, boolean shared, boolean agreed) {

    private static final int GROUP_READ = 0440;

    static FileOwner of(JsonNode pod) {
        JsonNode spec = pod.path("spec");
        JsonNode context = spec.path("securityContext");
        TreeSet<Integer> users = new TreeSet<>();
        for (String kind : new String[] {"initContainers", "containers"}) {
            for (JsonNode container : spec.path(kind)) {
                Optional<Integer> own = number(container.path("securityContext").path("runAsUser"));
                users.add(own.or(() -> number(context.path("runAsUser"))).orElse(0));
            }
        }
        Optional<Integer> group = number(context.path("fsGroup"));
        return new FileOwner(
                users.size() == 1 ? users.first() : 0, group.orElse(0), group.isPresent(), users.size() <= 1);
    }

    private static Optional<Integer> number(JsonNode value) {
        return value.canConvertToInt() ? Optional.of(value.intValue()) : Optional.empty();
    }

    int mode(int asked) {
        return shared ? asked | GROUP_READ : asked;
    }
}
