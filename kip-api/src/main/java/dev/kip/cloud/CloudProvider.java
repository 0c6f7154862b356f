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
     */
    record CloudSettings(
            String region,
            Optional<String> endpoint,
            Optional<String> accessKeyId,
            Optional<String> secretAccessKey,
            boolean insecureTlsSkipVerify,
            ImmutableMap<String, String> environment) {

        /** Keys and environment may be secret. */
        @Override
        public String toString() {
            return "CloudSettings[region=" + region + ", endpoint=" + endpoint + "]";
        }
    }
}
