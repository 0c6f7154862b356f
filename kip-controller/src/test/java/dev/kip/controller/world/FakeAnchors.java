package dev.kip.controller.world;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudError;
import dev.kip.outcome.Outcome;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store of small objects that are replaced by compare-and-swap only. */
final class FakeAnchors {

    private final VirtualTime time;
    private final Faults faults;
    private final TreeMap<String, AnchorStore.Anchored> objects = new TreeMap<>();
    private int version;

    FakeAnchors(VirtualTime time, Faults faults) {
        this.time = time;
        this.faults = faults;
    }

    ImmutableList<String> keys() {
        return ImmutableList.copyOf(objects.keySet());
    }

    /** Somebody else writes there. */
    void put(String key, String content) {
        objects.put(key, new AnchorStore.Anchored(content, "v" + ++version));
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
            return faults.call(process, "anchor " + name, effect, new CloudError.NoAnswer(name + ": no answer"));
        }

        @Override
        public String location() {
            return "fake://anchors";
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
                @Nullable Anchored old = objects.get(key);
                if (!expected.equals(Optional.ofNullable(old).map(Anchored::version))) {
                    return Outcome.failed(new CloudError.Changed(key + " has changed"));
                }
                put(key, content);
                return Outcome.ok(new Written("v" + version, time.instant()));
            });
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> delete(String key, String expected) {
            return request("delete", () -> {
                @Nullable Anchored old = objects.get(key);
                if (old == null) {
                    return Outcome.failed(new CloudError.NotFound(key));
                }
                if (!old.version().equals(expected)) {
                    return Outcome.failed(new CloudError.Changed(key + " has changed"));
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
