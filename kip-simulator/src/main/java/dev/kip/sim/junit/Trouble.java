package dev.kip.sim.junit;

import com.google.common.collect.ImmutableList;
import dev.kip.entropy.Entropy;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Something that goes wrong, as text: {@code crash-after 3}, {@code pause 20s at 5s}, {@code hold 30s at 12s},
 * {@code order}.
 */
sealed interface Trouble {

    /** What becomes of the n-th request, from 1, that is meant to change something. */
    record OfRequest(String word, Fate fate, int nth) implements Trouble {
        @Override
        public String toString() {
            return word + " " + nth;
        }
    }

    /** From a moment on, for a time: all controllers stand still, or what watches tell them is late. */
    record Lasting(String word, Duration length, Duration at) implements Trouble {
        @Override
        public String toString() {
            return word + " " + length.toSeconds() + "s at " + at.toSeconds() + "s";
        }
    }

    /** Who runs first of those that are due at one moment is drawn. */
    record Order() implements Trouble {
        @Override
        public String toString() {
            return "order";
        }
    }

    Pattern OF_REQUEST = Pattern.compile("(crash-before|crash-after|lose-request|lose-reply|silence) ([1-9]\\d{0,8})");
    Pattern LASTING = Pattern.compile("(pause|hold) (\\d{1,6})s at (\\d{1,6})s");
    ImmutableList<String> WORDS =
            ImmutableList.of("crash-before", "crash-after", "lose-request", "lose-reply", "silence");
    ImmutableList<Fate> FATES = ImmutableList.of(
            Fate.SENDER_DIES_BEFORE, Fate.SENDER_DIES_AFTER, Fate.REQUEST_LOST, Fate.REPLY_LOST, Fate.SILENCE);

    /** @throws IllegalArgumentException naming what may be written */
    static Trouble parse(String text) {
        Matcher request = OF_REQUEST.matcher(text);
        if (request.matches()) {
            return new OfRequest(
                    request.group(1), FATES.get(WORDS.indexOf(request.group(1))), Integer.parseInt(request.group(2)));
        }
        Matcher lasting = LASTING.matcher(text);
        if (lasting.matches()) {
            return new Lasting(
                    lasting.group(1),
                    Duration.ofSeconds(Long.parseLong(lasting.group(2))),
                    Duration.ofSeconds(Long.parseLong(lasting.group(3))));
        }
        if (text.equals("order")) {
            return new Order();
        }
        throw new IllegalArgumentException("\"" + text + "\" is no trouble. Known: " + String.join(" N, ", WORDS)
                + " N, pause 20s at 5s, hold 20s at 5s, order");
    }

    /** One seed in five has none; which kinds there are at all is drawn first. */
    static ImmutableList<Trouble> draw(Entropy entropy) {
        if (entropy.below(5) == 0) {
            return ImmutableList.of();
        }
        ImmutableList.Builder<Trouble> drawn = ImmutableList.builder();
        boolean requests = entropy.below(4) > 0;
        boolean lasting = entropy.below(3) == 0;
        int count = 1 + (int) entropy.below(4);
        for (int i = 0; i < count; i++) {
            int kind = (int) entropy.below(WORDS.size());
            int nth = 1 + (int) entropy.below(entropy.below(2) == 0 ? 6 : 40);
            if (requests) {
                drawn.add(new OfRequest(WORDS.get(kind), FATES.get(kind), nth));
            }
        }
        if (lasting) {
            drawn.add(new Lasting(
                    entropy.below(2) == 0 ? "pause" : "hold",
                    Duration.ofSeconds(1 + entropy.below(90)),
                    Duration.ofSeconds(entropy.below(60))));
        }
        if (entropy.below(3) == 0) {
            drawn.add(new Order());
        }
        return drawn.build();
    }
}
