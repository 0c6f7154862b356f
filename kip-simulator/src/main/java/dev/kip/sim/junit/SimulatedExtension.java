package dev.kip.sim.junit;

import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.SeededEntropy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Tells {@link Simulated} tests. */
final class SimulatedExtension implements TestTemplateInvocationContextProvider {

    private static final Namespace NAMESPACE = Namespace.create(SimulatedExtension.class);
    private static final Path REPORTS = Path.of("target", "kip-sim");

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        Simulated wanted = context.getRequiredTestMethod().getAnnotation(Simulated.class);
        if (wanted.seeds() < 1) {
            throw new IllegalArgumentException(
                    "@Simulated(seeds = " + wanted.seeds() + ") tells nothing: give 1 or more");
        }
        ImmutableList<Trouble> said =
                Stream.of(wanted.troubles()).map(Trouble::parse).collect(ImmutableList.toImmutableList());
        int seeds = wanted.troubles().length > 0 ? 1 : wanted.seeds();
        return LongStream.range(wanted.seed(), wanted.seed() + seeds)
                .mapToObj(seed -> new OneSeed(
                        seed, said.isEmpty() ? Trouble.draw(new SeededEntropy(seed).fork("troubles")) : said));
    }

    private record OneSeed(long seed, ImmutableList<Trouble> troubles) implements TestTemplateInvocationContext {

        @Override
        public String getDisplayName(int invocation) {
            return "seed " + seed;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(new Told(seed, troubles));
        }
    }

    private record Told(long seed, ImmutableList<Trouble> troubles)
            implements ParameterResolver, InvocationInterceptor {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Simulation.class;
        }

        @Override
        public Simulation resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return new Simulation(seed, troubles);
        }

        @Override
        public void interceptTestTemplateMethod(
                Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
                throws Throwable {
            try {
                invocation.proceed();
            } catch (Throwable failure) {
                if (method.getArguments().size() != 1
                        || !(failure instanceof AssertionError || failure instanceof Exception)) {
                    throw failure;
                }
                throw explained(failure, method.getExecutable(), context);
            }
        }

        /** The first failure of a method is shrunk and shown; the others name their seed. */
        private AssertionError explained(Throwable failure, Method method, ExtensionContext context) throws Throwable {
            boolean first = context.getParent()
                            .orElse(context)
                            .getStore(NAMESPACE)
                            .getOrComputeIfAbsent(method.getName(), name -> seed, Long.class)
                    == seed;
            if (!first) {
                return new AssertionError("seed " + seed + " under " + troubles + ": " + failure.getMessage(), failure);
            }
            Run shortest = shrink(new Run(troubles, new Simulation(seed, troubles), Optional.of(failure)), method);
            Path page = REPORTS.resolve(context.getRequiredTestClass().getSimpleName() + "." + method.getName()
                    + ".seed-" + seed + ".html");
            write(page, shortest.simulation.report(method.getName(), shortest.failure));
            String again = "@Simulated(seed = " + seed
                    + (shortest.troubles.isEmpty()
                            ? ", seeds = 1)"
                            : shortest.troubles.stream()
                                    .map(trouble -> '"' + trouble.toString() + '"')
                                    .collect(Collectors.joining(", ", ", troubles = {", "})")));
            return new AssertionError(
                    String.format(
                            Locale.ROOT,
                            "%s%n  seed %d, %d of its %d troubles matter: %s%n  again:  %s%n  report: %s",
                            shortest.failure.map(Throwable::getMessage).orElse(""),
                            seed,
                            shortest.troubles.size(),
                            troubles.size(),
                            shortest.troubles,
                            again,
                            page.toAbsolutePath()),
                    failure);
        }

        private record Run(ImmutableList<Trouble> troubles, Simulation simulation, Optional<Throwable> failure) {}

        /** Leaves troubles out one by one while it fails the same way. */
        private Run shrink(Run failing, Method method) throws Throwable {
            Run best = told(failing.troubles, method);
            boolean less = true;
            while (less) {
                less = false;
                for (int i = 0; i < best.troubles.size() && !less; i++) {
                    List<Trouble> fewer = new ArrayList<>(best.troubles);
                    fewer.remove(i);
                    Run run = told(ImmutableList.copyOf(fewer), method);
                    if (alike(run.failure, failing.failure)) {
                        best = run;
                        less = true;
                    }
                }
            }
            return best;
        }

        private static boolean alike(Optional<Throwable> one, Optional<Throwable> other) {
            return one.isPresent() && other.isPresent() && kind(one.get()).equals(kind(other.get()));
        }

        private static String kind(Throwable failure) {
            return failure.getClass().getName() + " "
                    + String.valueOf(failure.getMessage()).replaceAll("[\\w./-]*\\d[\\w./-]*", "*");
        }

        private Run told(ImmutableList<Trouble> some, Method method) throws ReflectiveOperationException {
            Simulation simulation = new Simulation(seed, some);
            var constructor = method.getDeclaringClass().getDeclaredConstructor();
            constructor.setAccessible(true);
            method.setAccessible(true);
            try {
                method.invoke(constructor.newInstance(), simulation);
                return new Run(some, simulation, Optional.empty());
            } catch (InvocationTargetException e) {
                return new Run(some, simulation, Optional.of(Throwables.getRootCause(e)));
            }
        }

        private static void write(Path file, String text) {
            try {
                Files.createDirectories(REPORTS);
                Files.writeString(file, text);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
