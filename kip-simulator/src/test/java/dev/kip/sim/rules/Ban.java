package dev.kip.sim.rules;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;

/** A kind of call that makes a run differ from its repetition. */
enum Ban {
    /** Threads, and waiting on them. */
    THREAD {
        @Override
        boolean matches(Call call) {
            return call.to(
                            "java.lang.Thread",
                            "<init>",
                            "sleep",
                            "start",
                            "startVirtualThread",
                            "ofVirtual",
                            "yield",
                            "onSpinWait")
                    || call.to("java.util.concurrent.TimeUnit", "sleep")
                    || call.to("java.lang.Object", "wait", "notify", "notifyAll")
                    || call.to("java.util.Timer", "<init>")
                    || call.owner().equals("java.util.concurrent.locks.LockSupport")
                    || call.to("java.lang.Runtime", "addShutdownHook", "availableProcessors");
        }
    },
    /** Pools of threads. */
    EXECUTOR {
        @Override
        boolean matches(Call call) {
            return call.owner().equals("java.util.concurrent.Executors")
                    || call.to("java.util.concurrent.ThreadPoolExecutor", "<init>")
                    || call.to("java.util.concurrent.ScheduledThreadPoolExecutor", "<init>")
                    || call.owner().equals("java.util.concurrent.ForkJoinPool");
        }
    },
    /** Clocks of the machine. */
    CLOCK {
        @Override
        boolean matches(Call call) {
            return call.to("java.lang.System", "nanoTime", "currentTimeMillis")
                    || (call.owner().startsWith("java.time.") && call.name().equals("now"))
                    || (call.owner().equals("java.time.Clock")
                            && (call.name().startsWith("system") || call.name().startsWith("tick")))
                    || (call.to("java.util.Date", "<init>") && call.parameters().isEmpty())
                    || call.to("java.util.Calendar", "getInstance");
        }
    },
    /** Randomness that no seed governs. */
    RANDOM {
        @Override
        boolean matches(Call call) {
            boolean seedless = call.parameters().isEmpty();
            return call.to("java.lang.Math", "random")
                    || call.to("java.util.UUID", "randomUUID")
                    || (seedless && call.to("java.util.Random", "<init>"))
                    || (seedless && call.to("java.util.SplittableRandom", "<init>"))
                    || call.to("java.util.concurrent.ThreadLocalRandom", "current")
                    || call.to("java.security.SecureRandom", "<init>", "getInstance", "getInstanceStrong")
                    || call.to("java.util.random.RandomGenerator", "getDefault", "of")
                    || (call.to("java.util.Collections", "shuffle")
                            && call.parameters().size() == 1);
        }
    },
    /** Streams on the common pool. */
    PARALLEL {
        @Override
        boolean matches(Call call) {
            return call.name().equals("parallelStream")
                    || (call.owner().startsWith("java.util.stream.")
                            && call.name().equals("parallel"))
                    || (call.owner().equals("java.util.Arrays") && call.name().startsWith("parallel"));
        }
    },
    /** Futures that go on upon the common pool, or by a timer of their own. */
    COMMON_POOL {
        private static final ImmutableSet<String> TIMED =
                ImmutableSet.of("orTimeout", "completeOnTimeout", "delayedExecutor");

        @Override
        boolean matches(Call call) {
            boolean future = call.owner().equals("java.util.concurrent.CompletableFuture")
                    || call.owner().equals("java.util.concurrent.CompletionStage");
            boolean withExecutor = call.parameters().contains("java.util.concurrent.Executor");
            return future && (TIMED.contains(call.name()) || (call.name().endsWith("Async") && !withExecutor));
        }
    },
    /** Collections whose order differs from run to run, or depends on hash codes that do. */
    UNORDERED {
        private static final ImmutableSet<String> MADE = ImmutableSet.of(
                "java.util.HashMap",
                "java.util.HashSet",
                "java.util.Hashtable",
                "java.util.WeakHashMap",
                "java.util.concurrent.ConcurrentHashMap");
        private static final ImmutableSet<String> COLLECTORS = ImmutableSet.of(
                "toSet", "toUnmodifiableSet", "toMap", "toUnmodifiableMap", "toConcurrentMap", "groupingBy");

        @Override
        boolean matches(Call call) {
            boolean ownMap = call.parameters().contains("java.util.function.Supplier");
            return (MADE.contains(call.owner()) && call.name().equals("<init>"))
                    || call.to("java.util.concurrent.ConcurrentHashMap", "newKeySet")
                    || call.to("java.util.Set", "of", "copyOf")
                    || call.to("java.util.Map", "of", "copyOf", "ofEntries")
                    || (call.owner().equals("java.util.stream.Collectors")
                            && COLLECTORS.contains(call.name())
                            && !ownMap);
        }
    },
    /** Identity as a number or as an order. */
    IDENTITY {
        @Override
        boolean matches(Call call) {
            return call.to("java.lang.System", "identityHashCode") || call.to("java.util.IdentityHashMap", "<init>");
        }
    },
    /** Whatever language or time zone the machine happens to have. */
    LOCALE {
        @Override
        boolean matches(Call call) {
            boolean localeGiven = call.parameters().contains("java.util.Locale");
            return (call.to("java.lang.String", "format", "toLowerCase", "toUpperCase") && !localeGiven)
                    || call.to("java.lang.String", "formatted")
                    || (call.to("java.io.PrintStream", "printf", "format") && !localeGiven)
                    || (call.to("java.io.PrintWriter", "printf", "format") && !localeGiven)
                    || call.to("java.util.Locale", "getDefault")
                    || call.to("java.time.ZoneId", "systemDefault")
                    || call.to("java.util.TimeZone", "getDefault");
        }
    },
    /** What the machine says of itself. */
    ENVIRONMENT {
        @Override
        boolean matches(Call call) {
            return call.to("java.lang.System", "getenv") || call.to("java.net.InetAddress", "getLocalHost");
        }
    };

    abstract boolean matches(Call call);

    static Optional<Ban> of(Call call) {
        for (Ban ban : values()) {
            if (ban.matches(call)) {
                return Optional.of(ban);
            }
        }
        return Optional.empty();
    }

    /**
     * What is called.
     *
     * @param owner class by full name
     * @param name of the method, {@code <init>} for constructors
     */
    record Call(String owner, String name, ImmutableList<String> parameters) {
        boolean to(String type, String... names) {
            return owner.equals(type) && ImmutableList.copyOf(names).contains(name);
        }
    }
}
