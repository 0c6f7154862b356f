package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;
import java.util.Optional;

/** The words of steps in which the cloud is short of something, which {@code heal} ends, or takes something back. */
final class CloudWords {

    static final ImmutableList<String> WORDS = ImmutableList.of(
            "neighbour", "noRoom", "quota", "lag", "interrupt", "reclaim", "rebalance", "message", "tagQueue");

    private final String file;

    CloudWords(String file) {
        this.file = file;
    }

    /** Empty if it is none of these words. */
    Optional<Step> read(String word, Yaml node) throws YamlProblem {
        if (!WORDS.contains(word)) {
            return Optional.empty();
        }
        Phrase phrase = Phrase.of(file, word, node);
        return Optional.of(
                switch (word) {
                    case "neighbour" -> neighbour(phrase.allow("calls", "perMinute"));
                    case "noRoom" -> noRoom(phrase.allow("type", "zone", "market"));
                    case "quota" -> quota(phrase.allow("vcpus"));
                    case "interrupt" -> interrupt(phrase.allow("instanceOf", "cluster"));
                    case "reclaim" -> reclaim(phrase.allow("percent", "within"));
                    case "rebalance" -> rebalance(phrase.allow("instanceOf", "cluster"));
                    case "message" -> message(phrase.allow("text"));
                    case "tagQueue" -> tagQueue(phrase.allow("set"));
                    default -> lag(phrase.allow("upTo"));
                });
    }

    /** Somebody else in the account makes such calls too. */
    private static Step neighbour(Phrase phrase) throws YamlProblem {
        String action = phrase.text("calls");
        int perMinute = phrase.count("perMinute");
        return new Troubles.Happening(
                "a neighbour makes " + perMinute + " calls of " + action + " a minute",
                world -> world.neighbour(action, perMinute));
    }

    /** A storm of InsufficientInstanceCapacity. */
    private static Step noRoom(Phrase phrase) throws YamlProblem {
        String type = phrase.optional("type").orElse("*");
        String zone = phrase.optional("zone").orElse("*");
        String market = phrase.optional("market").orElse("*");
        return new Troubles.Happening(
                "no room for " + type + " in " + zone + ", " + market, world -> world.noRoom(type, zone, market));
    }

    private static Step quota(Phrase phrase) throws YamlProblem {
        int vcpus = phrase.count("vcpus");
        return new Troubles.Happening("a quota of " + vcpus + " vCPUs", world -> world.quota(vcpus));
    }

    /** Eventual consistency. */
    private static Step lag(Phrase phrase) throws YamlProblem {
        Duration most = phrase.duration("upTo", Duration.ofSeconds(30));
        return new Troubles.Happening(
                "instances stay unseen for up to " + most.toMillis() + " ms", world -> world.lag(most));
    }

    private static Step interrupt(Phrase phrase) throws YamlProblem {
        Ref pod = Ref.parse(StepWords.cluster(phrase), phrase.text("instanceOf"));
        return new Troubles.Happening(
                "give notice to the instance of " + pod,
                world -> Troubles.instances(world, pod).forEach(world::interrupt));
    }

    private static Step reclaim(Phrase phrase) throws YamlProblem {
        int percent = phrase.count("percent");
        Duration within = phrase.duration("within", Duration.ofMinutes(1));
        return new Troubles.Happening(
                "give notice to " + percent + " % of the spot instances within " + within.toMillis() + " ms",
                world -> world.reclaimSpot(percent, within));
    }

    private static Step rebalance(Phrase phrase) throws YamlProblem {
        Ref pod = Ref.parse(StepWords.cluster(phrase), phrase.text("instanceOf"));
        return new Troubles.Happening(
                "recommend to leave the instance of " + pod,
                world -> Troubles.instances(world, pod).forEach(world::hintRebalance));
    }

    private static Step message(Phrase phrase) throws YamlProblem {
        String text = phrase.text("text");
        return new Troubles.Happening("put \"" + text + "\" into the queue", world -> world.message(text));
    }

    private static Step tagQueue(Phrase phrase) throws YamlProblem {
        ImmutableMap<String, String> tags = phrase.texts("set");
        return new Troubles.Happening("tag the queue " + tags, world -> world.tagQueue(tags));
    }
}
