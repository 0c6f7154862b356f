package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;
import java.util.Optional;

/** The words of steps in which the cloud is short of something; {@code heal} ends them all. */
final class CloudWords {

    static final ImmutableList<String> WORDS = ImmutableList.of("neighbour", "noRoom", "quota", "lag");

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
}
