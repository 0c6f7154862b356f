package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** The words that steps begin with. */
final class StepWords {

    private static final ImmutableList<String> WORDS = ImmutableList.<String>builder()
            .add("apply", "delete", "edit", "scale", "until", "wait")
            .addAll(TroubleWords.WORDS)
            .addAll(NodeWords.WORDS)
            .addAll(CloudWords.WORDS)
            .build();
    private static final ImmutableList<String> NAMESPACED =
            ImmutableList.of("pod", "deployment", "daemonset", "secret", "lease");
    private static final ImmutableList<String> CLUSTER_SCOPED =
            ImmutableList.of("node", "namespace", "cell", "launchbatch", "installation", "crd");
    private static final ImmutableList<String> POD_STATES =
            ImmutableList.of("Ready", "Pending", "Running", "Succeeded", "Failed", "Terminating", "gone");

    private final String file;
    private final TroubleWords troubles;
    private final NodeWords nodes;
    private final CloudWords shortages;

    StepWords(String file, NodeWords nodes) {
        this.file = file;
        this.nodes = nodes;
        this.troubles = new TroubleWords(file);
        this.shortages = new CloudWords(file);
    }

    Step read(Yaml item) throws YamlProblem {
        String word = Phrase.onlyKey(file, "steps", item);
        Phrase step = Phrase.of(file, "steps", item);
        nodes.admit(word, item.line());
        Yaml node = step.node(word).orElseThrow();
        return switch (word) {
            case "apply" -> apply(Phrase.of(file, word, node));
            case "delete" -> delete(Phrase.of(file, word, node));
            case "edit" -> edit(Phrase.of(file, word, node));
            case "scale" -> scale(Phrase.of(file, word, node));
            case "until" -> until(Phrase.of(file, word, node));
            case "wait" -> new Waits.Pass(Phrase.duration(file, item.line(), word, step.text(word)));
            default -> {
                Optional<Step> trouble = nodes.read(word, node);
                if (trouble.isEmpty()) {
                    trouble = troubles.read(word, node);
                }
                if (trouble.isEmpty()) {
                    trouble = shortages.read(word, node);
                }
                if (trouble.isEmpty()) {
                    throw new YamlProblem(
                            file,
                            item.line(),
                            "steps: \"" + word + "\" is no step." + Suggestion.didYouMean(word, WORDS) + " Known: "
                                    + String.join(", ", WORDS));
                }
                yield trouble.get();
            }
        };
    }

