package dev.kip.checkpointer.kubelet;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.Site;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Something that some kubelets do with some static pods.
 *
 * @param id for people and programs; rules that differ only in message and versions share it
 * @param field the pattern of the field that it is about, {@code [*]} for every element
 * @param reason the pod's {@code status.reason}; empty but for {@link Stage#ADMIT}
 * @param message what kubelet says, with {@code %s} for what it found
 * @param remedy for the pod's author
 * @param source where it was read: an issue, a pull request, or the source file of kubelet
 */
public record KubeletRule(
        String id,
        Stage stage,
        String field,
        Versions versions,
        String reason,
        String message,
        String remedy,
        String source,
        Check check) {

    /** Finds where a pod falls under a rule. Pure. */
    interface Check {
        Stream<Hit> hits(Look look);
    }

    /** A place, and what the message says about it. */
    record Hit(String path, ImmutableList<Object> found) {
        static Hit at(String path, Object... found) {
            return new Hit(path, ImmutableList.copyOf(found));
        }
    }

    /** What kubelet complains about. */
    Stream<Trouble> troubles(Look look) {
        if (!versions.contain(look.version())) {
            return Stream.empty();
        }
        return check.hits(look).map(hit -> new Trouble(this, hit.path(), filled(reason, hit), filled(message, hit)));
    }

    private static String filled(String text, Hit hit) {
        return String.format(Locale.ROOT, text, hit.found().toArray());
    }

    /** Wherever the field is there and says something. */
    static Check present(String field) {
        return look -> look.sites(field).stream().filter(Site::saysSomething).map(site -> Hit.at(site.path()));
    }

    /** Only while nobody answers, whether or not kubelet has a kubeconfig. */
    static Check cutOff(Check check) {
        return look -> look.api() == ApiServer.PRESENT ? Stream.empty() : check.hits(look);
    }
}
