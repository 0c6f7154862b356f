package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.loop.Loop;
import dev.kip.sim.aws.Ids;
import dev.kip.sim.aws.Xml;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Launch templates: numbered versions that never change. */
final class LaunchTemplates {

    private static final int MOST_DELETED = 200;
    private static final String DATA = "LaunchTemplateData";

    private final TreeMap<String, Template> templates = new TreeMap<>();
    private final Map<String, Remembered> tokens = new TreeMap<>();
    private final Ids ids;
    private final Tags tags;
    private final Loop loop;
    private final String account;
    private final Filters<Template> filters;

    LaunchTemplates(Ids ids, Tags tags, Loop loop, String account) {
        this.ids = ids;
        this.tags = tags;
        this.loop = loop;
        this.account = account;
        this.filters = new Filters<>(
                ImmutableMap.<String, Function<Template, Collection<String>>>of(
                        "launch-template-name", template -> ImmutableList.of(template.name),
                        "create-time", template -> ImmutableList.of(template.created.toString())),
                template -> tags.of(template.id));
    }

    /** A version. Part of a snapshot. */
    record Version(int number, String description, Instant created, Map<String, String> data) {}

    /** A template; the key of {@code versions} is their number. Part of a snapshot. */
    record Template(
            String id,
            String name,
            Instant created,
            int defaultVersion,
            int latest,
            TreeMap<Integer, Version> versions) {

        Template withDefault(int version) {
            return new Template(id, name, created, version, latest, versions);
        }

        Template with(Version version) {
            TreeMap<Integer, Version> more = new TreeMap<>(versions);
            more.put(version.number, version);
            return new Template(id, name, created, defaultVersion, version.number, more);
        }

        Template without(int version) {
            TreeMap<Integer, Version> fewer = new TreeMap<>(versions);
            fewer.remove(version);
            return new Template(id, name, created, defaultVersion, latest, fewer);
        }
    }

    /** What a client token was used for. Part of a snapshot. */
    record Remembered(String parameters, String template, int version) {}

    Map<String, Template> all() {
        return templates;
    }

    Map<String, Remembered> tokens() {
        return tokens;
    }

    /** The template and version that a launch names with {@code LaunchTemplateId} or {@code LaunchTemplateName}, {@code Version}. */
    Template named(Params params) {
        Optional<String> id = params.optional("LaunchTemplateId");
        if (id.isPresent()) {
            if (params.optional("LaunchTemplateName").isPresent()) {
                throw Ec2Failure.combination(
                        "Only one of Launch Template ID or Launch Template Name can be specified for the request.");
            }
            if (!Ids.wellFormed("lt", id.get())) {
                throw Ec2Failure.malformed("InvalidLaunchTemplateId.Malformed", id.get(), "lt");
            }
            return Optional.ofNullable(templates.get(id.get()))
                    .orElseThrow(() -> new Ec2Failure(
                            "InvalidLaunchTemplateId.NotFound",
                            "The specified launch template, with template ID " + id.get() + ", does not exist."));
        }
        String name = params.optional("LaunchTemplateName")
                .orElseThrow(() -> new Ec2Failure(
                        "MissingParameter",
                        "Either the launch template ID or the launch template name must be specified."));
        return byName(name)
                .orElseThrow(() -> new Ec2Failure(
                        "InvalidLaunchTemplateName.NotFoundException",
                        "The specified launch template, with template name " + name + ", does not exist."));
    }

    private Optional<Template> byName(String name) {
        return templates.values().stream()
                .filter(template -> template.name.equals(name))
                .findFirst();
    }

    static Version version(Template template, String wanted) {
        Optional<Integer> number = switch (wanted) {
            case "$Latest" -> Optional.of(template.versions.lastKey());
            case "$Default" -> Optional.of(template.defaultVersion);
            default -> wanted.matches("[0-9]{1,9}") ? Optional.of(Integer.valueOf(wanted)) : Optional.empty();
        };
        return number.flatMap(n -> Optional.ofNullable(template.versions.get(n)))
                .orElseThrow(() -> new Ec2Failure(
                        "InvalidLaunchTemplateId.VersionNotFound",
                        "Could not find launch template version " + wanted + " of " + template.id));
    }