    private Step apply(Phrase apply) throws YamlProblem {
        String cluster = cluster(apply);
        if (apply.has("definitions")) {
            apply.allow("definitions", "cluster").constant("definitions", "kip");
            return new Actions.ApplyDefinitions(cluster);
        }
        if (apply.has("deployment")) {
            apply.allow("deployment", "cluster", "namespace", "replicas", "image", "tolerate", "grace", "annotations");
            int replicas = apply.number("replicas", 1);
            return new Actions.Apply(
                    cluster,
                    "deployment " + apply.text("deployment") + " with " + replicas + " replicas",
                    ImmutableList.of(Templates.deployment(apply.text("deployment"), replicas, template(apply))));
        }
        apply.allow(
                "pod",
                "cluster",
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
            return new Actions.Apply(cluster, "pod " + pod, ImmutableList.of(Templates.pod(pod, template(apply))));
        }
        ImmutableList.Builder<tools.jackson.databind.node.ObjectNode> pods = ImmutableList.builder();
        for (int i = 0; i < copies; i++) {
            pods.add(Templates.pod(pod + "-" + i, template(apply)));
        }
        return new Actions.Apply(cluster, copies + " pods " + pod, pods.build());
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

    private static Step delete(Phrase delete) throws YamlProblem {
        ImmutableList<String> kinds = ImmutableList.<String>builder()
                .addAll(NAMESPACED)
                .addAll(CLUSTER_SCOPED)
                .build();
        delete.allow(ImmutableList.<String>builder()
                .addAll(kinds)
                .add("cellOf", "cluster", "grace", "force")
                .build());
        Optional<Long> grace = delete.has("grace") ? Optional.of((long) delete.number("grace", 30)) : Optional.empty();
        if (delete.has("cellOf")) {
            return new Actions.DeleteCell(Ref.parse(cluster(delete), delete.text("cellOf")));
        }
        for (String kind : kinds) {
            Optional<String> name = delete.optional(kind);
            if (name.isPresent()) {
                Ref ref = CLUSTER_SCOPED.contains(kind)
                        ? Ref.clusterScoped(cluster(delete), name.get())
                        : Ref.parse(cluster(delete), name.get());
                return new Actions.Delete(kind, ref, grace, delete.onOff("force", false));
            }
        }
        throw delete.problem(
                delete.line(),
                "pod",
                "or " + String.join(", ", kinds.subList(1, kinds.size())) + " is missing: what is deleted?");
    }

    /** {@code edit: {cellOf: POD, field: /status/instanceID, to: VALUE}}. */
    private static Step edit(Phrase edit) throws YamlProblem {
        edit.allow("cellOf", "installation", "field", "to", "toInstanceOf", "toUnaccounted", "cluster");
        String cluster = cluster(edit);
        String pointer = edit.text("field");
        if (!pointer.startsWith("/")) {
            throw edit.problem(edit.line("field"), "field", "must be a JSON pointer such as /status/instanceID");
        }
        Actions.Value value;
        if (edit.has("toInstanceOf")) {
            value = Actions.Value.instanceOf(Ref.parse(cluster, edit.text("toInstanceOf")));
        } else if (edit.has("toUnaccounted")) {
            edit.constant("toUnaccounted", "first");
            value = Actions.Value.unaccounted(cluster);
        } else {
            value = Actions.Value.text(edit.text("to"));
        }
        return edit.has("installation")
                ? new Actions.Edit(
                        "installation", Ref.clusterScoped(cluster, edit.text("installation")), pointer, value)
                : new Actions.Edit("cell", Ref.parse(cluster, edit.text("cellOf")), pointer, value);
    }

    private static Step scale(Phrase scale) throws YamlProblem {
        scale.allow("deployment", "controllers", "replicas", "cluster", "ifPresent");
        if (scale.has("controllers")) {
            return Troubles.scaleControllers(cluster(scale), scale.number("controllers", 1));
        }
        return new Actions.Scale(
                "deployment",
                Ref.parse(cluster(scale), scale.text("deployment")),
                scale.number("replicas", 1),
                scale.onOff("ifPresent", false));
    }

    private Step until(Phrase until) throws YamlProblem {
        Duration within = until.duration("within", Duration.ofMinutes(5));
        if (until.has("pod")) {
            until.allow("pod", "is", "count", "within", "cluster");
            String is = until.text("is");
            if (!POD_STATES.contains(is)) {
                throw until.problem(
                        until.line("is"),
                        "is",
                        "a pod is never \"" + is + "\"." + Suggestion.didYouMean(is, POD_STATES) + " Known: "
                                + String.join(", ", POD_STATES));
            }
            return new Waits.Pods(
                    Ref.parse(cluster(until), until.text("pod")),
                    is,
                    until.has("count") ? Optional.of(until.number("count", 1)) : Optional.empty(),
                    within);
        }
        Optional<NodeSight> sight = nodes.sight(until, "within");
        if (sight.isPresent()) {
            return new NodeSight.Until(sight.get(), within);
        }
        if (until.has("controller")) {
            until.allow("controller", "is", "within");
            String is = until.text("is");
            if (!is.equals("leading") && !is.equals("following")) {
                throw until.problem(until.line("is"), "is", "a controller is leading or following, not \"" + is + "\"");
            }
            return new Waits.Leading(until.text("controller"), is.equals("leading"), within);
        }
        if (until.has("events")) {
            until.allow("events", "count", "within", "cluster");
            return new Waits.Events(cluster(until), until.text("events"), until.number("count", 1), within);
        }
        if (until.has("calls")) {
            until.allow("calls", "from", "to", "count", "since", "within");
            return new Waits.Calls(
                    until.optional("from").orElse("kip*"),
                    until.optional("to").orElse("*"),
                    until.text("calls"),
                    until.optional("since"),
                    until.number("count", 1),
                    within);
        }
        for (Countable countable : Countable.values()) {
            if (until.has(countable.word())) {
                until.allow(countable.word(), "within", "cluster");
                return new Waits.Count(countable, cluster(until), until.count(countable.word()), within);
            }
        }
        throw until.problem(
                until.line(),
                "pod",
                "or controller, events, calls, " + String.join(", ", NodeWords.SIGHTS) + ", "
                        + Arrays.stream(Countable.values()).map(Countable::word).collect(Collectors.joining(", "))
                        + " is missing: what is waited for?");
    }

    /** The cluster that a word is about. */
    static String cluster(Phrase phrase) throws YamlProblem {
        return phrase.optional("cluster").orElse(World.FIRST_CLUSTER);
    }
}
