package dev.kip.controller.world;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.TemplateContent;
import dev.kip.cloud.CloudApi.TemplateFacts;
import dev.kip.cloud.CloudApi.TemplateVersion;
import dev.kip.cloud.CloudApi.TemplateVersionFacts;
import dev.kip.cloud.CloudApi.TemplateVersionPage;
import dev.kip.cloud.CloudError;
import dev.kip.outcome.Outcome;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Launch templates with versions, as EC2 keeps them: the default version cannot be deleted, numbers are never used again. */
final class FakeTemplates {

    private final Map<String, Template> byId = new LinkedHashMap<>();
    private int counter;
    private boolean deletionsRefused;

    /** As an emulator does that does not know them. */
    void refuseDeletions() {
        deletionsRefused = true;
    }

    private static final class Template {
        private final String id;
        private final String name;
        private final ImmutableMap<String, String> tags;
        private final TreeMap<Integer, TemplateContent> versions = new TreeMap<>();
        private int last;
        private int standard = 1;

        Template(String id, TemplateContent content) {
            this.id = id;
            this.name = content.name();
            this.tags = content.tags();
        }

        TemplateVersion add(TemplateContent content) {
            versions.put(++last, content);
            return new TemplateVersion(id, name, Integer.toString(last));
        }
    }

    private Optional<Template> named(String name) {
        return byId.values().stream()
                .filter(template -> template.name.equals(name))
                .findFirst();
    }

    ImmutableList<String> names() {
        return byId.values().stream().map(template -> template.name).collect(ImmutableList.toImmutableList());
    }

    /** What the versions of all templates say of themselves. */
    ImmutableList<String> descriptions() {
        return byId.values().stream()
                .flatMap(template -> template.versions.values().stream())
                .map(TemplateContent::versionDescription)
                .collect(ImmutableList.toImmutableList());
    }

    boolean has(String templateId, String version) {
        return Optional.ofNullable(byId.get(templateId))
                .filter(template -> template.versions.containsKey(Integer.parseInt(version)))
                .isPresent();
    }

    Outcome<TemplateVersion, CloudError> create(TemplateContent content) {
        if (named(content.name()).isPresent()) {
            return Outcome.failed(new CloudError.AlreadyExists(content.name()));
        }
        Template template = new Template("lt-" + ++counter, content);
        byId.put(template.id, template);
        return Outcome.ok(template.add(content));
    }

    Outcome<TemplateVersion, CloudError> addVersion(TemplateContent content) {
        return named(content.name())
                .map(template -> Outcome.<TemplateVersion, CloudError>ok(template.add(content)))
                .orElseGet(() -> Outcome.failed(new CloudError.NotFound(content.name())));
    }

    ImmutableList<TemplateFacts> with(ImmutableMap<String, String> tags) {
        return byId.values().stream()
                .filter(template -> template.tags.entrySet().containsAll(tags.entrySet()))
                .map(template -> new TemplateFacts(
                        template.id,
                        template.name,
                        Integer.toString(template.last),
                        Integer.toString(template.standard),
                        template.tags))
                .collect(ImmutableList.toImmutableList());
    }

    Outcome<TemplateVersionPage, CloudError> versions(String templateId) {
        return on(templateId, template -> {
            ImmutableList.Builder<TemplateVersionFacts> all = ImmutableList.builder();
            template.versions
                    .descendingMap()
                    .forEach((number, content) -> all.add(new TemplateVersionFacts(
                            Integer.toString(number),
                            content.versionDescription(),
                            number == template.standard,
                            Instant.EPOCH)));
            return Outcome.ok(new TemplateVersionPage(all.build(), ""));
        });
    }

    Outcome<Boolean, CloudError> setDefault(String templateId, String version) {
        return on(templateId, template -> {
            template.standard = Integer.parseInt(version);
            return Outcome.ok(true);
        });
    }

    Outcome<ImmutableList<String>, CloudError> deleteVersions(String templateId, ImmutableList<String> versions) {
        if (deletionsRefused) {
            return Outcome.failed(new CloudError.Failing("DeleteLaunchTemplateVersions: not implemented"));
        }
        return on(templateId, template -> {
            ImmutableList.Builder<String> gone = ImmutableList.builder();
            for (String version : versions) {
                int number = Integer.parseInt(version);
                if (number != template.standard) {
                    template.versions.remove(number);
                    gone.add(version);
                }
            }
            return Outcome.ok(gone.build());
        });
    }

    Outcome<Boolean, CloudError> delete(String templateId) {
        return on(templateId, template -> {
            byId.remove(templateId);
            return Outcome.ok(true);
        });
    }

    private <T> Outcome<T, CloudError> on(String templateId, Function<Template, Outcome<T, CloudError>> then) {
        return Optional.ofNullable(byId.get(templateId))
                .map(then)
                .orElseGet(() -> Outcome.failed(new CloudError.NotFound(templateId)));
    }
}
