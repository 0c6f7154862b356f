package dev.kip.sim.wall;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Answers of a server that are the same each time, as they go over the wire. Shared by worlds on the same cloud; any thread. */
public final class Answers {

    private final Map<String, String> known = new LinkedHashMap<>();

    /** The passage of a request whose answer is known, or is remembered when it comes. */
    public Way.Passage passage(String question, Way.Passage passage) {
        return passage.answeredOrHeard(find(question), answer -> remember(question, answer));
    }

    private synchronized Optional<String> find(String question) {
        return Optional.ofNullable(known.get(question));
    }

    /** Only what went well. */
    private synchronized void remember(String question, String answer) {
        if (answer.startsWith("HTTP/1.1 200 ")) {
            known.put(question, answer);
        }
    }
}
