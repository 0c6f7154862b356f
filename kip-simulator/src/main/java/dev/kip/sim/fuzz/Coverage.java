package dev.kip.sim.fuzz;

import com.google.common.hash.Hashing;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.kernel.Witness;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a run has been: the states of the world and of what is in it, and which followed which. A state is what a line of the
 * timeline says without names and numbers, and how many pods in which state, Cells and instances there are, counted to three.
 */
final class Coverage implements Witness {

    private static final Pattern NUMBERED = Pattern.compile("[\\w./:@-]*\\d[\\w./:@*-]*");
    private static final int MANY = 3;

    private final TreeSet<Long> states = new TreeSet<>();
    private final TreeSet<Long> pairs = new TreeSet<>();
    private final Map<String, Long> last = new LinkedHashMap<>();
    private final Map<String, String> pods = new LinkedHashMap<>();
    private int cells;
    private int instances;

    SortedSet<Long> states() {
        return states;
    }

    SortedSet<Long> pairs() {
        return pairs;
    }

    @Override
    public void line(Trace.Line line) {
        String text = line.text();
        Matcher matcher = NUMBERED.matcher(text);
        String about = matcher.find() ? matcher.group() : "";
        String actor = NUMBERED.matcher(line.actor()).replaceAll("*");
        long state = hash(actor + ' ' + matcher.replaceAll("*"));
        states.add(state);
        follow("actor " + line.actor(), state);
        if (!about.isEmpty()) {
            follow("thing " + about, state);
        }
        if (count(text)) {
            long whole = hash(tally());
            states.add(whole);
            follow("world", whole);
        }
    }

    private void follow(String whose, long state) {
        Long before = last.put(whose, state);
        if (before != null && before != state) {
            pairs.add(before * 31 + state);
        }
    }

    /** @return whether a count changed */
    private boolean count(String text) {
        if (text.startsWith("pod ")) {
            int is = text.lastIndexOf(" is ");
            pods.put(text.substring(4, is), text.substring(is + 4));
            return true;
        }
        if (text.startsWith("DELETED pod ")) {
            String name = "/" + text.substring("DELETED pod ".length());
            return pods.keySet().removeIf(pod -> pod.endsWith(name));
        }
        int cellsBefore = cells;
        int instancesBefore = instances;
        if (text.startsWith("ADDED cell ")) {
            cells++;
        } else if (text.startsWith("DELETED cell ")) {
            cells--;
        } else if (text.contains(" runs at ")) {
            instances++;
        } else if (text.endsWith(" is off")) {
            instances--;
        }
        return cells != cellsBefore || instances != instancesBefore;
    }

    private String tally() {
        TreeSet<String> phases = new TreeSet<>(pods.values());
        StringBuilder tally = new StringBuilder();
        for (String phase : phases) {
            long count = pods.values().stream().filter(phase::equals).count();
            tally.append(phase).append(Math.min(MANY, count)).append(' ');
        }
        return tally.append(Math.min(MANY, cells))
                .append(' ')
                .append(Math.min(MANY, instances))
                .toString();
    }

    private static long hash(String text) {
        return Hashing.murmur3_128().hashString(text, StandardCharsets.UTF_8).asLong();
    }
}
