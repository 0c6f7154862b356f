package dev.kip.sim.workloads;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The arithmetic of a Deployment: how many replicas each of its ReplicaSets should ask for now. Pure.
 *
 * @param newest the ReplicaSet of the current template
 * @param older the others, oldest first
 */
record Rollout(ObjectNode deployment, Optional<ObjectNode> newest, List<ObjectNode> older) {

    static final String MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";

    static final Comparator<ObjectNode> BY_AGE =
            Comparator.<ObjectNode, Instant>comparing(Objects::created).thenComparing(Objects::name);

    static Rollout of(ObjectNode deployment, List<ObjectNode> sets, Optional<ObjectNode> newest) {
        String newestUid = newest.map(Objects::uid).orElse("");
        List<ObjectNode> older = new ArrayList<>(sets);
        older.removeIf(set -> Objects.uid(set).equals(newestUid));
        older.sort(BY_AGE);
        return new Rollout(deployment, newest, older);
    }

    static int replicas(JsonNode object) {
        return object.path("spec").path("replicas").asInt(1);
    }

    static int available(JsonNode object) {
        return object.path("status").path("availableReplicas").asInt(0);
    }

    int desired() {
        return replicas(deployment);
    }

    boolean recreates() {
        return deployment
                .path("spec")
                .path("strategy")
                .path("type")
                .asString("")
                .equals("Recreate");
    }

    private JsonNode bound(String name) {
        return deployment.path("spec").path("strategy").path("rollingUpdate").path(name);
    }

    int maxSurge() {
        return recreates() ? 0 : part(bound("maxSurge"), true);
    }

    /** Never zero together with the surge, or nothing could move. */
    int maxUnavailable() {
        if (recreates() || desired() == 0) {
            return 0;
        }
        int unavailable = part(bound("maxUnavailable"), false);
        return Math.min(unavailable == 0 && maxSurge() == 0 ? 1 : unavailable, desired());
    }

    /** A number, or a percentage of the desired replicas. */
    private int part(JsonNode bound, boolean up) {
        String text = bound.asString("25%");
        if (!text.endsWith("%")) {
            return Integer.parseInt(text);
        }
        double exact = Integer.parseInt(text.substring(0, text.length() - 1)) * desired() / 100.0;
        return (int) (up ? Math.ceil(exact) : Math.floor(exact));
    }

    List<ObjectNode> all() {
        List<ObjectNode> all = new ArrayList<>(older);
        newest.ifPresent(all::add);
        return all;
    }

    private int asked() {
        return all().stream().mapToInt(Rollout::replicas).sum();
    }

    /** What the newest ReplicaSet may ask for, as far as the surge allows. */
    int newestReplicas() {
        int now = newest.map(Rollout::replicas).orElse(0);
        if (recreates() || now > desired()) {
            return desired();
        }
        int room = desired() + maxSurge() - asked();
        return room <= 0 ? now : now + Math.min(room, desired() - now);
    }

    /** What the older ReplicaSets may ask for so that enough pods stay available: changes only. */
    Map<ObjectNode, Integer> olderReplicas() {
        Map<ObjectNode, Integer> changes = new LinkedHashMap<>();
        int minAvailable = desired() - maxUnavailable();
        int newestUnavailable =
                newest.map(set -> replicas(set) - available(set)).orElse(0);
        int budget = asked() - minAvailable - newestUnavailable;
        if (older.stream().mapToInt(Rollout::replicas).sum() == 0 || budget <= 0) {
            return changes;
        }
        // Pods that serve nobody go first: taking them costs no availability.
        for (ObjectNode set : older) {
            int unhealthy = Math.min(budget, replicas(set) - available(set));
            if (unhealthy > 0) {
                changes.put(set, replicas(set) - unhealthy);
                budget -= unhealthy;
            }
        }
        // A status may still count pods that were told to go a moment ago.
        int spare = all().stream()
                        .mapToInt(set -> Math.min(available(set), replicas(set)))
                        .sum()
                - minAvailable;
        for (ObjectNode set : older) {
            int now = changes.getOrDefault(set, replicas(set));
            int less = Math.min(spare, now);
            if (less > 0) {
                changes.put(set, now - less);
                spare -= less;
            }
        }
        return changes;
    }

    /** The one ReplicaSet that takes a change of scale; empty while several have pods. */
    Optional<ObjectNode> onlyActive() {
        List<ObjectNode> active =
                all().stream().filter(set -> replicas(set) > 0).toList();
        if (active.isEmpty()) {
            List<ObjectNode> all = all();
            return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
        }
        return active.size() == 1 ? Optional.of(active.get(0)) : Optional.empty();
    }

    boolean newestIsSaturated() {
        return newest.filter(set -> replicas(set) == desired() && available(set) == desired())
                .isPresent();
    }

    /** A change of scale in the middle of a rollout, shared among the ReplicaSets by their size: changes only. */
    Map<ObjectNode, Integer> proportional() {
        Map<ObjectNode, Integer> changes = new LinkedHashMap<>();
        List<ObjectNode> active =
                new ArrayList<>(all().stream().filter(set -> replicas(set) > 0).toList());
        int allowed = desired() > 0 ? desired() + maxSurge() : 0;
        int total = active.stream().mapToInt(Rollout::replicas).sum();
        int toAdd = allowed - total;
        // Larger ones first; among equals the newer one grows first, the older one shrinks first.
        Comparator<ObjectNode> bySize = Comparator.comparingInt(set -> -replicas(set));
        active.sort(bySize.thenComparing(toAdd > 0 ? BY_AGE.reversed() : BY_AGE));
        int added = 0;
        for (ObjectNode set : active) {
            int share = toAdd == 0 ? 0 : share(set, allowed, toAdd, added);
            changes.put(set, replicas(set) + share);
            added += share;
        }
        if (!active.isEmpty()) {
            int rest = toAdd - added;
            changes.computeIfPresent(active.get(0), (set, replicas) -> Math.max(0, replicas + rest));
        }
        return changes;
    }

    private int share(ObjectNode set, int allowed, int toAdd, int added) {
        String annotated = Objects.annotation(set, MAX_REPLICAS);
        int before =
                annotated.isEmpty() ? deployment.path("status").path("replicas").asInt(0) : Integer.parseInt(annotated);
        if (before == 0) {
            return 0;
        }
        int fraction = (int) Math.round((double) replicas(set) * allowed / before) - replicas(set);
        int left = toAdd - added;
        return toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
    }
}
