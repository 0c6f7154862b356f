package dev.kip.sim.scenario;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The words that steps begin with. */
final class StepWords {

    private static final ImmutableList<String> WORDS =
            ImmutableList.of("apply", "delete", "scale", "until", "wait", "start", "kill", "pause", "terminate");
    private static final ImmutableList<String> POD_STATES =
            ImmutableList.of("Ready", "Pending", "Running", "Succeeded", "Failed", "Terminating", "gone");

    private final String file;

    StepWords(String file) {
        this.file = file;
    }

    Step read(Yaml item) throws YamlProblem {
        String word = Phrase.onlyKey(file, "steps", item);
        Phrase step = Phrase.of(file, "steps", item);
        Yaml node = step.node(word).orElseThrow();
        return switch (word) {
            case "apply" -> apply(Phrase.of(file, word, node));
            case "delete" -> delete(Phrase.of(file, word, node));
            case "scale" -> scale(Phrase.of(file, word, node));
            case "until" -> until(Phrase.of(file, word, node));
            case "wait" -> new Waits.Pass(Phrase.duration(file, item.line(), word, step.text(word)));
            case "start" ->
                new Actions.Start(controller(Phrase.of(file, word, node).allow("controller")));
            case "kill" ->
                new Actions.Kill(controller(Phrase.of(file, word, node).allow("controller")));
            case "pause" -> pause(Phrase.of(file, word, node).allow("controller", "for"));
            case "terminate" -> terminate(Phrase.of(file, word, node).allow("instanceOf"));
            default ->
                throw new YamlProblem(
                        file,
                        item.line(),
                        "steps: \"" + word + "\" is no step." + Suggestion.didYouMean(word, WORDS) + " Known: "
                                + String.join(", ", WORDS));
        };
    }

    private Step apply(Phrase apply) throws YamlProblem {
        if (apply.has("deployment")) {
            apply.allow("deployment", "namespace", "replicas", "image", "tolerate", "grace", "annotations");
            int replicas = apply.number("replicas", 1);
            return new Actions.Apply(
                    "deployment " + apply.text("deployment") + " with " + replicas + " replicas",
                    ImmutableList.of(Templates.deployment(apply.text("deployment"), replicas, template(apply))));
        }
        apply.allow(
                "pod",
                "namespace",
                "image",
                "tolerate",
                "grace",
                "annotations",
                "cpu",
                "memory",
                "restartPolicy",
                "copies");
        String pod = apply.text("pod");
        int copies = apply.number("copies", 1);
        if (copies == 1) {
            return new Actions.Apply("pod " + pod, ImmutableList.of(Templates.pod(pod, template(apply))));
        }
        ImmutableList.Builder<tools.jackson.databind.node.ObjectNode> pods = ImmutableList.builder();
        for (int i = 0; i < copies; i++) {
            pods.add(Templates.pod(pod + "-" + i, template(apply)));
        }
        return new Actions.Apply(copies + " pods " + pod, pods.build());
    }

    private static Templates.Template template(Phrase apply) throws YamlProblem {
        return new Templates.Template(
                apply.optional("namespace").orElse("default"),
                apply.optional("image").orElse("nginx:1.27"),
                apply.onOff("tolerate", false),
                apply.has("grace") ? Optional.of(apply.number("grace", 30)) : Optional.empty(),
                apply.texts("annotations"),
                apply.optional("cpu"),
                apply.optional("memory"),
                apply.optional("restartPolicy"));
    }

    private Step delete(Phrase delete) throws YamlProblem {
        delete.allow("pod", "deployment", "daemonset", "node", "namespace", "grace");
        Optional<Long> grace = delete.has("grace") ? Optional.of((long) delete.number("grace", 30)) : Optional.empty();
        for (String kind : ImmutableList.of("pod", "deployment", "daemonset", "node")) {
            Optional<String> name = delete.optional(kind);
            if (name.isPresent()) {
                Ref ref = kind.equals("node") ? new Ref("", name.get()) : Ref.parse(name.get());
                return new Actions.Delete(kind, ref.namespace(), ref.name(), grace);
            }
        }
        throw delete.problem(delete.line(), "pod", "or deployment, daemonset, node is missing: what is deleted?");
    }

    private static Step scale(Phrase scale) throws YamlProblem {
        scale.allow("deployment", "replicas");
        Ref ref = Ref.parse(scale.text("deployment"));
        return new Actions.Scale("deployment", ref.namespace(), ref.name(), scale.number("replicas", 1));
    }

    private Step until(Phrase until) throws YamlProblem {
        Duration within = until.duration("within", Duration.ofMinutes(5));
        if (until.has("pod")) {
            until.allow("pod", "is", "count", "within");
            String is = until.text("is");
            if (!POD_STATES.contains(is)) {
                throw until.problem(
                        until.line("is"),
                        "is",
                        "a pod is never \"" + is + "\"." + Suggestion.didYouMean(is, POD_STATES) + " Known: "
                                + String.join(", ", POD_STATES));
            }
            Ref ref = Ref.parse(until.text("pod"));
            return new Waits.Pods(
                    ref.namespace(),
                    ref.name(),
                    is,
                    until.has("count") ? Optional.of(until.number("count", 1)) : Optional.empty(),
                    within);
        }
        if (until.has("controller")) {
            until.allow("controller", "is", "within");
            String is = until.text("is");
            if (!is.equals("leading") && !is.equals("following")) {
                throw until.problem(until.line("is"), "is", "a controller is leading or following, not \"" + is + "\"");
            }
            return new Waits.Leading(until.text("controller"), is.equals("leading"), within);
        }
        for (Countable countable : Countable.values()) {
            if (until.has(countable.word())) {
                until.allow(countable.word(), "within");
                return new Waits.Count(countable, ScenarioReader.count(until, countable.word()), within);
            }
        }
        throw until.problem(
                until.line(),
                "pod",
                "or controller, cells, instances, launchBatches, nodes is missing: what is waited for?");
    }

    private static String controller(Phrase phrase) throws YamlProblem {
        return phrase.text("controller");
    }

    private static Step pause(Phrase phrase) throws YamlProblem {
        return new Actions.Pause(controller(phrase), phrase.duration("for", Duration.ofSeconds(30)));
    }

    private static Step terminate(Phrase phrase) throws YamlProblem {
        Ref ref = Ref.parse(phrase.text("instanceOf"));
        return new Actions.Terminate(ref.namespace(), ref.name());
    }

    /** {@code name} in the default namespace, or {@code namespace/name}. */
    private record Ref(String namespace, String name) {
        static Ref parse(String text) {
            List<String> parts = Splitter.on('/').limit(2).splitToList(text);
            return parts.size() == 2 ? new Ref(parts.get(0), parts.get(1)) : new Ref("default", text);
        }
    }
}
