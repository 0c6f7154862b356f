package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstancePage;
import dev.kip.cloud.CloudApi.InstanceQuery;
import dev.kip.cloud.CloudError;
import dev.kip.controller.Controller;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.gc.Gates;
import dev.kip.outcome.Outcome;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** How often a controller calls the cloud when nothing happens (benchmark B2): counted, not timed. */
class IdleCallsTest {

    private static final int CELLS = 10_000;
    private static final int PAGE = 1000;
    private static final int MINUTES = 10;

    private final World world = new World();
    private final FakeProcess process = new FakeProcess(world.time);
    private final Anchors anchors = new Anchors();

    @Test
    void
            ten_thousand_idle_cells_cost_at_most_twelve_calls_a_minute_and_an_end_from_outside_is_seen_in_ninety_seconds() {
        for (int i = 0; i < CELLS; i++) {
            world.createPod("web-" + i);
        }
        Controller controller = new Controller(
                process,
                world.kube.open(process),
                inPages(world.cloud.open(process)),
                Optional.of(anchors),
                keys -> world.cells.open(process),
                new World.Seeded(1),
                world.settings("controller-1"),
                new ControllerListener() {},
                Gates.standard());
        controller.start();
        for (int half = 0; half < 20 && world.cloud.live().size() < CELLS; half++) {
            world.pass(Duration.ofSeconds(30));
        }
        world.pass(Duration.ofMinutes(2));
        assertThat(world.cloud.live()).hasSize(CELLS);
        assertThat(world.phase("web-" + (CELLS - 1))).isEqualTo("Running");

        long calls = world.faults.count("cloud ");
        long writes = anchors.calls;
        world.pass(Duration.ofMinutes(MINUTES));
        long cloud = world.faults.count("cloud ") - calls;
        long anchor = anchors.calls - writes;
        System.out.println(CELLS + " idle cells, " + MINUTES + " minutes: " + cloud + " calls to EC2, " + anchor
                + " to the anchor");
        assertThat(cloud).as("it looks at all").isGreaterThanOrEqualTo(CELLS / PAGE * MINUTES / 2);
        assertThat(anchor).as("it renews the anchor").isGreaterThanOrEqualTo(2 * MINUTES);
        assertThat(cloud + anchor).as("B2").isLessThanOrEqualTo(12 * MINUTES);

        world.cloud.end(world.cloud.live().get(CELLS / 2).id());
        world.pass(Duration.ofSeconds(90));
        assertThat(world.kube.all("pods"))
                .as("an end from outside is noticed within 90 s")
                .filteredOn(pod -> pod.path("status").path("phase").asString("").equals("Failed"))
                .hasSize(1);
    }

    /** The cloud answers a thousand instances at a time, each page by a call of its own, as EC2 does. */
    private static CloudApi inPages(CloudApi cloud) {
        return (CloudApi) Proxy.newProxyInstance(
                CloudApi.class.getClassLoader(), new Class<?>[] {CloudApi.class}, (proxy, method, arguments) -> {
                    try {
                        return arguments != null
                                        && arguments[0] instanceof InstanceQuery query
                                        && query.ids().isEmpty()
                                ? page(cloud.describe(query), query.pageToken())
                                : method.invoke(cloud, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static CompletionStage<Outcome<InstancePage, CloudError>> page(
            CompletionStage<Outcome<InstancePage, CloudError>> whole, String token) {
        return whole.thenApply(outcome -> outcome.map(all -> {
            ImmutableList<InstanceFacts> instances = all.instances();
            int from = token.isEmpty() ? 0 : Integer.parseInt(token);
            int to = Math.min(instances.size(), from + PAGE);
            return new InstancePage(instances.subList(from, to), to == instances.size() ? "" : String.valueOf(to));
        }));
    }

    /** Objects in memory; answers at once. */
    private final class Anchors implements AnchorStore {

        private final Map<String, Anchored> objects = new TreeMap<>();
        private long calls;

        @Override
        public String location() {
            return "memory://anchors";
        }

        @Override
        public CompletionStage<Outcome<Reading, CloudError>> read(String key) {
            return answer(Outcome.ok(new Reading(Optional.ofNullable(objects.get(key)), world.time.instant())));
        }

        @Override
        public CompletionStage<Outcome<Written, CloudError>> write(
                String key, String content, Optional<String> expected) {
            if (!Optional.ofNullable(objects.get(key)).map(Anchored::version).equals(expected)) {
                return answer(Outcome.failed(new CloudError.Changed(key)));
            }
            String version = "v" + calls;
            objects.put(key, new Anchored(content, version));
            return answer(Outcome.ok(new Written(version, world.time.instant())));
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> delete(String key, String version) {
            objects.remove(key);
            return answer(Outcome.ok(true));
        }

        @Override
        public CompletionStage<Outcome<KeyPage, CloudError>> list(String prefix, String pageToken) {
            return answer(Outcome.ok(new KeyPage(
                    objects.keySet().stream()
                            .filter(key -> key.startsWith(prefix))
                            .collect(ImmutableList.toImmutableList()),
                    "")));
        }

        private <T> CompletionStage<Outcome<T, CloudError>> answer(Outcome<T, CloudError> outcome) {
            calls++;
            CompletableFuture<Outcome<T, CloudError>> stage = new CompletableFuture<>();
            process.post(() -> stage.complete(outcome));
            return stage;
        }
    }
}
