package dev.kip.controller.explain;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.TemplateFacts;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is read only to explain one thing.
 *
 * @param templates of our installation; empty if they could not be read
 * @param events about the pod, as the API server has them
 */
public record Closer(Optional<ImmutableList<TemplateFacts>> templates, ImmutableList<ObjectNode> events) {}
