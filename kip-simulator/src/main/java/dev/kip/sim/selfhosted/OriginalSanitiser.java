package dev.kip.sim.selfhosted;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.sanitise.CheckpointMarks;
import dev.kip.checkpointer.sanitise.Finding;
import dev.kip.checkpointer.sanitise.Need;
import dev.kip.checkpointer.sanitise.Sanitised;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.sanitise.StaticPod;
import dev.kip.checkpointer.sanitise.Supplies;
import dev.kip.checkpointer.sanitise.TableSanitiser;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the original checkpointer made of a pod, for the simulator to plant. Its images were built on typed models: the one of
 * 2018 on client-go 1.9, whose node selector terms have no {@code matchFields} and always print {@code matchExpressions}.
 */
final class OriginalSanitiser implements Sanitiser {

    /** Its releases. */
    enum Release {
        /** Image 9dc83e1a of March 2018. */
        OF_2018,
        /** Image 018007e7 of October 2018: affinity goes (bootkube#1009). */
        WITHOUT_AFFINITY,
        /** Image 2dc19664 of November 2019: nodeSelector goes too (bootkube#1068). */
        WITHOUT_SELECTOR
    }

    private final Release release;

    OriginalSanitiser(Release release) {
        this.release = release;
    }

    @Override
    public ImmutableList<Need> needs(ObjectNode pod) {
        return new TableSanitiser()
                .needs(pod).stream()
                        .filter(need -> need instanceof Need.Thing)
                        .collect(ImmutableList.toImmutableList());
    }

    @Override
    public Sanitised sanitise(ObjectNode pod, Supplies supplies, Site site) {
        ObjectNode manifest = pod.deepCopy();
        manifest.put("apiVersion", "v1").put("kind", "Pod");
        manifest.remove("status");
        ObjectNode metadata = manifest.objectNode();
        JsonNode old = pod.path("metadata");
        metadata.set("name", old.path("name"));
        metadata.set("namespace", old.path("namespace"));
        metadata.set("labels", old.path("labels"));
        metadata.putObject("annotations")
                .put(CheckpointMarks.OF, old.path("name").asString(""));
        manifest.set("metadata", metadata);
        ObjectNode spec = manifest.withObject("/spec");
        spec.remove("serviceAccountName");
        spec.remove("serviceAccount");
        if (release == Release.OF_2018) {
            roundTrip(manifest);
        } else {
            spec.remove("affinity");
        }
        if (release == Release.WITHOUT_SELECTOR) {
            spec.remove("nodeSelector");
        }
        return new Sanitised(
                Optional.of(new StaticPod(manifest, volumes(manifest, site))), ImmutableList.<Finding>of());
    }

    /** Decoded and encoded: a field that the model does not have is gone, one that it has is there. */
    private static void roundTrip(ObjectNode manifest) {
        String terms = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
        for (dev.kip.bundle.Site found : dev.kip.bundle.Site.find(manifest, terms)) {
            for (JsonNode term : found.value()) {
                ObjectNode object = (ObjectNode) term;
                object.remove("matchFields");
                if (!object.has("matchExpressions")) {
                    object.putNull("matchExpressions");
                }
            }
        }
    }

    private static ImmutableList<StaticPod.Volume> volumes(ObjectNode manifest, Site site) {
        List<StaticPod.Volume> volumes = new ArrayList<>();
        for (JsonNode volume : manifest.path("spec").path("volumes")) {
            ObjectNode object = (ObjectNode) volume;
            if (object.has("secret") || object.has("configMap")) {
                object.remove("secret");
                object.remove("configMap");
                String name = object.path("name").asString("");
                object.putObject("hostPath").put("path", site.volumes() + "/" + name);
                volumes.add(new StaticPod.Volume(name, ImmutableList.of()));
            }
        }
        return ImmutableList.copyOf(volumes);
    }
}
