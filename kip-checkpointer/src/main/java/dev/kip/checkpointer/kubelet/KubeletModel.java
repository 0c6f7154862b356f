package dev.kip.checkpointer.kubelet;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * What one release of kubelet does with static pods. Pure. The rules were read from kubelet's sources from 1.11.3 to 1.37.2,
 * minor release by minor release.
 */
public final class KubeletModel {

    /** In kubelet's order. */
    public static final ImmutableList<KubeletRule> RULES = ImmutableList.<KubeletRule>builder()
            .addAll(DecodeRules.ALL)
            .addAll(ValidationRules.ALL)
            .addAll(ReferenceRules.ALL)
            .addAll(AdmissionRules.ALL)
            .addAll(StartRules.ALL)
            .addAll(MirrorRules.ALL)
            .addAll(RiskRules.ALL)
            .build();

    private final KubeletVersion version;

    private KubeletModel(KubeletVersion version) {
        this.version = version;
    }

    public static KubeletModel of(KubeletVersion version) {
        return new KubeletModel(version);
    }

    public KubeletVersion version() {
        return version;
    }

    /** @param manifest as it is in the file */
    public Judgement judge(ObjectNode manifest, Circumstances circumstances) {
        Look look = new Look(manifest, version, circumstances);
        ImmutableList<Trouble> decoding = troubles(DecodeRules.ALL, look);
        if (!decoding.isEmpty()) {
            return new Judgement(decoding); // kubelet has no pod to look at
        }
        return new Judgement(troubles(RULES, look));
    }

    /** Why a pod of the API server would be marked Failed; empty if it is admitted. */
    public Optional<Trouble> admission(ObjectNode pod, Circumstances circumstances) {
        return troubles(AdmissionRules.ALL, new Look(pod, version, circumstances)).stream()
                .findFirst();
    }

    private static ImmutableList<Trouble> troubles(ImmutableList<KubeletRule> rules, Look look) {
        return rules.stream().flatMap(rule -> rule.troubles(look)).collect(ImmutableList.toImmutableList());
    }

    /** The lines that kubelet logs about it. */
    public ImmutableList<String> log(
            ObjectNode manifest, String file, Judgement judgement, Circumstances circumstances) {
        return KubeletLog.lines(new Look(manifest, version, circumstances), file, judgement);
    }

    /** What its status manager says of a static pod that the API server has no mirror of. */
    public String unmirrored(ObjectNode manifest, String file, Circumstances circumstances) {
        return KubeletLog.unmirrored(new Look(manifest, version, circumstances), file);
    }

    /** All releases that do this to this field, whatever their message. */
    public static Versions versions(KubeletRule rule) {
        return RULES.stream()
                .filter(other -> other.id().equals(rule.id())
                        && other.stage() == rule.stage()
                        && other.field().equals(rule.field()))
                .map(KubeletRule::versions)
                .reduce(rule.versions(), Versions::and);
    }
}
