package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.controller.ControllerSettings.OwnershipSettings;
import dev.kip.crd.InstallationSpec;
import dev.kip.crd.InstallationSpec.Shard;
import dev.kip.kube.ObjectRef;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * All that was read before it is decided who we are. Nothing of it was changed yet.
 *
 * @param here where this process is
 * @param record the Installation; empty if there is none
 * @param keys the Secret; empty if there is none
 * @param via how the installation was found whose anchor was read
 * @param journalVersion resourceVersion of a list of the journal; empty if there is no journal
 * @param glimpse of the cloud, where that matters: see {@link Glimpse}
 * @param patience an anchor that has not been renewed for so long is nobody's
 * @param ownNonces of this process's earlier incarnations
 */
public record Findings(
        Here here,
        OwnershipSettings settings,
        Optional<InstallationSpec> record,
        Optional<KeysSecret> keys,
        Via via,
        Anchor anchor,
        String journalVersion,
        Optional<Glimpse> glimpse,
        Duration patience,
        ImmutableSet<String> ownNonces) {

    /**
     * This process's place.
     *
     * @param clusterUid uid of kube-system
     * @param account empty if the cloud did not tell it
     */
    public record Here(String node, String clusterUid, Optional<String> account, String region, String vpc) {}

    /**
     * The Secret with the keys.
     *
     * @param installationId empty in one that an early version wrote
     */
    public record KeysSecret(String installationId, ImmutableMap<String, String> data) {

        /** The key, in {@code data}, of the installation's id. */
        private static final String ID = "installationID";

        /** @param data base64 by key */
        static KeysSecret of(ImmutableMap<String, String> data) {
            String encoded = data.getOrDefault(ID, "");
            String id = new String(Base64.getMimeDecoder().decode(encoded), StandardCharsets.US_ASCII);
            return new KeysSecret(id.strip(), data);
        }

        /** The Secret as it is written: the keys, and whose they are. */
        static ObjectNode object(ObjectRef ref, String installationId, InstallationKeys keys) {
            ObjectNode secret = JsonNodeFactory.instance.objectNode();
            secret.put("apiVersion", "v1");
            secret.put("kind", "Secret");
            ObjectNode metadata = secret.putObject("metadata");
            metadata.put("name", ref.name());
            metadata.put("namespace", ref.namespace());
            secret.put("type", "kip.elotl.co/installation-keys");
            ObjectNode data = secret.putObject("data");
            keys.toSecretData().forEach(data::put);
            data.put(ID, Base64.getEncoder().encodeToString(installationId.getBytes(StandardCharsets.US_ASCII)));
            return secret;
        }

        /** Keys are not for logs. */
        @Override
        public String toString() {
            return "KeysSecret[" + installationId + "]";
        }
    }

    /** What told the installation's id. */
    public enum Via {
        RECORD,
        SECRET,
        /** The configuration says which to adopt. */
        CONFIGURATION,
        /** The anchor's pointer for this very cluster. */
        CLUSTER_POINTER,
        /** The anchor's pointer for this name. */
        NAME_POINTER,
        NOTHING
    }

    /** What the anchor shows. */
    public sealed interface Anchor {

        /** None is configured. */
        record None() implements Anchor {}

        /** It does not answer, or with what cannot be read. */
        record Unreachable(String location, String why) implements Anchor {}

        /**
         * It was read.
         *
         * @param identity of the installation that {@link Findings#via} tells; empty if there is none, or no such object
         * @param identityVersion of that object, for its replacement
         * @param shard of our node
         * @param serverTime by the store's clock, not later than when the shard was read
         */
        record Read(
                String location,
                Optional<Identity> identity,
                Optional<String> identityVersion,
                Optional<Seen> shard,
                Instant serverTime)
                implements Anchor {}
    }

    /**
     * A shard's anchor.
     *
     * @param changed it has been written since this process looked at it before
     * @param unchangedFor for how long this process has seen it as it is, by its own clock
     */
    public record Seen(ShardAnchor shard, String version, boolean changed, Duration unchangedFor) {}

    /**
     * What of the installation lives in the cloud. Looked for when the keys are gone, or when the record is gone and no
     * anchor tells the epoch.
     *
     * @param highestEpoch of its instances' tags
     */
    public record Glimpse(int living, long highestEpoch) {}

    Optional<Identity> identity() {
        return anchor instanceof Anchor.Read read ? read.identity() : Optional.empty();
    }

    Optional<Seen> shard() {
        return anchor instanceof Anchor.Read read ? read.shard() : Optional.empty();
    }

    /** The installation that all this is about; empty if none was found. */
    Optional<String> installationId() {
        return record.map(InstallationSpec::installationID)
                .or(() -> keys.map(KeysSecret::installationId).filter(id -> !id.isEmpty()))
                .or(() -> identity().map(Identity::installationId));
    }

    /** The highest epoch that anything knows of. */
    long highestEpoch() {
        long highest = record.stream()
                .flatMap(known -> Stream.concat(
                        Stream.of(known.epoch()), known.shards().stream().map(Shard::epoch)))
                .reduce(0L, Math::max);
        highest = Math.max(highest, shard().map(seen -> seen.shard().epoch()).orElse(0L));
        return Math.max(highest, glimpse.map(Glimpse::highestEpoch).orElse(0L));
    }
}