    void create(Params params, Xml xml) {
        String name = params.required("LaunchTemplateName");
        if (!name.matches("[a-zA-Z0-9().\\-/_]{3,128}")) {
            throw new Ec2Failure(
                    "InvalidLaunchTemplateName.MalformedException",
                    "A launch template name must be between 3 and 128 characters, and may contain letters, numbers, and the following characters: - ( ) . / _.");
        }
        Optional<Remembered> before = remembered("create", params);
        if (before.isPresent()) {
            Template template = named(new Params(ImmutableMap.of("LaunchTemplateId", before.get().template)));
            xml.in("launchTemplate", one -> write(one, template));
            return;
        }
        Tags.checkTypes(params, ImmutableSet.of("launch-template"));
        ImmutableMap<String, String> wanted = Tags.specified(params, "launch-template");
        if (byName(name).isPresent()) {
            throw new Ec2Failure(
                    "InvalidLaunchTemplateName.AlreadyExistsException", "Launch template name already in use.");
        }
        Params data = data(params);
        Template template = empty(ids.next("lt"), name)
                .with(new Version(1, params.optional("VersionDescription").orElse(""), loop.now(), data.values()));
        tags.put(template.id, wanted);
        templates.put(template.id, template);
        remember("create", params, template.id, 1);
        xml.in("launchTemplate", one -> write(one, template));
    }

    void createVersion(Params params, Xml xml) {
        Template template = named(params);
        Optional<Remembered> before = remembered("version", params);
        if (before.isPresent()) {
            Version version = version(template, String.valueOf(before.get().version));
            xml.in("launchTemplateVersion", one -> write(one, template, version));
            return;
        }
        Params data = data(params);
        Params merged = params.optional("SourceVersion")
                .map(source -> data.over(new Params(version(template, source).data)))
                .orElse(data);
        Version version = new Version(
                template.latest + 1, params.optional("VersionDescription").orElse(""), loop.now(), merged.values());
        Template more = template.with(version);
        templates.put(template.id, more);
        remember("version", params, template.id, version.number);
        xml.in("launchTemplateVersion", one -> write(one, more, version));
    }

    void modify(Params params, Xml xml) {
        Template template = named(params);
        Version chosen = version(template, params.required("SetDefaultVersion"));
        Template changed = template.withDefault(chosen.number);
        templates.put(template.id, changed);
        xml.in("launchTemplate", one -> write(one, changed));
    }

    void delete(Params params, Xml xml) {
        Template template = named(params);
        templates.remove(template.id);
        xml.in("launchTemplate", one -> write(one, template));
        tags.forget(template.id);
    }

    void deleteVersions(Params params, Xml xml) {
        Template template = named(params);
        ImmutableList<String> wanted = params.list("LaunchTemplateVersion");
        if (wanted.isEmpty()) {
            throw Ec2Failure.missing("LaunchTemplateVersion");
        }
        if (wanted.size() > MOST_DELETED) {
            throw Ec2Failure.invalidValue("At most 200 versions can be deleted in one call");
        }
        ImmutableList.Builder<Version> gone = ImmutableList.builder();
        ImmutableList.Builder<Map.Entry<String, String>> kept = ImmutableList.builder();
        Template left = template;
        for (String number : wanted) {
            Optional<Version> version = Optional.ofNullable(
                    number.matches("[0-9]{1,9}") ? left.versions.get(Integer.valueOf(number)) : null);
            if (version.isEmpty()) {
                kept.add(Map.entry(number, "launchTemplateVersionDoesNotExist"));
            } else if (version.get().number == left.defaultVersion) {
                kept.add(Map.entry(number, "unexpectedError"));
            } else {
                gone.add(version.get());
                left = left.without(version.get().number);
            }
        }
        templates.put(left.id, left);
        xml.items(
                "successfullyDeletedLaunchTemplateVersionSet",
                gone.build(),
                (item, version) -> item.put("launchTemplateId", template.id)
                        .put("launchTemplateName", template.name)
                        .put("versionNumber", version.number));
        xml.items(
                "unsuccessfullyDeletedLaunchTemplateVersionSet",
                kept.build(),
                (item, version) -> item.put("launchTemplateId", template.id)
                        .put("launchTemplateName", template.name)
                        .put("versionNumber", version.getKey())
                        .in(
                                "responseError",
                                error -> error.put("code", version.getValue())
                                        .put("message", "Version " + version.getKey() + " cannot be deleted")));
    }

