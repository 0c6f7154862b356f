package dev.kip.controller.trouble;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudError;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Errors of the cloud that concern the whole virtual node, and not one pod: said when they begin, after a while if they may
 * pass by themselves, and when they are over. Confined to the loop.
 */
public final class CloudTroubles implements CloudEffects.Ear {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Loop loop;
    private final Voice voice;
    private final Map<Matter, Trouble> troubles = new LinkedHashMap<>();

    /** Where it is said. */
    public interface Voice {

        void warn(String reason, String message);

        void note(String reason, String message);

        /** @param reason the kind of the trouble that has lasted longest, {@code Works} if there is none */
        void condition(boolean works, String reason, String message);

        void metric(String kind, boolean there);

        /** @param text told what a denial says that the cloud alone can read; not if it does not tell */
        void explain(String encoded, Consumer<String> text);
    }

    /** @param verb empty if it concerns every call */
    private record Matter(String kind, String verb) {}

    private static final class Trouble {
        private final long since;
        private final String text;
        private boolean told;

        Trouble(long since, String text) {
            this.since = since;
            this.text = text;
        }
    }

    public CloudTroubles(Loop loop, Voice voice) {
        this.loop = loop;
        this.voice = voice;
    }

    @Override
    public void failed(String verb, CloudError error) {
        if (!concernsTheNode(error)) {
            return;
        }
        long now = loop.nanos();
        Matter matter = new Matter(error.kind(), concernsEveryCall(error) ? "" : verb);
        Trouble trouble = troubles.computeIfAbsent(matter, absent -> new Trouble(now, text(verb, error)));
        boolean lasts = now - trouble.since >= PATIENCE.toNanos();
        if (trouble.told || (!lasts && mayPass(error))) {
            return;
        }
        trouble.told = true;
        voice.metric(error.kind(), true);
        voice.warn("Cloud" + error.kind(), trouble.text);
        show();
        if (error instanceof CloudError.Forbidden forbidden) {
            forbidden
                    .encoded()
                    .ifPresent(encoded -> voice.explain(
                            encoded, text -> voice.warn("Cloud" + error.kind(), forbidden.action() + ": " + text)));
        }
    }

    @Override
    public void answered(String verb) {
        if (troubles.isEmpty()) {
            return;
        }
        boolean told = false;
        for (Matter matter : ImmutableList.copyOf(troubles.keySet())) {
            if (matter.verb().isEmpty() || matter.verb().equals(verb)) {
                @Nullable Trouble over = troubles.remove(matter);
                told |= over != null && over.told;
                if (troubles.keySet().stream().noneMatch(left -> left.kind().equals(matter.kind()))) {
                    voice.metric(matter.kind(), false);
                }
            }
        }
        if (told) {
            show();
        }
    }

    private void show() {
        for (Map.Entry<Matter, Trouble> entry : troubles.entrySet()) {
            if (entry.getValue().told) {
                voice.condition(false, entry.getKey().kind(), entry.getValue().text);
                return;
            }
        }
        voice.note("CloudWorks", "the cloud does again what it is asked");
        voice.condition(true, "Works", "");
    }

    /** Without the answer's own words, which differ from call to call: they are in the log. */
    private static String text(String verb, CloudError error) {
        String action = error instanceof CloudError.Forbidden forbidden ? " of " + forbidden.action() : "";
        return "the call to " + verb + " ends in " + error.kind() + action + ". To mend it: " + error.remedy();
    }

    private static boolean concernsTheNode(CloudError error) {
        return error instanceof CloudError.Denied
                || error instanceof CloudError.LimitReached
                || error instanceof CloudError.SubnetFull
                || error instanceof CloudError.VcpuQuotaReached
                || mayPass(error);
    }

    private static boolean mayPass(CloudError error) {
        return error.effectUnknown() || error instanceof CloudError.Throttled;
    }

    /** Whether an answer to any call shows that it is over. */
    private static boolean concernsEveryCall(CloudError error) {
        return error.effectUnknown()
                || (error instanceof CloudError.Denied && !(error instanceof CloudError.Forbidden));
    }
}
