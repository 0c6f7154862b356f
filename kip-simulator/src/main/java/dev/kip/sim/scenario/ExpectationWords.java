package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import java.util.Arrays;
import java.util.Optional;

/** The words that expectations begin with. */
final class ExpectationWords {

    private static final ImmutableList<String> WORDS = ImmutableList.<String>builder()
            .addAll(Arrays.stream(Countable.values()).map(Countable::word).iterator())
            .addAll(NodeWords.SIGHTS)
            .add("controllerId", "restarts", "calls", "leads", "events", "finalizers")
            .build();

    private ExpectationWords() {}

    static Expectation read(String file, Yaml item, NodeWords nodes) throws YamlProblem {
        String word = Phrase.firstKey(file, "expect", item);
        Phrase phrase = Phrase.of(file, "expect", item);
        Optional<NodeSight> sight = nodes.sight(phrase);
        if (sight.isPresent()) {
            return new NodeSight.Expected(sight.get());
        }
        if (WORDS.contains(word)) {
            phrase.allow(word, "cluster");
        }
        String cluster = StepWords.cluster(phrase);
        for (Countable countable : Countable.values()) {
            if (countable.word().equals(word)) {
                return new Expectations.Count(countable, cluster, phrase.count(word));
            }
        }
        switch (word) {
            case "controllerId":
                phrase.constant(word, "unchanged");
                return new Expectations.ControllerIdUnchanged();
            case "restarts":
                phrase.constant(word, "none");
                return new Expectations.NoRestarts(cluster);
            case "finalizers":
                phrase.constant(word, "none");
                return new Expectations.NoFinalizers(cluster);
            case "calls":
                return calls(Phrase.of(file, word, phrase.node(word).orElseThrow()));
            case "leads":
                return new Expectations.Leads(leaders(phrase));
            case "events":
                return events(cluster, Phrase.of(file, word, phrase.node(word).orElseThrow()));
            default:
                throw new YamlProblem(
                        file,
                        item.line(),
                        "expect: \"" + word + "\" cannot be expected." + Suggestion.didYouMean(word, WORDS) + " Known: "
                                + String.join(", ", WORDS));
        }
    }

    private static Expectation calls(Phrase calls) throws YamlProblem {
        calls.allow("from", "to", "action", "since", "atMost", "atLeast");
        if (!calls.has("atMost") && !calls.has("atLeast")) {
            throw calls.problem(calls.line(), "atMost", "or atLeast is missing: how many calls are expected?");
        }
        return new Expectations.Calls(
                calls.optional("from").orElse("kip*"),
                calls.text("to"),
                calls.optional("action").orElse("*"),
                calls.optional("since"),
                calls.number("atLeast", 0),
                calls.has("atMost") ? calls.number("atMost", 0) : Long.MAX_VALUE);
    }

    private static ImmutableList<String> leaders(Phrase phrase) throws YamlProblem {
        Optional<Yaml> node = phrase.node("leads");
        if (node.isPresent() && node.get() instanceof Yaml.Sequence) {
            return phrase.words("leads");
        }
        String one = phrase.text("leads");
        return one.equals("none") ? ImmutableList.of() : ImmutableList.of(one);
    }

    private static Expectation events(String cluster, Phrase events) throws YamlProblem {
        events.allow("reason", "atLeast", "atMost");
        if (!events.has("atMost") && !events.has("atLeast")) {
            throw events.problem(events.line(), "atLeast", "or atMost is missing: how many events are expected?");
        }
        return new Expectations.Events(
                cluster,
                events.text("reason"),
                events.number("atLeast", 0),
                events.has("atMost") ? events.number("atMost", 0) : Integer.MAX_VALUE);
    }
}
