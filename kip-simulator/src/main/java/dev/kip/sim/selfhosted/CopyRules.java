package dev.kip.sim.selfhosted;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.sanitise.KubeletCheck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a checkpoint in kubelet's directory must be like. Looked at whenever it has changed. */
final class CopyRules {

    private CopyRules() {}

    static ImmutableList<NodeRule> all(Plane plane) {
        return ImmutableList.of(
                new Whole(),
                new ChooseNoNode(),
                new AskNobody(),
                new AreAdmitted(),
                new HaveTheirFiles(),
                new AreLikeTheirPods(plane),
                new PullNothing(),
                new HaveTheirNames());
    }

    /** Something about each copy that has changed. */
    private abstract static class OfCopies extends NodeRule {

        OfCopies(String name, String why) {
            super(name, why);
        }

        /** What is wrong with it; empty if nothing. */
        abstract Optional<String> wrong(Sight sight, String pod, ObjectNode copy);

        @Override
        final void look(Sight sight) {
            for (String pod : sight.changed()) {
                sight.copies()
                        .getOrDefault(pod, Optional.empty())
                        .flatMap(copy -> wrong(sight, pod, copy))
                        .ifPresent(what -> violate("the checkpoint of " + pod + " on "
                                + sight.node().name() + " " + what));
            }
        }
    }

    static final class Whole extends NodeRule {
        Whole() {
            super(
                    "I54 checkpoints are whole",
                    "Kubelet may read a manifest at any instant, the one after a power cut among them: half of one starts"
                            + " nothing.");
        }

        @Override
        void look(Sight sight) {
            for (String pod : sight.changed()) {
                boolean whole = Optional.ofNullable(sight.copies().get(pod))
                        .flatMap(copy -> copy)
                        .filter(copy -> copy.path("kind").asString("").equals("Pod"))
                        .isPresent();
                if (!whole) {
                    violate("the checkpoint of " + pod + " on " + sight.node().name() + " is no pod");
                }
            }
        }
    }

    static final class ChooseNoNode extends OfCopies {
        ChooseNoNode() {
            super(
                    "I55 checkpoints choose no node",
                    "With no API server kubelet knows of no label: what asks for one is refused, and not tried again.");
        }

        @Override
        Optional<String> wrong(Sight sight, String pod, ObjectNode copy) {
            JsonNode spec = copy.path("spec");
            return !spec.at("/affinity/nodeAffinity").isMissingNode() || spec.has("nodeSelector")
                    ? Optional.of("chooses a node")
                    : Optional.empty();
        }
    }

    static final class AskNobody extends OfCopies {

        private static final ImmutableSortedSet<String> KINDS =
                ImmutableSortedSet.of("configMap", "downwardAPI", "projected", "secret");

        AskNobody() {
            super(
                    "I56 checkpoints ask nobody",
                    "A static pod that names an account, a secret or a config map is refused, or waits for an answer that"
                            + " nobody gives.");
        }

        @Override
        Optional<String> wrong(Sight sight, String pod, ObjectNode copy) {
            JsonNode spec = copy.path("spec");
            if (spec.has("serviceAccountName") || spec.has("serviceAccount")) {
                return Optional.of("names a service account");
            }
            if (copy.path("metadata").has("ownerReferences")) {
                return Optional.of("names an owner");
            }
            for (JsonNode volume : spec.path("volumes")) {
                for (String kind : KINDS) {
                    if (volume.has(kind)) {
                        return Optional.of(
                                "has the volume " + volume.path("name").asString("") + " of a " + kind);
                    }
                }
            }
            return Optional.empty();
        }
    }

    static final class AreAdmitted extends OfCopies {
        AreAdmitted() {
            super(
                    "I57 kubelet takes checkpoints",
                    "What this version of kubelet does not load, admit or start leaves the machine without the pod.");
        }

        @Override
        Optional<String> wrong(Sight sight, String pod, ObjectNode copy) {
            return new KubeletCheck(
                            KubeletModel.of(sight.node().version()),
                            sight.node().facts())
                    .objections(copy).stream().findFirst().map(objection -> "is not taken: " + objection.message());
        }
    }

    static final class HaveTheirFiles extends OfCopies {
        HaveTheirFiles() {
            super(
                    "I58 checkpoints have their files",
                    "A pod that is started without its secrets fails, or makes new ones in their place.");
        }

        @Override
        Optional<String> wrong(Sight sight, String pod, ObjectNode copy) {
            for (JsonNode volume : copy.path("spec").path("volumes")) {
                String path = volume.path("hostPath").path("path").asString("");
                try {
                    if (path.startsWith(Plane.STATE + "/")
                            && sight.disk().list(Path.of(path)).stream()
                                    .allMatch(file -> file.name().startsWith(".."))) {
                        return Optional.of("has nothing in its volume "
                                + volume.path("name").asString(""));
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return Optional.empty();
        }
    }

    static final class AreLikeTheirPods extends OfCopies {

        private final Plane plane;

        AreLikeTheirPods(Plane plane) {
            super(
                    "I59 checkpoints are like their pods",
                    "A field that is lost on the way makes another program of it, which fails only when it is needed.");
            this.plane = plane;
        }

        @Override
        Optional<String> wrong(Sight sight, String pod, ObjectNode copy) {
            return plane.find(pod)
                    .map(parent -> parent.path("spec"))
                    .filter(parent -> !same(parent, copy.path("spec")))
                    .map(parent -> "has another network or other containers than its pod");
        }

        private static boolean same(JsonNode parent, JsonNode copy) {
            return parent.path("hostNetwork").equals(copy.path("hostNetwork"))
                    && parent.at("/containers/0/image").equals(copy.at("/containers/0/image"))
                    && parent.path("containers").size()
                            == copy.path("containers").size();
        }
    }

    static final class PullNothing extends OfCopies {
        PullNothing() {
            super(
                    "I60 checkpoints pull nothing",
                    "The registry may be what does not run: the image that is there is taken.");
        }

        @Override
        Optional<String> wrong(Sight sight, String pod, ObjectNode copy) {
            for (JsonNode container : copy.path("spec").path("containers")) {
                if (container.path("imagePullPolicy").asString("").equals("Always")) {
                    return Optional.of("pulls its image at each start");
                }
            }
            return Optional.empty();
        }
    }

    static final class HaveTheirNames extends OfCopies {
        HaveTheirNames() {
            super(
                    "I61 checkpoints have their pods' names",
                    "Two that share a name replace each other, and one of another name is nobody's: none is ever taken away.");
        }

        @Override
        Optional<String> wrong(Sight sight, String pod, ObjectNode copy) {
            String name = copy.path("metadata").path("name").asString("");
            return name.equals(pod) ? Optional.empty() : Optional.of("is called " + name);
        }
    }
}
