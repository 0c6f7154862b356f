package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.sim.aws.Xml;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The tags of every resource, by resource id. */
final class Tags {

    private static final int MOST = 50;
    private static final int MOST_RESOURCES = 1000;

    private final Map<String, Map<String, String>> tags = new TreeMap<>();
    private final Predicate<String> exists;

    /** @param exists whether there is a resource of that id */
    Tags(Predicate<String> exists) {
        this.exists = exists;
    }

    Map<String, String> of(String resource) {
        Map<String, String> found = tags.get(resource);
        return found == null ? ImmutableMap.of() : found;
    }

    /** @throws Ec2Failure if EC2 would refuse them; nothing is changed then */
    void put(String resource, Map<String, String> added) {
        check(resource, added);
        if (!added.isEmpty()) {
            tags.computeIfAbsent(resource, any -> new TreeMap<>()).putAll(added);
        }
    }

    /** Tags of EC2's own, which users cannot set. */
    void putReserved(String resource, String key, String value) {
        tags.computeIfAbsent(resource, any -> new TreeMap<>()).put(key, value);
    }

    void forget(String resource) {
        tags.remove(resource);
    }

    Map<String, Map<String, String>> all() {
        return tags;
    }

    private void check(String resource, Map<String, String> added) {
        added.forEach(Tags::check);
        TreeMap<String, String> result = new TreeMap<>(of(resource));
        result.putAll(added);
        if (result.keySet().stream().filter(key -> !key.startsWith("aws:")).count() > MOST) {
            throw new Ec2Failure("TagLimitExceeded", "The maximum number of Tags for a resource has been reached.");
        }
    }

    static void check(String key, String value) {
        if (key.toLowerCase(Locale.ROOT).startsWith("aws:")) {
            throw Ec2Failure.invalidValue("Value ( " + key
                    + " ) for parameter key is invalid. Tag keys starting with 'aws:' are reserved for internal use");
        }
        if (key.isEmpty() || key.length() > 128) {
            throw Ec2Failure.invalidValue("Value ( " + key
                    + " ) for parameter key is invalid. Tag keys must be between 1 and 128 characters in length.");
        }
        if (value.length() > 256) {
            throw Ec2Failure.invalidValue("Value ( " + value
                    + " ) for parameter value is invalid. Tag values exceed the maximum length of 256 characters");
        }
    }

    /** {@code Tag.N.Key} and {@code .Value}. */
    static ImmutableMap<String, String> read(Params params) {
        ImmutableMap.Builder<String, String> read = ImmutableMap.builder();
        params.children("Tag")
                .forEach(tag -> read.put(
                        tag.values().getOrDefault("Key", ""), tag.values().getOrDefault("Value", "")));
        ImmutableMap<String, String> tags = read.buildKeepingLast();
        tags.forEach(Tags::check);
        return tags;
    }

    /** The tags that {@code TagSpecification.N} gives to resources of this type. */
    static ImmutableMap<String, String> specified(Params params, String resourceType) {
        ImmutableMap.Builder<String, String> read = ImmutableMap.builder();
        for (Params specification : params.children("TagSpecification")) {
            if (specification.required("ResourceType").equals(resourceType)) {
                read.putAll(read(specification));
            }
        }
        return read.buildKeepingLast();
    }

    /** @throws Ec2Failure for a type that this call does not create */
    static void checkTypes(Params params, ImmutableSet<String> types) {
        for (Params specification : params.children("TagSpecification")) {
            String type = specification.required("ResourceType");
            if (!types.contains(type)) {
                throw Ec2Failure.invalidValue(
                        "'" + type + "' is not a valid taggable resource type for this operation.");
            }
        }
    }

    void write(Xml xml, String resource) {
        Map<String, String> own = of(resource);
        if (!own.isEmpty()) {
            xml.items(
                    "tagSet",
                    own.entrySet(),
                    (item, tag) -> item.put("key", tag.getKey()).put("value", tag.getValue()));
        }
    }

    void create(Params params, Xml xml) {
        ImmutableList<String> resources = resources(params);
        ImmutableMap<String, String> added = read(params);
        if (added.isEmpty()) {
            throw Ec2Failure.missing("Tag");
        }
        resources.forEach(resource -> check(resource, added));
        resources.forEach(resource -> put(resource, added));
        xml.put("return", true);
    }

    void delete(Params params, Xml xml) {
        ImmutableList<String> resources = resources(params);
        for (String resource : resources) {
            Map<String, String> own = tags.getOrDefault(resource, new TreeMap<>());
            if (params.children("Tag").isEmpty()) {
                own.keySet().removeIf(key -> !key.startsWith("aws:"));
            }
            for (Params tag : params.children("Tag")) {
                String key = tag.required("Key");
                if (!tag.values().containsKey("Value")
                        || tag.values().get("Value").equals(own.get(key))) {
                    own.remove(key);
                }
            }
        }
        xml.put("return", true);
    }

    void describe(Params params, Xml xml) {
        ImmutableList.Builder<Row> rows = ImmutableList.builder();
        tags.forEach((resource, own) -> own.forEach((key, value) -> rows.add(new Row(resource, key, value))));
        Filters<Row> filters = new Filters<>(
                ImmutableMap.of(
                        "resource-id", row -> ImmutableList.of(row.resource),
                        "resource-type", row -> ImmutableList.of(type(row.resource)),
                        "key", row -> ImmutableList.of(row.key),
                        "value", row -> ImmutableList.of(row.value)),
                row -> ImmutableMap.of(row.key, row.value));
        Pages.Page<Row> page = Pages.of(
                params, filters.select(params, rows.build()), row -> row.resource + " " + row.key, 5, 1000, 1000);
        xml.items(
                "tagSet",
                page.items(),
                (item, row) -> item.put("resourceId", row.resource)
                        .put("resourceType", type(row.resource))
                        .put("key", row.key)
                        .put("value", row.value));
        xml.put("nextToken", page.nextToken());
    }

    private ImmutableList<String> resources(Params params) {
        ImmutableList<String> resources = params.list("ResourceId");
        if (resources.isEmpty()) {
            throw Ec2Failure.missing("ResourceId");
        }
        if (resources.size() > MOST_RESOURCES) {
            throw Ec2Failure.invalidValue("At most 1000 resources can be tagged in one call");
        }
        for (String resource : resources) {
            if (!exists.test(resource)) {
                throw notFound(resource);
            }
        }
        return resources;
    }

    private static Ec2Failure notFound(String id) {
        return switch (type(id)) {
            case "instance" ->
                new Ec2Failure("InvalidInstanceID.NotFound", "The instance ID '" + id + "' does not exist");
            case "volume" -> new Ec2Failure("InvalidVolume.NotFound", "The volume '" + id + "' does not exist.");
            case "security-group" ->
                new Ec2Failure("InvalidGroup.NotFound", "The security group '" + id + "' does not exist");
            case "launch-template" ->
                new Ec2Failure(
                        "InvalidLaunchTemplateId.NotFound", "The launch template ID '" + id + "' does not exist");
            default -> new Ec2Failure("InvalidID", "The ID '" + id + "' is not valid");
        };
    }

    private static String type(String id) {
        return switch (id.contains("-") ? id.substring(0, id.indexOf('-')) : "") {
            case "i" -> "instance";
            case "vol" -> "volume";
            case "eni" -> "network-interface";
            case "sg" -> "security-group";
            case "lt" -> "launch-template";
            case "subnet" -> "subnet";
            case "vpc" -> "vpc";
            case "ami" -> "image";
            default -> "unknown";
        };
    }

    private record Row(String resource, String key, String value) {}
}
