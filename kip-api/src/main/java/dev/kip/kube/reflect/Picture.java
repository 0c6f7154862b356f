package dev.kip.kube.reflect;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.kube.ObjectKey;
import dev.kip.kube.ObjectRef;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The objects known, and the differences that their handler is told. Versions are compared for equality only. Confined to the loop. */
final class Picture<T> {

    private static final Logger LOG = LoggerFactory.getLogger(Picture.class);

    private final String kind;
    private final Function<T, ObjectKey> keyOf;
    private final ReflectorHandler<T> handler;
    private Map<ObjectRef, Known<T>> objects = new LinkedHashMap<>();

    Picture(String kind, Function<T, ObjectKey> keyOf, ReflectorHandler<T> handler) {
        this.kind = kind;
        this.keyOf = keyOf;
        this.handler = handler;
    }

    void listed(String version) {
        tell(new ObjectRef("", "*"), handler::listed, version);
    }

    /**
     * Begins to take in a whole list: what it changes is told piece by piece, so that a long one lets others have their turn.
     *
     * @param unreadable exist, but could not be decoded: what was known of them stays
     */
    Replacement replace(Iterable<T> items, Set<ObjectRef> unreadable) {
        Map<ObjectRef, Known<T>> after = new LinkedHashMap<>();
        for (T item : items) {
            ObjectKey key = keyOf.apply(item);
            after.put(key.ref(), new Known<>(key, item));
        }
        for (ObjectRef ref : unreadable) {
            Known<T> kept = objects.get(ref);
            if (kept != null) {
                after.put(ref, kept);
            }
        }
        return new Replacement(after);
    }

    /** A list that is being taken in. What has not been told is not known either: the next list would tell of it. */
    final class Replacement {

        private final Map<ObjectRef, Known<T>> after;
        private final Iterator<Map.Entry<ObjectRef, Known<T>>> before;
        private final Iterator<Map.Entry<ObjectRef, Known<T>>> next;

        private Replacement(Map<ObjectRef, Known<T>> after) {
            this.after = after;
            this.before = ImmutableMap.copyOf(objects).entrySet().iterator();
            this.next = after.entrySet().iterator();
        }

        /**
         * Tells of some objects more.
         *
         * @param most how many are looked at
         * @return whether that was the rest
         */
        boolean tell(int most) {
            int looked = 0;
            while (before.hasNext() && looked < most) {
                looked++;
                Map.Entry<ObjectRef, Known<T>> old = before.next();
                end(old.getKey(), old.getValue());
            }
            while (!before.hasNext() && next.hasNext() && looked < most) {
                looked++;
                Map.Entry<ObjectRef, Known<T>> now = next.next();
                Known<T> old = objects.put(now.getKey(), now.getValue());
                if (old == null || !old.key.equals(now.getValue().key)) {
                    Picture.this.tell(now.getKey(), handler::upserted, now.getValue().object);
                }
            }
            if (before.hasNext() || next.hasNext()) {
                return false;
            }
            objects = after;
            Picture.this.tell(new ObjectRef("", "*"), handler::replaced, all());
            return true;
        }

        private void end(ObjectRef ref, Known<T> old) {
            Known<T> now = after.get(ref);
            if (now == null) {
                objects.remove(ref);
                Picture.this.tell(ref, handler::vanished, old.object);
            } else if (!now.key.uid().equals(old.key.uid())) {
                objects.remove(ref);
                Picture.this.tell(ref, handler::deleted, old.object);
            }
        }
    }

    void upsert(T object) {
        ObjectKey key = keyOf.apply(object);
        Known<T> old = objects.put(key.ref(), new Known<>(key, object));
        if (old != null && old.key.equals(key)) {
            return;
        }
        if (old != null && !old.key.uid().equals(key.uid())) {
            tell(key.ref(), handler::deleted, old.object);
        }
        tell(key.ref(), handler::upserted, object);
    }

    /** Applied whatever the version (linkerd/linkerd#1818); only the deletion of a namesake's earlier life is old news. */
    void delete(T last) {
        ObjectKey key = keyOf.apply(last);
        Known<T> known = objects.get(key.ref());
        if (known != null && !known.key.uid().equals(key.uid())) {
            return;
        }
        objects.remove(key.ref());
        tell(key.ref(), handler::deleted, last);
    }

    String versionOf(T object) {
        return keyOf.apply(object).resourceVersion();
    }

    private ImmutableList<T> all() {
        return objects.values().stream().map(known -> known.object).collect(ImmutableList.toImmutableList());
    }

    private <V> void tell(ObjectRef ref, Consumer<V> method, V value) {
        try {
            method.accept(value);
        } catch (RuntimeException e) {
            LOG.error("the handler of {} failed on {}; the others are told all the same", kind, ref, e);
        }
    }

    private record Known<T>(ObjectKey key, T object) {}
}
