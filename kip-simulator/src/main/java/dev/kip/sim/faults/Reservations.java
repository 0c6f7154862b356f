package dev.kip.sim.faults;

import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Edits lists of instances as EC2 writes them. */
final class Reservations {

    /** Items of a reservation begin with the instance's id. */
    private static final Pattern INSTANCE = Pattern.compile("<item><instanceId>(i-[0-9a-f]+)</instanceId>");

    private Reservations() {}

    /** The list with only those instances for whose id {@code wanted} holds. */
    static String keep(String body, Predicate<String> wanted) {
        StringBuilder kept = new StringBuilder();
        int at = 0;
        Matcher matcher = INSTANCE.matcher(body);
        while (matcher.find(at)) {
            kept.append(body, at, matcher.start());
            int end = endOfItem(body, matcher.start());
            if (wanted.test(matcher.group(1))) {
                kept.append(body, matcher.start(), end);
            }
            at = end;
        }
        return kept.append(body.substring(at)).toString();
    }

    /** Behind the end tag of the item that begins at {@code start}. */
    private static int endOfItem(String body, int start) {
        int depth = 0;
        int at = start;
        do {
            int open = body.indexOf("<item>", at);
            int close = body.indexOf("</item>", at);
            if (open >= 0 && open < close) {
                depth++;
                at = open + "<item>".length();
            } else {
                depth--;
                at = close + "</item>".length();
            }
        } while (depth > 0);
        return at;
    }
}
