package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.launch.Tags;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Whose an instance is, as far as it shows. Only what is {@link Kind#OURS_PROVEN} may ever be ended; everything else is
 * shown, with its age and cost, and left alone. Pure.
 *
 * @param installationId that it carries; empty if it carries none
 * @param because in plain words: the proof, or which part of it is missing
 */
public record Provenance(Kind kind, String installationId, String because) {

    /** What an instance can be. */
    public enum Kind {
        /** Our id, and our MAC over its node and the client token that the cloud itself reports. */
        OURS_PROVEN,
        /** Something of it is ours, and a part of the proof is missing. */
        SUSPECT,
        /** Another installation's. */
        FOREIGN,
        /** Of the original Kip, which signed nothing. */
        LEGACY,
        /** It carries no id. */
        NOBODY
    }

    /** Tags that the original did not know. */
    private static final ImmutableList<String> LATER = ImmutableList.of(Tags.MAC, Tags.BATCH, Tags.EPOCH, Tags.NODE);

    public static Provenance of(InstanceFacts instance, Standing standing) {
        return of(instance, standing.installationId(), (node, token) -> Optional.of(standing.macOf(node, token)));
    }

    /**
     * @param installationId ours
     * @param macOf the MAC that an instance of ours for this node and with this client token carries; empty if our keys are
     *     not at hand
     */
    public static Provenance of(
            InstanceFacts instance, String installationId, BiFunction<String, String, Optional<String>> macOf) {
        String id = instance.tags().getOrDefault(Tags.INSTALLATION, "");
        String mac = instance.tags().getOrDefault(Tags.MAC, "");
        boolean ours = !id.isEmpty() && id.equals(installationId);
        Optional<String> expected = instance.clientToken().isEmpty()
                ? Optional.empty()
                : macOf.apply(instance.tags().getOrDefault(Tags.NODE, ""), instance.clientToken());
        boolean signed = expected.isPresent() && same(expected.get(), mac);
        if (ours && signed) {
            return new Provenance(
                    Kind.OURS_PROVEN,
                    id,
                    "carries our id and our MAC over its node and client token " + instance.clientToken());
        }
        if (ours) {
            return new Provenance(Kind.SUSPECT, id, "carries our id, but " + doubt(instance, mac, expected));
        }
        if (signed) {
            return new Provenance(
                    Kind.SUSPECT,
                    id,
                    "carries our MAC over its client token, but "
                            + (id.isEmpty() ? "no tag " + Tags.INSTALLATION : "the id of installation " + id));
        }
        if (id.isEmpty()) {
            return new Provenance(Kind.NOBODY, "", "carries no tag " + Tags.INSTALLATION);
        }
        return LATER.stream().anyMatch(instance.tags()::containsKey)
                ? new Provenance(Kind.FOREIGN, id, "carries the id of installation " + id)
                : new Provenance(
                        Kind.LEGACY, id, "carries controller id " + id + " as the original Kip wrote it, unsigned");
    }

    private static String doubt(InstanceFacts instance, String mac, Optional<String> expected) {
        if (mac.isEmpty()) {
            return "no tag " + Tags.MAC;
        }
        if (instance.clientToken().isEmpty()) {
            return "the cloud reports no client token of it";
        }
        return expected.isEmpty()
                ? "without the installation's keys its MAC cannot be checked"
                : "its MAC is not ours over its node and client token " + instance.clientToken()
                        + ": tags were copied or edited, or it was made with other keys";
    }

    private static boolean same(String expected, String found) {
        return MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), found.getBytes(StandardCharsets.UTF_8));
    }

    public boolean proven() {
        return kind == Kind.OURS_PROVEN;
    }
}
