package dev.kip.cloud;

import java.time.Duration;
import java.util.Optional;

/** What the cloud, or the way to it, answers instead of a result; and what is to be done about it. Nothing is sent again blindly. */
public sealed interface CloudError {

    /** For people: the action, the object, what the cloud said. */
    String message();

    /** What the controller does about it. */
    Advice advice();

    /** For people: what to do, or that there is nothing to do. */
    String remedy();

    /** What is to be done about an error. */
    enum Advice {
        /** Something else may be had at once: another type, zone or market. */
        TRY_ANOTHER,
        /** The same may be had later. */
        WAIT,
        /** It may have had its effect: what is there is looked at before anything else is done. */
        LOOK,
        /** Our picture is old: it is read anew, and decided again. */
        READ_ANEW,
        /** It will not pass by itself; it is tried again seldom, so that it is noticed when people have mended it. */
        ASK_PEOPLE
    }

    /** No room for this type, zone and market now. Nothing was started. */
    record InsufficientCapacity(String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.TRY_ANOTHER;
        }

        @Override
        public String remedy() {
            return "wait: other types and zones are tried, and this one again later; allow more types, zones or markets";
        }
    }

    /** The account's quota of vCPUs for this class of instance families and market. Nothing was started. */
    record VcpuQuotaReached(String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.TRY_ANOTHER;
        }

        @Override
        public String remedy() {
            return "have the vCPU quota of these families raised in Service Quotas, allow other families or the other"
                    + " market, or end instances of the account that are not needed";
        }
    }

    /** The subnet has fewer free addresses than instances were asked for. Nothing was started. */
    record SubnetFull(String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.TRY_ANOTHER;
        }

        @Override
        public String remedy() {
            return "give the cells a larger subnet, or more of them: cloud.aws.subnetID or cloud.aws.vpcID";
        }
    }

    /** Another quota of the account. Nothing was started. */
    record LimitReached(String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.ASK_PEOPLE;
        }

        @Override
        public String remedy() {
            return "have the quota raised";
        }
    }

    /** Too many calls. Nothing was done. */
    record Throttled(Duration retryAfter, String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.WAIT;
        }

        @Override
        public String remedy() {
            return "wait: calls are made as often as the account's limits allow; others in the account call as well";
        }
    }

    /** There is no such thing; one that was made a moment ago may not be shown yet. */
    record NotFound(String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.READ_ANEW;
        }

        @Override
        public String remedy() {
            return "correct the id or selector if it comes from the configuration; else it is made or looked for anew";
        }
    }

    record AlreadyExists(String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.READ_ANEW;
        }

        @Override
        public String remedy() {
            return "nothing: what is there is used";
        }
    }

    /** The object is no longer (or not yet) of the version that was expected. Nothing was done. */
    record Changed(String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.READ_ANEW;
        }

        @Override
        public String remedy() {
            return "nothing: it is read anew";
        }
    }

    /** The token was used before with other parameters. */
    record TokenMismatch(String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.LOOK;
        }

        @Override
        public String remedy() {
            return "nothing: what came of the earlier call is looked for, and the token is never sent again";
        }
    }

    /** Whoever asks may not, as things are. Nothing was done. */
    sealed interface Denied extends CloudError {
        @Override
        default Advice advice() {
            return Advice.ASK_PEOPLE;
        }
    }

    /** Credentials are missing, or the cloud does not know them. */
    record Unauthorized(String message) implements Denied {
        @Override
        public String remedy() {
            return "give the controller credentials that are valid: the role of its pod or instance, or keys";
        }
    }

    /** The credentials were valid once. They are read anew for each call. */
    record CredentialsExpired(String message) implements Denied {
        @Override
        public String remedy() {
            return "renew the credentials: a session token lasts for hours only; a role of the pod or instance renews itself";
        }
    }

    /** The request is dated too early or too late for the cloud. */
    record ClockWrong(String message) implements Denied {
        @Override
        public String remedy() {
            return "set the clock of the controller's machine: it is minutes away from the cloud's";
        }
    }

    /**
     * A permission is missing.
     *
     * @param action as policies write it, for example {@code ec2:RunInstances}
     * @param encoded why, as the cloud alone can read it: {@link CloudApi#explainDenial}
     */
    record Forbidden(String action, Optional<String> encoded, String message) implements Denied {
        @Override
        public String remedy() {
            return "allow " + action
                    + ": attach the policy of deploy/iam-policy.json; kip doctor tells what else is missing";
        }
    }

    /** The account itself may not do this yet, or not any more. */
    record AccountBlocked(String message) implements Denied {
        @Override
        public String remedy() {
            return "settle it with the cloud's provider: the account is blocked, not verified, or not opted in";
        }
    }

    /** The request itself is wrong: the same request will fail again. */
    record Refused(String code, String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.ASK_PEOPLE;
        }

        @Override
        public String remedy() {
            return "correct what the message names: mostly a key under cells or cloud.aws, or an annotation of the pod";
        }
    }

    /** It was not sent: the lease, or the anchor, was over by then. */
    record NotSent(String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.WAIT;
        }

        @Override
        public String remedy() {
            return "nothing: whoever leads decides again";
        }
    }

    /** The service said that it failed; the request may or may not have had its effect. */
    record Failing(String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.LOOK;
        }

        @Override
        public String remedy() {
            return "wait, and look at the cloud's health page: the service fails by itself";
        }
    }

    /** No answer: the request may or may not have had its effect. */
    record NoAnswer(String message) implements CloudError {
        @Override
        public Advice advice() {
            return Advice.LOOK;
        }

        @Override
        public String remedy() {
            return "check the way to the cloud's endpoint: network, proxy, security groups, DNS; and its health page";
        }
    }

    /** Whether the request may have had its effect all the same. */
    default boolean effectUnknown() {
        return this instanceof NoAnswer || this instanceof Failing;
    }

    /** As metrics and events name it, for example {@code NoAnswer}. */
    default String kind() {
        return getClass().getSimpleName();
    }
}
