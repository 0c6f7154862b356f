package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.faults.FaultCatalogue;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;
import java.util.Optional;

/** The words of steps in which something happens to processes, clusters, networks and the cloud. */
final class TroubleWords {

    static final ImmutableList<String> WORDS = ImmutableList.of(
            "start",
            "stop",
            "kill",
            "pause",
            "suspend",
            "skew",
            "hold",
            "cut",
            "deny",
            "heal",
            "loseAnchor",
            "backup",
            "restore",
            "clone",
            "recreate",
            "destroy",
            "terminate",
            "tag",
            "stripTags",
            "copyTags",
            "strangers",
            "inject",
            "mark");

    private final String file;

    TroubleWords(String file) {
        this.file = file;
    }

    /** Empty if it is none of these words. */
    Optional<Step> read(String word, Yaml node) throws YamlProblem {
        if (!WORDS.contains(word)) {
            return Optional.empty();
        }
        return Optional.of(
                switch (word) {
                    case "heal" -> nothing(word, node, Troubles.heal());
                    case "loseAnchor" -> nothing(word, node, Troubles.loseAnchor());
                    case "stripTags" -> nothing(word, node, Troubles.stripTags());
                    case "mark" -> Troubles.mark(text(word, node));
                    default -> phrase(word, Phrase.of(file, word, node));
                });
    }

    private static Step phrase(String word, Phrase phrase) throws YamlProblem {
        return switch (word) {
            case "start" -> Troubles.start(controller(phrase.allow("controller", "config")), phrase.texts("config"));
            case "stop" -> {
                phrase.allow("controller", "instanceOf", "cluster");
                yield phrase.has("instanceOf")
                        ? Troubles.stopInstances(pod(phrase, "instanceOf"))
                        : Troubles.stop(controller(phrase));
            }
            case "deny" -> Troubles.deny(phrase.allow("call").text("call"));
            case "kill" -> Troubles.kill(controller(phrase.allow("controller")));
            case "pause" ->
                Troubles.pause(
                        controller(phrase.allow("controller", "for")), phrase.duration("for", Duration.ofSeconds(30)));
            case "suspend" ->
                Troubles.suspend(
                        controller(phrase.allow("controller", "for")), phrase.duration("for", Duration.ofSeconds(30)));
            case "hold" ->
                Troubles.hold(
                        controller(phrase.allow("controller", "for")), phrase.duration("for", Duration.ofSeconds(30)));
            case "skew" -> Troubles.skew(controller(phrase.allow("controller", "by")), phrase.signedDuration("by"));
            case "cut" -> {
                phrase.allow("from", "to");
                yield Troubles.cut(phrase.text("from"), phrase.text("to"));
            }
            case "backup" -> Troubles.backup(StepWords.cluster(phrase.allow("cluster", "as")), phrase.text("as"));
            case "restore" -> Troubles.restore(StepWords.cluster(phrase.allow("cluster", "from")), phrase.text("from"));
            case "clone" -> {
                phrase.allow("cluster", "to");
                yield Troubles.cloneCluster(StepWords.cluster(phrase), phrase.text("to"));
            }
            case "recreate" -> Troubles.recreate(phrase.allow("cluster").text("cluster"));
            case "destroy" -> Troubles.destroy(phrase.allow("cluster").text("cluster"));
            case "terminate" -> Troubles.terminate(pod(phrase.allow("instanceOf", "cluster"), "instanceOf"));
            case "tag" -> {
                phrase.allow("instanceOf", "cluster", "set", "remove");
                yield Troubles.tag(pod(phrase, "instanceOf"), phrase.texts("set"), phrase.words("remove"));
            }
            case "inject" -> inject(phrase.allow("fault", "controller", "for", "times"));
            case "copyTags" -> Troubles.copyTags(pod(phrase.allow("instanceOf", "cluster"), "instanceOf"));
            default -> {
                phrase.allow("count", "tags");
                yield Troubles.strangers(phrase.number("count", 1), phrase.texts("tags"));
            }
        };
    }

    private static Step inject(Phrase phrase) throws YamlProblem {
        String word = phrase.text("fault");
        if (FaultCatalogue.find(word).isEmpty()) {
            throw phrase.problem(
                    phrase.line("fault"),
                    "fault",
                    "\"" + word + "\" is no fault." + Suggestion.didYouMean(word, FaultCatalogue.words())
                            + " See: kip sim faults");
        }
        return Troubles.inject(
                word,
                phrase.optional("controller").orElse("kip*"),
                phrase.has("for") ? Optional.of(phrase.duration("for", Duration.ZERO)) : Optional.empty(),
                phrase.has("times") ? Optional.of(phrase.number("times", 0)) : Optional.empty());
    }

    private static String controller(Phrase phrase) throws YamlProblem {
        return phrase.text("controller");
    }

    private static Ref pod(Phrase phrase, String key) throws YamlProblem {
        return Ref.parse(StepWords.cluster(phrase), phrase.text(key));
    }

    private Step nothing(String word, Yaml node, Step step) throws YamlProblem {
        if (!text(word, node).equals("all")) {
            throw new YamlProblem(file, node.line(), word + ": can only be \"all\"");
        }
        return step;
    }

    private String text(String word, Yaml node) throws YamlProblem {
        if (node instanceof Yaml.Scalar scalar && !scalar.text().isBlank()) {
            return scalar.text();
        }
        throw new YamlProblem(file, node.line(), word + ": a word was expected, not " + node.found());
    }
}
