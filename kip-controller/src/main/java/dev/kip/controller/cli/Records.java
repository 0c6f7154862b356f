package dev.kip.controller.cli;

import com.google.common.collect.ImmutableMap;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.crd.ObjectMetadata;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.outcome.Outcome;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Changes the Installation by compare-and-swap, with no more rights than the controller's own. */
final class Records {

    private static final int TRIES = 10;

    private Records() {}

    /** Empty if there is none. @throws CliFailure if it cannot be read */
    static Optional<Installation> read(Session session, String name) {
        Outcome<Installation, KubeError> answer = session.ask(
                "the Installation", () -> session.kube().get(CrdKinds.INSTALLATIONS, ObjectRef.cluster(name)));
        if (answer.error()
                .filter(error -> !(error instanceof KubeError.NotFound))
                .isPresent()) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "Installation " + name + " cannot be read: "
                            + answer.error().get().message());
        }
        return answer.value();
    }

    /** @throws CliFailure if it is gone, or cannot be written */
    static void change(Session session, String name, UnaryOperator<Installation> change) {
        for (int i = 0; i < TRIES; i++) {
            Installation found = read(session, name)
                    .orElseThrow(() -> new CliFailure(CliFailure.FAILED, "there is no Installation " + name + "."));
            Installation next = change.apply(found);
            Outcome<Installation, KubeError> answer = session.ask(
                    "the Installation",
                    () -> session.kube().replace(CrdKinds.INSTALLATIONS, ObjectRef.cluster(name), next));
            if (answer.value().isPresent()) {
                return;
            }
            if (!(answer.error().orElseThrow() instanceof KubeError.Conflict)) {
                throw new CliFailure(
                        CliFailure.FAILED,
                        "Installation " + name + " could not be written: "
                                + answer.error().get().message());
            }
        }
        throw new CliFailure(
                CliFailure.FAILED, "Installation " + name + " changes faster than it can be written: try again.");
    }

    static Installation annotated(Installation found, String key, String value) {
        ObjectMetadata metadata = found.metadata();
        Map<String, String> annotations = new LinkedHashMap<>(metadata.annotations());
        annotations.put(key, value);
        return new Installation(
                new ObjectMetadata(
                        metadata.name(),
                        metadata.uid(),
                        metadata.resourceVersion(),
                        metadata.deletionTimestamp(),
                        metadata.labels(),
                        ImmutableMap.copyOf(annotations),
                        metadata.finalizers()),
                found.spec(),
                found.status());
    }
}
