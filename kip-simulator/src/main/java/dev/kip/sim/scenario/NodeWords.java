package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.disk.Fate;
import dev.kip.sim.scenario.Nodes.DiskState;
import dev.kip.sim.scenario.Nodes.Holder;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Optional;

/** The words about the machines of a control plane that hosts itself, and what runs on them. */
final class NodeWords {

    /** Words that steps begin with. */
    static final ImmutableList<String> WORDS = ImmutableList.of(
            "power", "kubelet", "runtime", "crash", "roll", "apiServer", "clock", "certificate", "remove", "disk");

    /** What can be waited for and expected. */
    static final ImmutableList<String> SIGHTS = ImmutableList.of("plane", "runs", "log", "checkpoint", "says");

    /** Words of every world that such a plane knows too. */
    private static final ImmutableList<String> COMMON =
            ImmutableList.of("delete", "until", "wait", "mark", "cut", "heal");

    private static final ImmutableMap<String, Fate> FATES = ImmutableMap.of(
            "lost", Fate.lost(),
            "kept", Fate.kept(),
            "names-only", Fate.namesOnly(Fate.Remains.NOTHING),
            "torn", Fate.namesOnly(Fate.Remains.TORN),
            "zeros", Fate.namesOnly(Fate.Remains.ZEROS));

    private final String file;

    private final Optional<GivenNodes> given;

    /** @param given the machines of the story; empty if it has none, and then its words are wrong */
    NodeWords(String file, Optional<GivenNodes> given) {
        this.file = file;
        this.given = given;
    }

    /** Each world has its words. */
    void admit(String word, int line) throws YamlProblem {
        if (given.isPresent() && !WORDS.contains(word) && !COMMON.contains(word)) {
            throw new YamlProblem(
                    file,
                    line,
                    "steps: \"" + word + "\" is nothing that happens to a plane of nodes (given.nodes). Known: "
                            + String.join(", ", WORDS) + ", " + String.join(", ", COMMON));
        }
        if (given.isEmpty() && WORDS.contains(word)) {
            throw noNodes(word, line);
        }
    }

    private YamlProblem noNodes(String word, int line) {
        return new YamlProblem(
                file, line, word + ": the story has no nodes; say given: {nodes: {count: 1, kubelet: 1.34}}");
    }

    /** Empty if it is none of these words. */
    Optional<Step> read(String word, Yaml node) throws YamlProblem {
        return WORDS.contains(word) ? Optional.of(step(word, Phrase.of(file, word, node))) : Optional.empty();
    }

    private Step step(String word, Phrase phrase) throws YamlProblem {
        return switch (word) {
            case "power" -> power(phrase);
            case "kubelet" ->
                NodeSteps.at("restart kubelet", node(phrase.allow("restart"), "restart"), Nodes::restartKubelet);
            case "runtime" -> {
                boolean answers = phrase.allow("node", "answers").onOff("answers", true);
                yield NodeSteps.at(
                        "the container runtime " + (answers ? "answers again" : "answers no more"),
                        node(phrase),
                        (nodes, node) -> nodes.runtimeAnswers(node, answers));
            }
            case "crash" -> {
                String pod = phrase.allow("pod", "node").text("pod");
                yield NodeSteps.at("crash " + pod, node(phrase), (nodes, node) -> nodes.crash(node, pod));
            }
            case "roll" ->
                NodeSteps.at(
                        "roll out a new checkpointer",
                        node(phrase.allow("checkpointer"), "checkpointer"),
                        Nodes::rollCheckpointer);
            case "apiServer" -> {
                boolean runs = phrase.allow("elsewhere").onOff("elsewhere", false);
                yield new Troubles.Happening(
                        "an API server elsewhere is " + (runs ? "on" : "off"),
                        world -> world.nodes().apiServerElsewhere(runs));
            }
            case "clock" -> clock(phrase);
            case "certificate" -> certificate(phrase);
            case "remove" -> remove(phrase);
            default -> {
                DiskState state = phrase.allow("node", "is").choice("is", states(), "");
                yield NodeSteps.at(
                        "the disk is " + state.word(), node(phrase), (nodes, node) -> nodes.disk(node, state));
            }
        };
    }

    private Step power(Phrase power) throws YamlProblem {
        power.allow("off", "on", "cycle", "for", "disk");
        Fate unsynced = power.choice("disk", FATES, "lost");
        if (power.has("cycle")) {
            return new NodeSteps.Cycle(node(power, "cycle"), power.duration("for", Duration.ofSeconds(30)), unsynced);
        }
        if (power.has("off")) {
            return NodeSteps.at("power off", node(power, "off"), (nodes, node) -> nodes.powerOff(node, unsynced));
        }
        return NodeSteps.at("power on", node(power, "on"), Nodes::powerOn);
    }

