package dev.kip.controller.cli;

import dev.kip.controller.gc.Collector;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.PatchType;
import dev.kip.outcome.Outcome;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** An operator's word to a controller whose garbage collection has stopped. */
final class Approval {

    private Approval() {}

    /** @throws CliFailure if the Installation cannot be written */
    static void give(Session session, String installation) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("metadata")
                .putObject("annotations")
                .put(Collector.APPROVED, session.now().toString());
        Outcome<Installation, KubeError> answer = session.ask(
                "the Installation",
                () -> session.kube()
                        .patch(CrdKinds.INSTALLATIONS, ObjectRef.cluster(installation), "", PatchType.MERGE, patch));
        answer.error().ifPresent(error -> {
            throw new CliFailure(CliFailure.FAILED, "the Installation could not be written: " + error.message());
        });
    }
}
