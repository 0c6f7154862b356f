package dev.kip.kube.elect;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The Lease on the wire, as client-go writes it. Fields that are not ours are left as they are. */
final class LeaseRecord {

    /** {@code metav1.MicroTime}. */
    private static final DateTimeFormatter MICRO_TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private LeaseRecord() {}

    static String holder(ObjectNode lease) {
        return lease.path("spec").path("holderIdentity").asString("");
    }

    static Optional<Duration> duration(ObjectNode lease) {
        int seconds = lease.path("spec").path("leaseDurationSeconds").asInt(0);
        return seconds > 0 ? Optional.of(Duration.ofSeconds(seconds)) : Optional.empty();
    }

    /** What changes whenever its holder gives a sign of life. Times in it are another machine's: they only tell states apart. */
    static String fingerprint(ObjectNode lease) {
        return lease.path("metadata").path("uid").asString("") + "/" + lease.path("spec");
    }

    /** {@code lease} held by {@code identity} as of {@code now}: taken over, or renewed if it already is. */
    static ObjectNode heldBy(ObjectNode lease, String identity, Duration duration, Instant now) {
        ObjectNode held = lease.deepCopy();
        ObjectNode spec = held.withObject("/spec");
        boolean renewal = holder(lease).equals(identity);
        if (!renewal) {
            boolean taken = lease.path("metadata").has("resourceVersion");
            spec.put("leaseTransitions", spec.path("leaseTransitions").asInt(0) + (taken ? 1 : 0));
            spec.put("acquireTime", MICRO_TIME.format(now));
        }
        spec.put("holderIdentity", identity);
        spec.put("leaseDurationSeconds", (int) duration.toSeconds());
        spec.put("renewTime", MICRO_TIME.format(now));
        return held;
    }

    /** {@code lease} free to be taken at once. */
    static ObjectNode released(ObjectNode lease, Instant now) {
        ObjectNode free = lease.deepCopy();
        ObjectNode spec = free.withObject("/spec");
        spec.put("holderIdentity", "");
        spec.put("leaseDurationSeconds", 1);
        spec.put("renewTime", MICRO_TIME.format(now));
        spec.put("acquireTime", MICRO_TIME.format(now));
        return free;
    }

    /** Whether the first version is the earlier one, where both are numbers, as etcd's are. */
    static boolean earlier(String version, String than) {
        return isNumber(version)
                && isNumber(than)
                && (version.length() == than.length() ? version.compareTo(than) < 0 : version.length() < than.length());
    }

    private static boolean isNumber(String version) {
        return !version.isEmpty() && version.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
