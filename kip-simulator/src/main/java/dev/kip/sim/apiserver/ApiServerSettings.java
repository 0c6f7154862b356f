package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableMap;
import java.time.Duration;

/**
 * How a simulated API server is set up.
 *
 * @param version as {@code /version} tells it, without the "v"
 * @param tokens user names by bearer token; if there are none, everyone is let in as an administrator
 * @param historyLimit changes kept per kind; a watch from before them is answered with 410
 * @param compactionInterval history older than one to two intervals is forgotten
 * @param bookmarkInterval between bookmarks of one watch
 * @param eventTtl after which an event is deleted
 * @param expiredWatch how a watch from compacted history is refused
 * @param defaultServiceAccounts whether every namespace gets its {@code default} service account at once
 * @param tracksManagers whether objects say from the first who manages their fields; otherwise from their first
 *     server-side apply on, which spares the simulation the comparing of every write
 */
public record ApiServerSettings(
        String version,
        ImmutableMap<String, String> tokens,
        int historyLimit,
        Duration compactionInterval,
        Duration bookmarkInterval,
        Duration eventTtl,
        ExpiredWatch expiredWatch,
        boolean defaultServiceAccounts,
        boolean tracksManagers) {

    /** As a cluster comes up today. */
    public static final ApiServerSettings DEFAULT = new ApiServerSettings(
            "1.34.4",
            ImmutableMap.of(),
            100_000,
            Duration.ofMinutes(5),
            Duration.ofMinutes(1),
            Duration.ofHours(1),
            ExpiredWatch.AS_EVENT,
            true,
            false);

    public ApiServerSettings withTokens(ImmutableMap<String, String> usersByToken) {
        return new ApiServerSettings(
                version,
                usersByToken,
                historyLimit,
                compactionInterval,
                bookmarkInterval,
                eventTtl,
                expiredWatch,
                defaultServiceAccounts,
                tracksManagers);
    }

    public ApiServerSettings withHistoryLimit(int changes) {
        return new ApiServerSettings(
                version,
                tokens,
                changes,
                compactionInterval,
                bookmarkInterval,
                eventTtl,
                expiredWatch,
                defaultServiceAccounts,
                tracksManagers);
    }

    public ApiServerSettings withExpiredWatch(ExpiredWatch how) {
        return new ApiServerSettings(
                version,
                tokens,
                historyLimit,
                compactionInterval,
                bookmarkInterval,
                eventTtl,
                how,
                defaultServiceAccounts,
                tracksManagers);
    }

    public ApiServerSettings withTrackedManagers() {
        return new ApiServerSettings(
                version,
                tokens,
                historyLimit,
                compactionInterval,
                bookmarkInterval,
                eventTtl,
                expiredWatch,
                defaultServiceAccounts,
                true);
    }

    /** Both ways occur on real servers: clients must take either. */
    public enum ExpiredWatch {
        /** 200, then an ERROR event with code 410. */
        AS_EVENT,
        /** HTTP status 410. */
        AS_STATUS,
        /** One or the other, drawn each time. */
        EITHER
    }
}
