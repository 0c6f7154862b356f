package dev.kip.sim.replay;

import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hashing;
import dev.kip.sim.scenario.Outcomes.Problem;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * By what failures are told apart: what was violated, and how it was put without the names and numbers of this run.
 *
 * @param id an invariant's name, {@code step}, {@code expect}, {@code fault} or {@code thrown}
 * @param text with a star for each word that has a digit
 */
public record Signature(String id, String text) {

    private static final Pattern NUMBERED = Pattern.compile("[\\w./:@-]*\\d[\\w./:@*-]*");
    private static final Pattern STARS = Pattern.compile("\\*(?:[, ]+(?:and )?\\*)+");
    private static final int LONGEST = 160;
    private static final ImmutableList<String> NUMBERED_IDS = ImmutableList.of("step ", "expect ");

    public static Signature of(Problem problem) {
        String id = problem.id();
        for (String prefix : NUMBERED_IDS) {
            if (id.startsWith(prefix)) {
                id = prefix.strip();
            }
        }
        String text =
                STARS.matcher(NUMBERED.matcher(problem.text()).replaceAll("*")).replaceAll("*");
        return new Signature(id, text.length() > LONGEST ? text.substring(0, LONGEST) : text);
    }

    /** Whether {@code problem} is the same failure: of an invariant, the same one; else put the same way too. */
    public boolean isOf(Problem problem) {
        Signature other = of(problem);
        return id.equals(other.id) && (isInvariant() || text.equals(other.text));
    }

    /** Whether an invariant was violated, which means the same in whatever story. */
    public boolean isInvariant() {
        return !id.equals("step") && !id.equals("expect") && !id.equals("fault") && !id.equals("thrown");
    }

    /** For a file's name: {@code i9-launches-per-attempt-1f0c22ab}. */
    public String slug() {
        String words = id.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        return words + "-" + Hashing.murmur3_32_fixed().hashString(id + "\n" + text, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return id + ": " + text;
    }
}
