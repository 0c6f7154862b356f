package dev.kip.controller.drain;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.TemplateFacts;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes the launch templates. */
final class TemplatesStep implements Step {

    private static final Logger LOG = LoggerFactory.getLogger(TemplatesStep.class);

    private final Room room;

    TemplatesStep(Room room) {
        this.room = room;
    }

    @Override
    public String name() {
        return "DeletingTemplates";
    }

    @Override
    public void attempt(Scope scope, Verdict verdict) {
        room.cloud()
                .describeTemplates(
                        scope.tags(),
                        all -> delete(all, verdict),
                        error -> verdict.waiting("the launch templates could not be listed: " + error.message()));
    }

    private void delete(ImmutableList<TemplateFacts> all, Verdict verdict) {
        if (all.isEmpty()) {
            verdict.done();
            return;
        }
        for (TemplateFacts template : all) {
            room.cloud()
                    .deleteTemplate(
                            template.templateId(),
                            room.cloudMandate().get(),
                            () -> {},
                            error -> LOG.info("delete template {}: {}", template.name(), error.message()));
        }
        verdict.waiting(all.size() + " launch templates are being deleted");
    }
}
