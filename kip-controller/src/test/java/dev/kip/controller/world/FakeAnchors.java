package dev.kip.controller.world;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudError;
import dev.kip.outcome.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store with compare-and-swap, outside every cluster. */
final class FakeAnchors {

    static final String LOCATION = "s3://bucket/kip";

    private final VirtualTime time;
    private final Faults faults;
    private final Map<String, AnchorStore.Anchored> objects = new TreeMap<>();
    private final List<String> writes = new ArrayList<>();
    private Function<FakeProcess, Boolean> reachable = process -> true;
    private int version;

    FakeAnchors(VirtualTime time, Faults faults) {
        this.time = time;
        this.faults = faults;
    }

    /** From where it answers. */
    void reachableIf(Function<FakeProcess, Boolean> rule) {
        reachable = rule;
    }

    List<String> keys() {
        return ImmutableList.copyOf(objects.keySet());
    }

    /** Keys of the objects written, each as often as it was. */
    List<String> writes() {
        return writes;
    }

    Optional<String> content(String keyPart) {
        return objects.entrySet().stream()
                .filter(entry -> entry.getKey().contains(keyPart))
                .map(entry -> entry.getValue().content())
                .findFirst();
    }

    /** Somebody else writes there. */
    void put(String key, String content) {
        objects.put(key, new AnchorStore.Anchored(content, "v" + ++version));
    }

    void forget(String keyPart) {
        objects.keySet().removeIf(key -> key.contains(keyPart));
    }

    AnchorStore open(FakeProcess process) {
        return new View(process);
    }

    private final class View implements AnchorStore {

        private final FakeProcess process;

        View(FakeProcess process) {
            this.process = process;
        }

        private <T> CompletionStage<Outcome<T, CloudError>> request(
                String name, Supplier<Outcome<T, CloudError>> effect) {
            CloudError lost = new CloudError.NoAnswer(name + ": no answer");
            return faults.call(
                    process,
                    "anchor " + name,
                    () -> reachable.apply(process) ? effect.get() : Outcome.failed(lost),
                    lost);
        }

        @Override
        public String location() {
            return LOCATION;
        }

        @Override
        public CompletionStage<Outcome<Reading, CloudError>> read(String key) {
            return request(
                    "read", () -> Outcome.ok(new Reading(Optional.ofNullable(objects.get(key)), time.instant())));
        }

        @Override
        public CompletionStage<Outcome<Written, CloudError>> write(
                String key, String content, Optional<String> expected) {
            return request("write", () -> {
                AnchorStore.@Nullable Anchored old = objects.get(key);
                if (!expected.equals(Optional.ofNullable(old).map(Anchored::version))) {
                    return Outcome.failed(new CloudError.Changed(key));
                }
                put(key, content);
                writes.add(key);
                return Outcome.ok(new Written("v" + version, time.instant()));
            });
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> delete(String key, String expected) {
            return request("delete", () -> {
                AnchorStore.@Nullable Anchored old = objects.get(key);
                if (old == null) {
                    return Outcome.failed(new CloudError.NotFound(key));
                }
                if (!old.version().equals(expected)) {
                    return Outcome.failed(new CloudError.Changed(key));
                }
                objects.remove(key);
                return Outcome.ok(true);
            });
        }

        @Override
        public CompletionStage<Outcome<KeyPage, CloudError>> list(String prefix, String pageToken) {
            return request(
                    "list",
                    () -> Outcome.ok(new KeyPage(
                            objects.keySet().stream()
                                    .filter(key -> key.startsWith(prefix))
                                    .collect(ImmutableList.toImmutableList()),
                            "")));
        }
    }
}
