package dev.kip.checkpointer.kubelet;

import static dev.kip.checkpointer.kubelet.Draft.rule;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.kubelet.KubeletRule.Hit;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** What the API server refuses in a mirror pod: the static pod runs, and nobody sees it there. */
final class MirrorRules {

    private static final String ACCOUNTS = "plugin/pkg/admission/serviceaccount/admission.go";

    static final ImmutableList<KubeletRule> ALL = ImmutableList.of(
            rule("mirror-account", Stage.MIRROR, "spec.serviceAccountName")
                    .in(Versions.until("1.34"))
                    .says("a mirror pod may not reference service accounts")
                    .mend("drop it: a static pod gets no token of it anyway")
                    .read(ACCOUNTS + ", k/k#103587")
                    .whenPresent(),
            rule("mirror-secret", Stage.MIRROR, "spec.imagePullSecrets")
                    .in(Versions.until("1.34"))
                    .says("a mirror pod may not reference secrets")
                    .mend("drop them: pull the image beforehand, or give containerd the credentials")
                    .read(ACCOUNTS)
                    .whenPresent(),
            rule("mirror-secret", Stage.MIRROR, "spec.volumes[*].secret")
                    .in(Versions.until("1.34"))
                    .says("a mirror pod may not reference secrets")
                    .mend("copy the secret into a directory of the host and mount that")
                    .read(ACCOUNTS)
                    .whenPresent(),
            rule("mirror-token", Stage.MIRROR, "spec.volumes[*].projected.sources[*].serviceAccountToken")
                    .in(Versions.between("1.12", "1.34"))
                    .says("a mirror pod may not use ServiceAccountToken volume projections")
                    .mend("put the token into a file of the host and mount that")
                    .read(ACCOUNTS)
                    .whenPresent(),
            rule("mirror-priority", Stage.MIRROR, "spec.priority")
                    .says("the integer value of priority (%s) must not be provided in pod spec; priority admission"
                            + " controller computed %s from the given PriorityClass name")
                    .mend("give priorityClassName and its value, or neither")
                    .read("k/k#102724, website#46859")
                    .when(MirrorRules::priority),
            rule("mirror-overhead", Stage.MIRROR, "spec.overhead")
                    .since("1.18")
                    .says("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
                    .mend("drop it: it goes with a runtime class")
                    .read("plugin/pkg/admission/runtimeclass/admission.go")
                    .whenPresent());

    private MirrorRules() {}

    /** Of the classes that every cluster has, and of none; another class may have any value. */
    private static Stream<Hit> priority(Look look) {
        JsonNode priority = look.spec().path("priority");
        String name = look.spec().path("priorityClassName").asString("");
        Optional<Long> value = name.isEmpty() ? Optional.of(0L) : PriorityClasses.builtIn(name);
        boolean differs = priority.isIntegralNumber() && value.isPresent() && priority.longValue() != value.get();
        return differs ? Stream.of(Hit.at("spec.priority", priority.longValue(), value.get())) : Stream.empty();
    }
}
