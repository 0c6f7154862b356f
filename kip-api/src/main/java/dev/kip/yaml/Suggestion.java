package dev.kip.yaml;

import java.util.Locale;
import java.util.Optional;

/** The known word that a misspelt one was probably meant to be. */
public final class Suggestion {

    private Suggestion() {}

    /** The nearest by edits, if it is near enough to be meant; the first of equals. */
    public static Optional<String> nearest(String word, Iterable<String> known) {
        Optional<String> best = Optional.empty();
        int least = Math.max(1, word.length() / 3) + 1;
        for (String candidate : known) {
            int distance = distance(word.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (distance < least) {
                least = distance;
                best = Optional.of(candidate);
            }
        }
        return best;
    }

    /** {@code  Did you mean "x"?} with a leading space, or nothing. */
    public static String didYouMean(String word, Iterable<String> known) {
        return nearest(word, known)
                .map(meant -> " Did you mean \"" + meant + "\"?")
                .orElse("");
    }

    /** Levenshtein's distance. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(Math.min(above, row[j - 1]) + 1, substituted);
                diagonal = above;
            }
        }
        return row[b.length()];
    }
}
