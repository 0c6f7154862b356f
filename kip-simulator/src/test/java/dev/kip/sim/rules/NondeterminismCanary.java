package dev.kip.sim.rules;

import com.google.common.collect.ImmutableMap;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Does everything that is forbidden, one thing a line, so that it shows when a ban has gone blind. Never run. */
final class NondeterminismCanary {

    /** How many lines below each ban must catch. */
    static final ImmutableMap<Ban, Integer> LINES = ImmutableMap.<Ban, Integer>builder()
            .put(Ban.THREAD, 3)
            .put(Ban.EXECUTOR, 2)
            .put(Ban.CLOCK, 4)
            .put(Ban.RANDOM, 6)
            .put(Ban.PARALLEL, 2)
            .put(Ban.COMMON_POOL, 3)
            .put(Ban.UNORDERED, 5)
            .put(Ban.IDENTITY, 2)
            .put(Ban.LOCALE, 3)
            .put(Ban.ENVIRONMENT, 1)
            .buildOrThrow();

    private NondeterminismCanary() {}

    static List<Object> threads() throws InterruptedException {
        Thread thread = new Thread(() -> {});
        thread.start();
        TimeUnit.SECONDS.sleep(1);
        return List.of(thread);
    }

    static List<Object> executors() {
        Object pool = Executors.newCachedThreadPool();
        return List.of(pool, ForkJoinPool.commonPool());
    }

    static List<Object> clocks() {
        Object nanos = System.nanoTime();
        Object millis = System.currentTimeMillis();
        Supplier<Instant> reference = Instant::now;
        return List.of(nanos, millis, reference, java.time.Clock.systemUTC());
    }

    static List<Object> chance(List<String> list) {
        Object number = Math.random();
        Object id = UUID.randomUUID();
        Supplier<Random> reference = Random::new;
        Object local = ThreadLocalRandom.current();
        Collections.shuffle(list);
        Object secure = new java.security.SecureRandom();
        return List.of(number, id, reference, local, secure, new Random(7));
    }

    static List<Object> parallel(List<String> list) {
        Object one = list.parallelStream();
        return List.of(one, list.stream().parallel());
    }

    static List<Object> commonPool(CompletableFuture<String> future) {
        Object run = CompletableFuture.runAsync(() -> {});
        Object then = future.thenApplyAsync(text -> text);
        Object fine = future.thenApplyAsync(text -> text, Runnable::run);
        return List.of(run, then, fine, future.orTimeout(1, TimeUnit.SECONDS));
    }

    static List<Object> unordered(List<String> list) {
        Map<String, String> map = new HashMap<>();
        Set<String> set = Set.of("a", "b");
        Map<String, String> constant = Map.of("a", "b");
        Object collected = list.stream().collect(Collectors.toSet());
        Object grouped = list.stream().collect(Collectors.groupingBy(text -> text));
        return List.of(map, set, constant, collected, grouped);
    }

    static List<Object> identity(Object object) {
        Object code = System.identityHashCode(object);
        return List.of(code, new IdentityHashMap<>());
    }

    @SuppressWarnings("StringCaseLocaleUsage") // the very thing that is to be caught
    static List<Object> locale(String text) {
        Object lower = text.toLowerCase();
        Object formatted = String.format("%f", 1.5);
        return List.of(lower, formatted, ZoneId.systemDefault());
    }

    static Object environment() {
        return System.getenv("HOME");
    }
}
