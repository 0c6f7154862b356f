package dev.kip.controller.doctor;

import dev.kip.cloud.AnchorStore.Written;
import dev.kip.cloud.CloudError;
import dev.kip.outcome.Outcome;

/** What the anchor's store shows. Pure. */
public final class AnchorChecks {

    private static final String AREA = "anchor";

    private AnchorChecks() {}

    public static Finding none() {
        return Finding.warning(
                AREA,
                "no anchor is configured: the loss of the Secret with the keys, an etcd restored from a backup, a copied"
                        + " cluster and a re-created cluster are not survived; kip gc needs the cluster",
                "set ownership.anchor to s3://bucket/prefix or dynamodb://table: kip config explain ownership.anchor");
    }

    /** @param how it was tried */
    public static Finding unusable(String location, String how, CloudError error) {
        return Finding.error(
                AREA,
                "an object of " + location + " could not be " + how + ": " + error.message(),
                "see that bucket or table exist, and attach the policy for the anchor of deploy/ to the role or user");
    }

    /** @param second what came of creating an object that was there already */
    public static Finding swap(String location, Outcome<Written, CloudError> second) {
        if (second.value().isPresent()) {
            return Finding.error(
                    AREA,
                    location + " let an object be created that was there already: it has no compare-and-swap, so two"
                            + " controllers could act at once",
                    "use S3 or DynamoDB themselves, or a store that honours If-None-Match");
        }
        CloudError error = second.error().orElseThrow();
        return error instanceof CloudError.Changed
                ? Finding.ok(AREA, location + " is reached, writes, and refuses what was written meanwhile")
                : unusable(location, "written again", error);
    }

    /** @param there whether the installation's identity is in the store */
    public static Finding identity(String location, String id, Outcome<Boolean, CloudError> there) {
        if (there.error().isPresent()) {
            return unusable(location, "read", there.error().get());
        }
        return there.value().orElse(false)
                ? Finding.ok(AREA, "the identity of installation " + id + " is there")
                : Finding.warning(
                        AREA,
                        location + " knows nothing of installation " + id,
                        "its controller writes it when it begins with ownership.anchor: restart it with this configuration");
    }
}
