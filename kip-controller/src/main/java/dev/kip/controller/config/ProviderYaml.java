package dev.kip.controller.config;

import static dev.kip.controller.config.ProviderKeys.ACCESS_KEY_ID;
import static dev.kip.controller.config.ProviderKeys.CAPACITY;
import static dev.kip.controller.config.ProviderKeys.SECRET_ACCESS_KEY;
import static dev.kip.controller.config.ProviderKeys.SUBNET_ID;
import static dev.kip.controller.config.ProviderKeys.VPC_ID;

import com.google.common.collect.ImmutableList;
import dev.kip.outcome.Outcome;
import dev.kip.quantity.Quantities;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import dev.kip.yaml.YamlReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads provider.yaml, the whole of it, and tells everything that is wrong with it at once. */
public final class ProviderYaml {

    private final Problems problems;
    private final Map<String, Integer> lines = new LinkedHashMap<>();
    private ProviderConfig config = ProviderConfig.defaults();

    private ProviderYaml(String file) {
        this.problems = new Problems(file);
    }

    /** @param file its name, for messages */
    public static Outcome<ProviderConfig, ImmutableList<Problem>> read(String file, String text) {
        ProviderYaml reading = new ProviderYaml(file);
        List<YamlProblem> duplicates = new ArrayList<>();
        try {
            Yaml root = YamlReader.read(file, text, duplicates);
            duplicates.forEach(problem -> reading.problems.add(problem.line(), "", withoutPlace(file, problem)));
            reading.root(root);
        } catch (YamlProblem e) {
            reading.problems.add(e.line(), "", withoutPlace(file, e));
        }
        return reading.problems.isEmpty() ? Outcome.ok(reading.config) : Outcome.failed(reading.problems.inOrder());
    }

    private static String withoutPlace(String file, YamlProblem problem) {
        return String.valueOf(problem.getMessage()).substring((file + ":" + problem.line() + ": ").length());
    }

    private void root(Yaml root) {
        if (root instanceof Yaml.Mapping mapping) {
            section("", mapping);
            crossCheck();
        } else {
            problems.add(
                    root.line(),
                    "",
                    "found " + root.found() + ", wanted a map with the keys " + String.join(", ", childrenOf(""))
                            + ".");
        }
    }

    private void section(String prefix, Yaml.Mapping mapping) {
        for (Map.Entry<String, Yaml> entry : mapping.entries().entrySet()) {
            String name = entry.getKey();
            String path = prefix + name;
            int line = mapping.keyLines().getOrDefault(name, mapping.line());
            Optional<Key<?>> key = ProviderKeys.all().stream()
                    .<Key<?>>map(known -> known)
                    .filter(known -> known.path().equals(path))
                    .findFirst();
            Optional<String> advice = RetiredKeys.advice(path);
            if (key.isPresent()) {
                value(key.get(), entry.getValue(), line);
            } else if (advice.isPresent()) {
                problems.add(line, path, "is no longer a key. " + advice.get());
            } else if (!childrenOf(path + ".").isEmpty()) {
                descend(path, entry.getValue());
            } else if (path.equals("apiVersion")) {
                apiVersion(entry.getValue());
            } else {
                problems.add(line, path, "there is no such key." + suggestion(prefix, name));
            }
        }
    }

    private void descend(String path, Yaml value) {
        if (value instanceof Yaml.Mapping mapping) {
            section(path + ".", mapping);
        } else if (!(value instanceof Yaml.Scalar scalar && scalar.isNull())) {
            problems.add(
                    value.line(),
                    path,
                    "found " + value.found() + ", wanted a map with the keys "
                            + String.join(", ", childrenOf(path + ".")) + ".");
        }
    }

    private <T> void value(Key<T> key, Yaml found, int line) {
        lines.put(key.path(), line);
        Form.Sink sink = key.secret()
                ? (at, path, message) -> problems.add(
                        at, path, "its value is not " + key.form().wanted() + " (it is a secret and not shown).")
                : problems::add;
        key.form().read(found, key.path(), sink).ifPresent(value -> config = config.with(key, value));
    }

    /** The original's files carry one, and it was never looked at. */
    private void apiVersion(Yaml found) {
        if (!(found instanceof Yaml.Scalar scalar && scalar.text().equals("v1"))) {
            problems.add(found.line(), "apiVersion", "found " + found.found() + ", wanted v1.");
        }
    }

    private void crossCheck() {
        if (config.says(ACCESS_KEY_ID) != config.says(SECRET_ACCESS_KEY) && problems.isEmpty()) {
            Key<?> given = config.says(ACCESS_KEY_ID) ? ACCESS_KEY_ID : SECRET_ACCESS_KEY;
            Key<?> missing = config.says(ACCESS_KEY_ID) ? SECRET_ACCESS_KEY : ACCESS_KEY_ID;
            problems.add(line(given), given.path(), "is set without " + missing.path() + ". Set both or neither.");
        }
        if (config.says(SUBNET_ID)
                && config.get(VPC_ID).filter("default"::equals).isPresent()) {
            problems.add(
                    line(VPC_ID),
                    VPC_ID.path(),
                    "says default, but " + SUBNET_ID.path() + " already says which VPC it is. Remove one of them.");
        }
        String pods = config.get(CAPACITY).get("pods");
        if (pods != null && Quantities.parse(pods).scale() > 0) {
            problems.add(line(CAPACITY), CAPACITY.path() + ".pods", "\"" + pods + "\" is not a whole number.");
        }
    }

    private int line(Key<?> key) {
        return lines.getOrDefault(key.path(), 1);
    }

    /** The words that may follow {@code prefix}, which is empty or ends with a dot. */
    private static ImmutableList<String> childrenOf(String prefix) {
        return ProviderKeys.all().stream()
                .map(Key::path)
                .filter(path -> path.startsWith(prefix))
                .map(path -> path.substring(prefix.length()).split("\\.", 2)[0])
                .distinct()
                .collect(ImmutableList.toImmutableList());
    }

    private static String suggestion(String prefix, String name) {
        Optional<String> sibling = Suggestion.nearest(name, childrenOf(prefix)).map(prefix::concat);
        Optional<String> elsewhere = ProviderKeys.all().stream()
                .map(Key::path)
                .filter(path -> path.substring(path.lastIndexOf('.') + 1).equalsIgnoreCase(name))
                .findFirst();
        return sibling.or(() -> elsewhere)
                .map(meant -> " Did you mean \"" + meant + "\"?")
                .orElse(" There are: " + String.join(", ", childrenOf(prefix)) + ".");
    }
}
