package dev.kip.controller.launch;

import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.TemplateContent;
import dev.kip.cloud.CloudApi.TemplateVersion;
import dev.kip.cloud.CloudError;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.ownership.Mandate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Has one version of each template made for this epoch, when it is first needed. Confined to the loop. */
final class TemplateDesk {

    private final CloudEffects cloud;
    private final Templates templates;
    private final Supplier<Mandate> mandate;
    private final Map<String, Templates.Ready> ready = new LinkedHashMap<>();
    private final Map<String, List<Waiting>> making = new LinkedHashMap<>();

    private record Waiting(Consumer<Templates.Ready> ready, Consumer<CloudError> failed) {}

    TemplateDesk(CloudEffects cloud, Templates templates, Supplier<Mandate> mandate) {
        this.cloud = cloud;
        this.templates = templates;
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
                version -> made(content, version),
                error -> failed(content, error));
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
