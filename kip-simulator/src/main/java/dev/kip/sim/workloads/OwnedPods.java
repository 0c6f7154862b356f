package dev.kip.sim.workloads;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The pods of one ReplicaSet, counted as they change: its controller looks whenever one of thousands has changed, and must
 * not read them all. Confined to the loop.
 */
final class OwnedPods {

    /** By key, in the order of names. */
    private final TreeMap<String, Owned> pods = new TreeMap<>();

    /** Not held against the selector since they changed, or found not to match it. */
    private final TreeSet<String> unchecked = new TreeSet<>();

    private JsonNode selector = MissingNode.getInstance();
    private JsonNode templateLabels = MissingNode.getInstance();
    private int active;
    private int ready;
    private int labelled;

    private record Owned(ObjectNode pod, JsonNode labels, boolean active, boolean ready) {}

    boolean isEmpty() {
        return pods.isEmpty();
    }

    void put(String key, ObjectNode pod) {
        remove(key);
        boolean counts = PodFacts.isActive(pod);
        Owned owned = new Owned(pod, pod.path("metadata").path("labels"), counts, counts && PodFacts.isReady(pod));
        pods.put(key, owned);
        unchecked.add(key);
        count(owned, 1);
    }

    void remove(String key) {
        Owned before = pods.remove(key);
        if (before != null) {
            unchecked.remove(key);
            count(before, -1);
        }
    }

    private void count(Owned owned, int delta) {
        active += owned.active() ? delta : 0;
        ready += owned.ready() ? delta : 0;
        labelled += owned.active() && Selector.hasAll(templateLabels, owned.labels()) ? delta : 0;
    }

    /** Neither ended nor being deleted. */
    int activeCount() {
        return active;
    }

    /** Of the active ones. */
    int readyCount() {
        return ready;
    }

    /** Of the active ones, those with all labels of the template. */
    int labelledCount(JsonNode labels) {
        if (!labels.equals(templateLabels)) {
            templateLabels = labels;
            labelled = (int) pods.values().stream()
                    .filter(owned -> owned.active() && Selector.hasAll(labels, owned.labels()))
                    .count();
        }
        return labelled;
    }

    List<ObjectNode> active() {
        return pods.values().stream().filter(Owned::active).map(Owned::pod).toList();
    }

    /** Those that the selector does not match and that are not being deleted; the same again until they change. */
    List<ObjectNode> strayed(JsonNode wanted) {
        if (!wanted.equals(selector)) {
            selector = wanted;
            unchecked.addAll(pods.keySet());
        }
        List<ObjectNode> strayed = new ArrayList<>();
        for (String key : List.copyOf(unchecked)) {
            Owned owned = pods.get(key);
            if (owned == null || Objects.isLeaving(owned.pod()) || Selector.matches(wanted, owned.labels())) {
                unchecked.remove(key);
            } else {
                strayed.add(owned.pod());
            }
        }
        return strayed;
    }
}
