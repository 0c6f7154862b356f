package dev.kip.controller.explain;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.TemplateFacts;
import dev.kip.controller.launch.Catalogue;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is read only to explain one thing.
 *
 * @param templates of our installation; empty if they could not be read
 * @param events about the pod, as the API server has them
 * @param everything no list is cut short
 * @param catalogue what can be launched; empty if it could not be read, or nothing is to be launched
 */
public record Closer(
        Optional<ImmutableList<TemplateFacts>> templates,
        ImmutableList<ObjectNode> events,
        Optional<Catalogue> catalogue,
        boolean everything) {}
