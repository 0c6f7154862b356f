package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.TemplateContent;
import dev.kip.cloud.CloudApi.TemplateVersion;
import dev.kip.cloud.CloudApi.TemplateVersionFacts;
import dev.kip.cloud.CloudError;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.ownership.Mandate;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has one version of each template made for this epoch, when it is first needed; that becomes the default, and older ones
 * go before anything is launched from it. So a launch of an older incarnation that comes late names a version that is there
 * no more, and the cloud itself refuses it. Templates that only older incarnations used go as well. Confined to the loop.
 */
final class TemplateDesk {

    private static final Logger LOG = LoggerFactory.getLogger(TemplateDesk.class);

    /** In one call. */
    private static final int MOST_VERSIONS = 200;

    private final Loop loop;
    private final CloudEffects cloud;
    private final Templates templates;
    private final long epoch;
    private final Supplier<Mandate> mandate;
    private final Map<String, Templates.Ready> ready = new LinkedHashMap<>();
    private final Map<String, List<Waiting>> making = new LinkedHashMap<>();

    private record Waiting(Consumer<Templates.Ready> ready, Consumer<CloudError> failed) {}

    TemplateDesk(Loop loop, CloudEffects cloud, Templates templates, long epoch, Supplier<Mandate> mandate) {
        this.loop = loop;
        this.cloud = cloud;
        this.templates = templates;
        this.epoch = epoch;
        this.mandate = mandate;
    }

    void prepare(LaunchKey key, Catalogue catalogue, Consumer<Templates.Ready> whenReady, Consumer<CloudError> failed) {
        @Nullable ImageFacts image = catalogue.images().get(key.architecture());
        if (image == null) {
            failed.accept(new CloudError.Refused("NoImage", "there is no image for " + key.architecture()));
            return;
        }
        TemplateContent content = templates.contentOf(key, image);
        Templates.@Nullable Ready known = ready.get(content.name());
        if (known != null) {
            whenReady.accept(known);
            return;
        }
        boolean first = !making.containsKey(content.name());
        making.computeIfAbsent(content.name(), name -> new ArrayList<>()).add(new Waiting(whenReady, failed));
        if (first) {
            create(content);
        }
    }

    /** What was made may be gone: it is made again when it is needed. */
    void forget() {
        ready.clear();
    }

    private void create(TemplateContent content) {
        cloud.createTemplate(
                content, mandate.get(), () -> expired(content), version -> made(content, version), error -> {
                    if (error instanceof CloudError.AlreadyExists) {
                        addVersion(content);
                    } else {
                        failed(content, error);
                    }
                });
    }

    private void addVersion(TemplateContent content) {
        cloud.createTemplateVersion(
                content,
                mandate.get(),
                () -> expired(content),
                version -> fence(content, version),
                error -> failed(content, error));
    }

    private void fence(TemplateContent content, TemplateVersion version) {
        cloud.templateVersions(
                version.templateId(),
                versions -> {
                    boolean replaced =
                            versions.stream().anyMatch(other -> Templates.epochOf(other.description()) > epoch);
                    ImmutableList<String> others = versions.stream()
                            .map(TemplateVersionFacts::version)
                            .filter(other -> !other.equals(version.version()))
                            .limit(MOST_VERSIONS)
                            .collect(ImmutableList.toImmutableList());
                    if (replaced) {
                        failed(
                                content,
                                new CloudError.Unauthorized("template " + content.name()
                                        + " has a version of a later epoch than " + epoch
                                        + ": another controller has taken over"));
                    } else {
                        makeDefault(content, version, others);
                    }
                },
                error -> unfenced(content, version, error));
    }

    private void makeDefault(TemplateContent content, TemplateVersion version, ImmutableList<String> others) {
        cloud.setDefaultTemplateVersion(
                version,
                mandate.get(),
                () -> deleteOthers(content, version, others),
                error -> unfenced(content, version, error));
    }

    private void deleteOthers(TemplateContent content, TemplateVersion version, ImmutableList<String> others) {
        if (others.isEmpty()) {
            made(content, version);
            return;
        }
        cloud.deleteTemplateVersions(
                version.templateId(),
                others,
                mandate.get(),
                gone -> made(content, version),
                error -> unfenced(content, version, error));
    }

    /** The fence is one of several: pods do not wait for it. */
    private void unfenced(TemplateContent content, TemplateVersion version, CloudError error) {
        if (mandate.get().expired(loop.nanos())) {
            expired(content);
            return;
        }
        LOG.warn(
                "older versions of template {} stay: {}; a late launch of an older incarnation would be let through, and its"
                        + " instances would stay inert",
                content.name(),
                error.message());
        made(content, version);
    }

    /** Deletes the templates of this node that no launch of this incarnation has needed so far. */
    void sweep(ImmutableMap<String, String> tags) {
        cloud.describeTemplates(
                tags,
                all -> all.stream()
                        .filter(template -> !ready.containsKey(template.name()) && !making.containsKey(template.name()))
                        .forEach(template -> cloud.deleteTemplate(
                                template.templateId(),
                                mandate.get(),
                                () -> LOG.info("template {} of an earlier incarnation is deleted", template.name()),
                                error -> LOG.info("template {} stays: {}", template.name(), error.message()))),
                error -> LOG.info("templates of earlier incarnations stay: {}", error.message()));
    }

    private void made(TemplateContent content, TemplateVersion version) {
        Templates.Ready usable = new Templates.Ready(version.templateId(), version.version());
        ready.put(content.name(), usable);
        waitingFor(content).forEach(waiting -> waiting.ready().accept(usable));
    }

    private void expired(TemplateContent content) {
        failed(content, new CloudError.Throttled(Duration.ZERO, "the lease is over"));
    }

    private void failed(TemplateContent content, CloudError error) {
        waitingFor(content).forEach(waiting -> waiting.failed().accept(error));
    }

    private List<Waiting> waitingFor(TemplateContent content) {
        @Nullable List<Waiting> waiting = making.remove(content.name());
        return waiting == null ? List.of() : waiting;
    }
}