    void describe(Params params, Xml xml) {
        ImmutableList<String> wantedIds = params.list("LaunchTemplateId");
        ImmutableList<String> wantedNames = params.list("LaunchTemplateName");
        wantedIds.forEach(id -> named(new Params(ImmutableMap.of("LaunchTemplateId", id))));
        wantedNames.forEach(name -> named(new Params(ImmutableMap.of("LaunchTemplateName", name))));
        ImmutableList<Template> chosen = filters.select(params, templates.values()).stream()
                .filter(template -> wantedIds.isEmpty() || wantedIds.contains(template.id))
                .filter(template -> wantedNames.isEmpty() || wantedNames.contains(template.name))
                .collect(ImmutableList.toImmutableList());
        Pages.Page<Template> page = Pages.of(params, chosen, template -> template.id, 1, 200, 200);
        xml.items("launchTemplates", page.items(), this::write);
        xml.put("nextToken", page.nextToken());
    }

    void describeVersions(Params params, Xml xml) {
        Template template = named(params);
        ImmutableList<String> wanted = params.list("LaunchTemplateVersion");
        ImmutableList<Version> chosen = wanted.isEmpty()
                ? ImmutableList.copyOf(template.versions.descendingMap().values())
                : wanted.stream()
                        .map(number -> version(template, number))
                        .sorted(Comparator.comparing(LaunchTemplates::newestFirst))
                        .collect(ImmutableList.toImmutableList());
        Pages.Page<Version> page = Pages.of(params, chosen, LaunchTemplates::newestFirst, 1, 200, 200);
        xml.items("launchTemplateVersionSet", page.items(), (item, version) -> write(item, template, version));
        xml.put("nextToken", page.nextToken());
    }

    private static String newestFirst(Version version) {
        return String.format(Locale.ROOT, "%010d", Integer.MAX_VALUE - version.number);
    }

    private void write(Xml xml, Template template) {
        xml.put("launchTemplateId", template.id)
                .put("launchTemplateName", template.name)
                .put("createTime", template.created.toString())
                .put("createdBy", "arn:aws:iam::" + account + ":root")
                .put("defaultVersionNumber", template.defaultVersion)
                .put("latestVersionNumber", template.latest);
        tags.write(xml, template.id);
    }

    private void write(Xml xml, Template template, Version version) {
        xml.put("launchTemplateId", template.id)
                .put("launchTemplateName", template.name)
                .put("versionNumber", version.number)
                .put("versionDescription", version.description)
                .put("createTime", version.created.toString())
                .put("createdBy", "arn:aws:iam::" + account + ":root")
                .put("defaultVersion", version.number == template.defaultVersion)
                .in("launchTemplateData", data -> ParamsXml.write(data, new Params(version.data)));
    }

    private static Params data(Params params) {
        Params data = params.below(DATA);
        if (data.isEmpty()) {
            throw Ec2Failure.missing(DATA);
        }
        return data;
    }

    private Template empty(String id, String name) {
        return new Template(id, name, loop.now(), 1, 0, new TreeMap<>());
    }

    private Optional<Remembered> remembered(String kind, Params params) {
        Optional<Remembered> before =
                params.optional("ClientToken").flatMap(token -> Optional.ofNullable(tokens.get(kind + " " + token)));
        before.filter(then -> !then.parameters.equals(parameters(params))).ifPresent(other -> {
            throw new Ec2Failure(
                    "IdempotentParameterMismatch",
                    "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).");
        });
        return before.filter(then -> templates.containsKey(then.template));
    }

    private void remember(String kind, Params params, String template, int version) {
        params.optional("ClientToken")
                .ifPresent(
                        token -> tokens.put(kind + " " + token, new Remembered(parameters(params), template, version)));
    }

    private static String parameters(Params params) {
        return params.canonical(ImmutableList.of("ClientToken", "Action", "Version"));
    }
}
