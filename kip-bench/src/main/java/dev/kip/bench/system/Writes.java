package dev.kip.bench.system;

import com.google.common.collect.ImmutableSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Successful writes that an API server has counted since it started (its metric {@code apiserver_request_total}).
 *
 * @param others with neither leases nor events
 */
record Writes(long others, long events) {

    private static final Pattern SAMPLE = Pattern.compile("(?m)^apiserver_request_total\\{([^}]*)} (\\S+)$");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");
    private static final ImmutableSet<String> VERBS =
            ImmutableSet.of("POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION");
    private static final ImmutableSet<String> QUESTIONS =
            ImmutableSet.of("tokenreviews", "subjectaccessreviews", "selfsubjectaccessreviews", "leases");

    static Writes read(String metrics) {
        long others = 0;
        long events = 0;
        Matcher samples = SAMPLE.matcher(metrics);
        while (samples.find()) {
            String verb = "";
            String resource = "";
            String code = "";
            Matcher labels = LABEL.matcher(samples.group(1));
            while (labels.find()) {
                switch (labels.group(1)) {
                    case "verb" -> verb = labels.group(2);
                    case "resource" -> resource = labels.group(2);
                    case "code" -> code = labels.group(2);
                    default -> {
                        // of no interest
                    }
                }
            }
            if (!VERBS.contains(verb) || !code.startsWith("2") || QUESTIONS.contains(resource)) {
                continue;
            }
            long count = Math.round(Double.parseDouble(samples.group(2)));
            if (resource.equals("events")) {
                events += count;
            } else {
                others += count;
            }
        }
        return new Writes(others, events);
    }
}
