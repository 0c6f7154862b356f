package dev.kip.cloud;

import com.google.common.collect.ImmutableMap;
import dev.kip.loop.Offload;
import java.util.Optional;

/** A cloud that can be opened; found by {@link java.util.ServiceLoader}. */
public interface CloudProvider {

    /** The key under {@code cloud:} in provider.yaml, for example {@code aws}. */
    String name();

    /** @throws IllegalArgumentException naming the setting, what was wanted and what was found */
    CloudApi open(CloudSettings settings, Offload offload);

    /**
     * Opens a store of the same cloud that has compare-and-swap; nothing is sent yet.
     *
     * @param location as {@code ownership.anchor} has it, for example {@code s3://bucket/prefix}
     * @param endpoint in place of the store's own address in the region; {@link CloudSettings#endpoint} is not used
     * @throws IllegalArgumentException naming the setting, what was wanted and what was found
     */
    AnchorStore openAnchors(CloudSettings settings, String location, Optional<String> endpoint, Offload offload);

    /**
     * What the cloud needs to know before its first call.
     *
     * @param environment the process's environment, for credentials
     * @param extras what few need
     */
    record CloudSettings(
            String region,
            Optional<String> endpoint,
            Optional<String> accessKeyId,
            Optional<String> secretAccessKey,
            boolean insecureTlsSkipVerify,
            ImmutableMap<String, String> environment,
            Extras extras) {

        /** Without extras. */
        public CloudSettings(
                String region,
                Optional<String> endpoint,
                Optional<String> accessKeyId,
                Optional<String> secretAccessKey,
                boolean insecureTlsSkipVerify,
                ImmutableMap<String, String> environment) {
            this(region, endpoint, accessKeyId, secretAccessKey, insecureTlsSkipVerify, environment, Extras.NONE);
        }

        /** The same with other extras. */
        public CloudSettings with(Extras other) {
            return new CloudSettings(
                    region, endpoint, accessKeyId, secretAccessKey, insecureTlsSkipVerify, environment, other);
        }

        /** Keys and environment may be secret. */
        @Override
        public String toString() {
            return "CloudSettings[region=" + region + ", endpoint=" + endpoint + "]";
        }
    }

    /**
     * What few need.
     *
     * @param eventQueue URL of the queue that the cloud's events are put into
     * @param eventQueueEndpoint in place of the queue service's own address
     * @param profile of the shared credentials and configuration files, in place of what the default chain finds
     * @param fips whether endpoints of validated cryptography are used
     * @param dualStack whether endpoints that IPv6 reaches too are used
     */
    record Extras(
            Optional<String> eventQueue,
            Optional<String> eventQueueEndpoint,
            Optional<String> profile,
            boolean fips,
            boolean dualStack) {

        public static final Extras NONE =
                new Extras(Optional.empty(), Optional.empty(), Optional.empty(), false, false);
    }
}
