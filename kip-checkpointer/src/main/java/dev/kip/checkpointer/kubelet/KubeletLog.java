package dev.kip.checkpointer.kubelet;

import com.google.common.collect.ImmutableList;
import java.util.Comparator;
import java.util.stream.Collectors;

/** Kubelet's log lines: plain text until 1.20, structured since 1.21. */
final class KubeletLog {

    private static final String STRUCTURED = "1.21";

    private KubeletLog() {}

    static ImmutableList<String> lines(Look look, String file, Judgement judgement) {
        ImmutableList<Trouble> stopping = judgement.stopping();
        if (stopping.isEmpty()) {
            return ImmutableList.of();
        }
        Stage stage = stopping.stream()
                .map(trouble -> trouble.rule().stage())
                .min(Comparator.naturalOrder())
                .orElseThrow();
        ImmutableList<Trouble> first = stopping.stream()
                .filter(trouble -> trouble.rule().stage() == stage)
                .collect(ImmutableList.toImmutableList());
        return switch (stage) {
            case DECODE ->
                ImmutableList.of(unread(look, file, file + ": " + first.get(0).message()));
            case VALIDATE -> ImmutableList.of(unread(look, file, invalid(first)));
            case REFER -> ImmutableList.of(unread(look, file, first.get(0).message()));
            case ADMIT -> ImmutableList.of(denied(look, file, first.get(0)), unmirrored(look, file));
            default ->
                first.stream().map(trouble -> sync(look, file, trouble)).collect(ImmutableList.toImmutableList());
        };
    }

    private static boolean structured(Look look) {
        return look.version().isAtLeast(STRUCTURED);
    }

    private static String unread(Look look, String file, String error) {
        return structured(look)
                ? "\"Could not process manifest file\" err=\"" + error + "\" path=\"" + file + "\""
                : "Can't process manifest file \"" + file + "\": " + error;
    }

    private static String invalid(ImmutableList<Trouble> troubles) {
        Trouble one = troubles.get(0);
        boolean fieldErrors =
                !one.rule().id().equals("name-needed") && !one.message().startsWith("static pods may not");
        if (!fieldErrors) {
            return one.message().startsWith("static pods") ? one.message() : "invalid pod: " + one.message();
        }
        return "invalid pod: " + troubles.stream().map(Trouble::message).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String denied(Look look, String file, Trouble trouble) {
        if (look.version().isAtLeast("1.34")) {
            return "\"Pod admission denied\" podUID=\"" + uid(look, file) + "\" pod=\"" + look.namespace() + "/"
                    + look.name() + "\" reason=\"" + trouble.reason() + "\" message=\"" + trouble.message() + "\"";
        }
        return structured(look)
                ? "\"Predicate failed on Pod\" pod=\"" + look.namespace() + "/" + look.name() + "\" err=\""
                        + trouble.message() + "\""
                : "Predicate failed on Pod: " + look.name() + "_" + look.namespace() + "(" + uid(look, file)
                        + "), for reason: " + trouble.message();
    }

    /** What the report quotes. */
    static String unmirrored(Look look, String file) {
        return structured(look)
                ? "\"Static pod does not have a corresponding mirror pod; skipping\" pod=\"" + look.namespace() + "/"
                        + look.name() + "\""
                : "Static pod \"" + uid(look, file) + "\" (" + look.name() + "/" + look.namespace()
                        + ") does not have a corresponding mirror pod; skipping";
    }

    private static String sync(Look look, String file, Trouble trouble) {
        return structured(look)
                ? "\"Error syncing pod, skipping\" err=\"" + trouble.message() + "\" pod=\"" + look.namespace() + "/"
                        + look.name() + "\""
                : "Error syncing pod " + uid(look, file) + " (\"" + look.name() + "_" + look.namespace()
                        + "\"), skipping: " + trouble.message();
    }

    private static String uid(Look look, String file) {
        return StaticPodDefaults.uid(look.pod(), look.node().name(), file);
    }
}
