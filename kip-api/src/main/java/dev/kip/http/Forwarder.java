package dev.kip.http;

import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Hands calls on to other servers. What is streamed is passed on byte for byte, no faster than the slower side takes it;
 * after an upgrade the two connections are one. Called on the loop.
 */
public interface Forwarder {

    /**
     * Answers {@code call} with what another server answers. If that cannot be reached, or does not speak HTTP, the answer
     * is 502 and says so. When one side of a stream ends, or is cut, so does the other, after what was under way.
     *
     * @param ended told once, on the loop, when nothing of it is left
     */
    Forwarded forward(HttpCall call, Onward onward, Runnable ended);

    /**
     * Reads a whole answer. Completes on the loop: with the body of a 200, or with what went wrong.
     *
     * @param most bytes taken; a longer body is a failure
     */
    CompletionStage<Outcome<byte[], String>> fetch(Onward onward, Duration patience, int most);

    /** A call that has been handed on. */
    interface Forwarded {

        /** Cuts both sides. No effect on one that is over. Called on the loop. */
        void abort();
    }

    /**
     * Where to.
     *
     * @param uri path and query, encoded
     * @param who the server, in messages
     * @param authorization sent as that header
     * @param problems how an answer of 400 and more is put
     */
    record Onward(String host, int port, String uri, String who, Optional<String> authorization, Problems problems) {

        public static Onward to(String host, int port, String uri, String who) {
            return new Onward(host, port, uri, who, Optional.empty(), Problems.AS_THEY_ARE);
        }

        public Onward problems(Problems other) {
            return new Onward(host, port, uri, who, authorization, other);
        }
    }

    /** How a server's refusal, or its silence, is put to the client. Asked on threads of the network. */
    interface Problems {

        Problems AS_THEY_ARE = (status, text) -> text;

        /** @param text of the other server */
        String word(int status, String text);

        /** The content type of what is worded; that of the other server if empty. */
        default Optional<String> contentType() {
            return Optional.empty();
        }
    }
}