    private Step clock(Phrase clock) throws YamlProblem {
        String is = clock.allow("node", "is").text("is");
        Optional<Instant> shows;
        try {
            shows = is.equals("right") ? Optional.empty() : Optional.of(Instant.parse(is));
        } catch (DateTimeParseException e) {
            throw clock.problem(
                    clock.line("is"),
                    "is",
                    "must be right or an instant such as 1970-01-01T00:00:00Z, not \"" + is + "\"");
        }
        return NodeSteps.at("the clock is " + is, node(clock), (nodes, node) -> nodes.clock(node, shows));
    }

    private Step certificate(Phrase certificate) throws YamlProblem {
        certificate.allow("of", "node", "is");
        ImmutableMap<String, Holder> holders =
                Arrays.stream(Holder.values()).collect(ImmutableMap.toImmutableMap(Holder::word, holder -> holder));
        Holder of = certificate.choice("of", holders, "");
        boolean good = certificate.choice("is", ImmutableMap.of("expired", false, "renewed", true), "");
        return NodeSteps.at(
                "the certificate of " + of.word() + " is " + (good ? "renewed" : "expired"),
                node(certificate),
                (nodes, node) -> nodes.certificate(of, node, good));
    }

    private Step remove(Phrase remove) throws YamlProblem {
        remove.allow("manifest", "checkpoints", "node");
        if (remove.has("checkpoints")) {
            remove.constant("checkpoints", "all");
            return NodeSteps.at("remove all that the checkpointer stored", node(remove), Nodes::removeCheckpoints);
        }
        String manifest = remove.text("manifest");
        return NodeSteps.at(
                "remove the manifest " + manifest,
                node(remove),
                (nodes, node) -> nodes.removeManifests(node, manifest));
    }

    private static ImmutableMap<String, DiskState> states() {
        return Arrays.stream(DiskState.values()).collect(ImmutableMap.toImmutableMap(DiskState::word, state -> state));
    }

    private String node(Phrase phrase) throws YamlProblem {
        return phrase.has("node") ? node(phrase, "node") : "*";
    }

    /** A glob that means one node at least. */
    private String node(Phrase phrase, String key) throws YamlProblem {
        String glob = phrase.text(key);
        ImmutableList<String> names = given.map(GivenNodes::names).orElse(ImmutableList.of());
        if (names.stream().noneMatch(name -> Globs.matches(glob, name))) {
            throw phrase.problem(
                    phrase.line(key),
                    key,
                    "no node is \"" + glob + "\"." + Suggestion.didYouMean(glob, names) + " Known: "
                            + String.join(", ", names));
        }
        return glob;
    }

    /** What is waited for or expected; empty if it is none of these. {@code others} are keys that the caller reads. */
    Optional<NodeSight> sight(Phrase phrase, String... others) throws YamlProblem {
        for (String word : SIGHTS) {
            if (phrase.has(word)) {
                if (given.isEmpty()) {
                    throw noNodes(word, phrase.line(word));
                }
                return Optional.of(sight(word, phrase, ImmutableList.copyOf(others)));
            }
        }
        return Optional.empty();
    }

    private NodeSight sight(String word, Phrase phrase, ImmutableList<String> others) throws YamlProblem {
        ImmutableList.Builder<String> keys =
                ImmutableList.<String>builder().addAll(others).add(word, "node");
        switch (word) {
            case "plane":
                phrase.allow(keys.build());
                return new NodeSights.Plane(
                        node(phrase), phrase.choice(word, ImmutableMap.of("up", true, "down", false), ""));
            case "runs":
                phrase.allow(keys.add("as").build());
                return new NodeSights.Runs(
                        node(phrase),
                        phrase.text(word),
                        phrase.choice(
                                "as",
                                Arrays.stream(NodeSights.Copy.values())
                                        .collect(ImmutableMap.toImmutableMap(NodeSights.Copy::word, copy -> copy)),
                                ""));
            case "log":
                phrase.allow(keys.add("atLeast", "atMost").build());
                return new NodeSights.Logged(
                        node(phrase),
                        phrase.text(word),
                        phrase.number("atLeast", phrase.has("atMost") ? 0 : 1),
                        phrase.number("atMost", Integer.MAX_VALUE));
            case "checkpoint":
                phrase.allow(keys.add("is").build());
                return new NodeSights.Stored(
                        node(phrase),
                        phrase.text(word),
                        phrase.choice(
                                "is",
                                Arrays.stream(NodeSights.Worth.values())
                                        .collect(ImmutableMap.toImmutableMap(NodeSights.Worth::word, worth -> worth)),
                                ""));
            default:
                phrase.allow(keys.build());
                return new NodeSights.Says(node(phrase), phrase.text(word));
        }
    }
}
