package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import dev.kip.yaml.YamlReader;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** Reads scenario files. */
public final class ScenarioReader {

    private static final String SUSPEND = "suspend";

    private final String file;

    private ScenarioReader(String file) {
        this.file = file;
    }

    /**
     * @param file its name, for messages and as the scenario's name
     * @throws YamlProblem naming the line, what was expected and what was found
     */
    public static Scenario read(String file, String text) throws YamlProblem {
        return new ScenarioReader(file).scenario(YamlReader.read(file, text));
    }

    /**
     * A time as files write it, {@code 90s}.
     *
     * @throws YamlProblem if it is none
     */
    public static Duration time(String file, Yaml.Scalar word) throws YamlProblem {
        return Phrase.duration(file, word.line(), "time", word.text());
    }

    private Scenario scenario(Yaml root) throws YamlProblem {
        Phrase phrase = Phrase.of(file, "scenario", root)
                .allow("scenario", "because", "given", "steps", "expect", "faults", "replay");
        Given given = given(phrase);
        NodeWords nodes = new NodeWords(file, given.nodes());
        String base = file.substring(file.lastIndexOf('/') + 1);
        return new Scenario(
                base.replaceFirst("\\.ya?ml$", ""),
                phrase.text("scenario"),
                phrase.optional("because").orElse(""),
                given,
                steps(phrase, nodes),
                faults(phrase),
                expectations(phrase, nodes));
    }

    private Given given(Phrase root) throws YamlProblem {
        Optional<Yaml> node = root.node("given");
        if (node.isEmpty()) {
            return Given.PLAIN;
        }
        Phrase given = Phrase.of(file, "given", node.get())
                .allow(
                        "node",
                        "controllers",
                        "clusters",
                        "taint",
                        "daemonSets",
                        "capacityErrors",
                        "anchor",
                        "config",
                        "knobs",
                        "nodes");
        Optional<Yaml> nodes = given.node("nodes");
        if (nodes.isPresent()) {
            given.allow("nodes"); // nothing else is there
            return Given.PLAIN.withNodes(GivenNodes.read(Phrase.of(file, "given.nodes", nodes.get())));
        }
        return new Given(
                given.optional("node").orElse(Given.PLAIN.node()),
                given.number("controllers", Given.PLAIN.controllers()),
                given.number("clusters", Given.PLAIN.clusters()),
                given.onOff("taint", false),
                given.words("daemonSets"),
                given.words("capacityErrors"),
                anchor(given),
                given.texts("config"),
                knobs(given),
                Optional.empty());
    }

    private Knobs knobs(Phrase given) throws YamlProblem {
        Optional<Yaml> node = given.node("knobs");
        if (node.isEmpty()) {
            return Knobs.USUAL;
        }
        Phrase knobs = Phrase.of(file, "given.knobs", node.get())
                .allow(Arrays.stream(Knob.values()).map(Knob::word).collect(ImmutableList.toImmutableList()));
        ImmutableMap.Builder<Knob, String> set = ImmutableMap.builder();
        for (Knob knob : Knob.values()) {
            Optional<String> value = knobs.optional(knob.word());
            if (value.isPresent()) {
                Optional<String> refused = knob.refused(value.get());
                if (refused.isPresent()) {
                    throw knobs.problem(knobs.line(knob.word()), knob.word(), refused.get());
                }
                set.put(knob, value.get());
            }
        }
        return new Knobs(set.buildOrThrow());
    }

    private static Given.Anchor anchor(Phrase given) throws YamlProblem {
        String word = given.optional("anchor").orElse("none");
        for (Given.Anchor known : Given.Anchor.values()) {
            if (known.word().equals(word)) {
                return known;
            }
        }
        throw given.problem(given.line("anchor"), "anchor", "can be none, s3 or dynamodb, not \"" + word + "\"");
    }

    private ImmutableList<Step> steps(Phrase root, NodeWords nodes) throws YamlProblem {
        StepWords steps = new StepWords(file, nodes);
        ImmutableList.Builder<Step> read = ImmutableList.builder();
        for (Yaml item : items(root, "steps")) {
            read.add(steps.read(item));
        }
        ImmutableList<Step> all = read.build();
        if (all.isEmpty()) {
            throw root.problem(root.line(), "steps", "is missing: a story has at least one step");
        }
        return all;
    }

    private ImmutableList<Yaml> items(Phrase root, String key) throws YamlProblem {
        Optional<Yaml> node = root.node(key);
        if (node.isEmpty()) {
            return ImmutableList.of();
        }
        if (node.get() instanceof Yaml.Scalar scalar && saysNone(scalar)) {
            return ImmutableList.of();
        }
        if (node.get() instanceof Yaml.Sequence sequence) {
            return sequence.items();
        }
        throw root.problem(
                node.get().line(), key, "must be a list, not " + node.get().found());
    }

    private static boolean saysNone(Yaml.Scalar scalar) {
        return scalar.isNull() || scalar.text().equals("none");
    }

    private ImmutableList<Fault> faults(Phrase root) throws YamlProblem {
        ImmutableList.Builder<Fault> faults = ImmutableList.builder();
        for (Yaml item : items(root, "faults")) {
            Phrase fault = Phrase.of(file, "faults", item)
                    .allow("from", "to", "call", "nth", "times", "do", "for", "restartAfter", "optional");
            boolean suspends = fault.text("do").equals(SUSPEND);
            faults.add(new Fault(
                    fault.optional("from").orElse("kip*"),
                    fault.optional("to").orElse("*"),
                    fault.text("call"),
                    fault.number("nth", 1),
                    fault.number("times", 1),
                    suspends ? Fate.ARRIVES : fate(fault),
                    suspends ? Optional.of(fault.duration("for", Duration.ofSeconds(60))) : Optional.empty(),
                    fault.has("restartAfter")
                            ? Optional.of(fault.duration("restartAfter", Duration.ZERO))
                            : Optional.empty(),
                    fault.onOff("optional", false)));
        }
        return faults.build();
    }

    private static Fate fate(Phrase fault) throws YamlProblem {
        String word = fault.text("do");
        for (FaultWord known : FaultWord.values()) {
            if (known.word().equals(word)) {
                return known.fate();
            }
        }
        ImmutableList<String> words = ImmutableList.<String>builder()
                .addAll(Arrays.stream(FaultWord.values()).map(FaultWord::word).iterator())
                .add(SUSPEND)
                .build();
        throw fault.problem(
                fault.line("do"),
                "do",
                "\"" + word + "\" is no fault." + Suggestion.didYouMean(word, words) + " Known: "
                        + String.join(", ", words));
    }

    private ImmutableList<Expectation> expectations(Phrase root, NodeWords nodes) throws YamlProblem {
        ImmutableList.Builder<Expectation> read = ImmutableList.builder();
        for (Yaml item : items(root, "expect")) {
            read.add(ExpectationWords.read(file, item, nodes));
        }
        return read.build();
    }

    /** How files name what becomes of a request. */
    private enum FaultWord {
        CRASH_BEFORE("crash-before", Fate.SENDER_DIES_BEFORE),
        CRASH_AFTER("crash-after", Fate.SENDER_DIES_AFTER),
        LOSE_REQUEST("lose-request", Fate.REQUEST_LOST),
        LOSE_REPLY("lose-reply", Fate.REPLY_LOST),
        SILENCE("silence", Fate.SILENCE);

        private final String word;
        private final Fate fate;

        FaultWord(String word, Fate fate) {
            this.word = word;
            this.fate = fate;
        }

        String word() {
            return word;
        }

        Fate fate() {
            return fate;
        }
    }
}
