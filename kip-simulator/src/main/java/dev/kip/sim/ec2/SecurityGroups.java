package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.sim.aws.Ids;
import dev.kip.sim.aws.Xml;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** Security groups and their ingress rules. */
final class SecurityGroups {

    private static final String DEFAULT = "sg-0d1e2f3a4b5c60001";

    private final TreeMap<String, Group> groups = new TreeMap<>();
    private final Ids ids;
    private final Network network;
    private final Tags tags;
    private final String account;
    private final Predicate<String> inUse;
    private final Filters<Group> filters;

    /** @param inUse whether an instance is a member of the group of that id */
    SecurityGroups(Ids ids, Network network, Tags tags, String account, Predicate<String> inUse) {
        this.ids = ids;
        this.network = network;
        this.tags = tags;
        this.account = account;
        this.inUse = inUse;
        groups.put(DEFAULT, new Group(DEFAULT, "default", "default VPC security group", new ArrayList<>()));
        this.filters = new Filters<>(
                ImmutableMap.<String, Function<Group, Collection<String>>>builder()
                        .put("group-id", group -> ImmutableList.of(group.id))
                        .put("group-name", group -> ImmutableList.of(group.name))
                        .put("description", group -> ImmutableList.of(group.description))
                        .put("vpc-id", group -> ImmutableList.of(Network.VPC))
                        .put("owner-id", group -> ImmutableList.of(account))
                        .put(
                                "ip-permission.cidr",
                                group -> group.rules.stream()
                                        .map(rule -> rule.source)
                                        .collect(ImmutableList.toImmutableList()))
                        .buildOrThrow(),
                group -> tags.of(group.id));
    }

    /** A group. Part of a snapshot. */
    record Group(String id, String name, String description, List<Rule> rules) {}

    /**
     * One ingress rule.
     *
     * @param source a CIDR or a group's id
     */
    record Rule(String protocol, int from, int to, String source) {}

    Map<String, Group> all() {
        return groups;
    }

    String byDefault() {
        return DEFAULT;
    }

    Group require(String id) {
        if (!Ids.wellFormed("sg", id)) {
            throw Ec2Failure.malformed("InvalidGroupId.Malformed", id, "sg");
        }
        return Optional.ofNullable(groups.get(id))
                .orElseThrow(() ->
                        new Ec2Failure("InvalidGroup.NotFound", "The security group '" + id + "' does not exist"));
    }

    void create(Params params, Xml xml) {
        String name = params.required("GroupName");
        String description = params.required("GroupDescription");
        String vpc = params.optional("VpcId").orElse(Network.VPC);
        network.requireVpc(vpc);
        Tags.checkTypes(params, ImmutableSet.of("security-group"));
        ImmutableMap<String, String> wanted = Tags.specified(params, "security-group");
        if (name.startsWith("sg-") || name.length() > 255) {
            throw Ec2Failure.invalidValue("Invalid security group name '" + name + "'");
        }
        if (groups.values().stream().anyMatch(group -> group.name.equals(name))) {
            throw new Ec2Failure(
                    "InvalidGroup.Duplicate", "The security group '" + name + "' already exists for VPC '" + vpc + "'");
        }
        String id = ids.next("sg");
        tags.put(id, wanted);
        groups.put(id, new Group(id, name, description, new ArrayList<>()));
        xml.put("return", true).put("groupId", id);
        tags.write(xml, id);
    }

    void delete(Params params, Xml xml) {
        Group group = named(params);
        if (group.id.equals(DEFAULT)) {
            throw new Ec2Failure(
                    "CannotDelete",
                    "the specified group: \"" + DEFAULT + "\" name: \"default\" cannot be deleted by a user");
        }
        boolean referenced = groups.values().stream()
                .anyMatch(other -> !other.id.equals(group.id)
                        && other.rules.stream().anyMatch(rule -> rule.source.equals(group.id)));
        if (referenced || inUse.test(group.id)) {
            throw new Ec2Failure("DependencyViolation", "resource " + group.id + " has a dependent object");
        }
        groups.remove(group.id);
        tags.forget(group.id);
        xml.put("return", true).put("groupId", group.id);
    }

    void authorize(Params params, Xml xml) {
        Group group = named(params);
        ImmutableList<Rule> wanted = rules(params);
        for (Rule rule : wanted) {
            if (group.rules.contains(rule)) {
                throw new Ec2Failure(
                        "InvalidPermission.Duplicate",
                        "the specified rule \"peer: " + rule.source + ", "
                                + rule.protocol.toUpperCase(Locale.ROOT) + ", from port: " + rule.from
                                + ", to port: " + rule.to + ", ALLOW\" already exists");
            }
        }
        group.rules.addAll(wanted);
        xml.put("return", true);
    }

    void revoke(Params params, Xml xml) {
        Group group = named(params);
        ImmutableList<Rule> unwanted = rules(params);
        if (!group.rules.containsAll(unwanted)) {
            throw new Ec2Failure(
                    "InvalidPermission.NotFound", "The specified rule does not exist in this security group.");
        }
        group.rules.removeAll(unwanted);
        xml.put("return", true);
    }

    void describe(Params params, Xml xml) {
        ImmutableList<String> wanted = params.list("GroupId");
        wanted.forEach(this::require);
        ImmutableList<String> names = params.list("GroupName");
        ImmutableList<Group> chosen = filters.select(params, groups.values()).stream()
                .filter(group -> wanted.isEmpty() || wanted.contains(group.id))
                .filter(group -> names.isEmpty() || names.contains(group.name))
                .collect(ImmutableList.toImmutableList());
        Pages.Page<Group> page = Pages.of(params, chosen, group -> group.id, 5, 1000, 1000);
        xml.items("securityGroupInfo", page.items(), (item, group) -> {
            item.put("ownerId", account)
                    .put("groupId", group.id)
                    .put("groupName", group.name)
                    .put("groupDescription", group.description)
                    .put("vpcId", Network.VPC)
                    .items("ipPermissions", group.rules, SecurityGroups::write)
                    .items(
                            "ipPermissionsEgress",
                            ImmutableList.of("0.0.0.0/0"),
                            (rule, cidr) -> rule.put("ipProtocol", "-1")
                                    .items(
                                            "ipRanges",
                                            ImmutableList.of(cidr),
                                            (range, one) -> range.put("cidrIp", one)));
            tags.write(item, group.id);
        });
        xml.put("nextToken", page.nextToken());
    }

    private static void write(Xml xml, Rule rule) {
        xml.put("ipProtocol", rule.protocol);
        if (!rule.protocol.equals("-1")) {
            xml.put("fromPort", rule.from).put("toPort", rule.to);
        }
        boolean group = rule.source.startsWith("sg-");
        ImmutableList<String> source = ImmutableList.of(rule.source);
        xml.items("groups", group ? source : ImmutableList.of(), (item, id) -> item.put("groupId", id));
        xml.items("ipRanges", group ? ImmutableList.of() : source, (item, cidr) -> item.put("cidrIp", cidr));
    }

    private Group named(Params params) {
        Optional<String> id = params.optional("GroupId");
        if (id.isPresent()) {
            return require(id.get());
        }
        String name = params.required("GroupName");
        return groups.values().stream()
                .filter(group -> group.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new Ec2Failure(
                        "InvalidGroup.NotFound",
                        "The security group '" + name + "' does not exist in default VPC '" + Network.VPC + "'"));
    }

    private static ImmutableList<Rule> rules(Params params) {
        ImmutableList.Builder<Rule> rules = ImmutableList.builder();
        ImmutableList<Params> permissions = params.children("IpPermissions");
        if (permissions.isEmpty()) {
            rules.add(new Rule(
                    params.required("IpProtocol"),
                    params.integer("FromPort").orElse(-1),
                    params.integer("ToPort").orElse(-1),
                    params.required("CidrIp")));
        }
        for (Params permission : permissions) {
            for (String source : sources(permission)) {
                rules.add(new Rule(
                        permission.required("IpProtocol"),
                        permission.integer("FromPort").orElse(-1),
                        permission.integer("ToPort").orElse(-1),
                        source));
            }
        }
        return rules.build();
    }

    private static ImmutableList<String> sources(Params permission) {
        ImmutableList.Builder<String> sources = ImmutableList.builder();
        for (Params range : permission.children("IpRanges")) {
            String cidr = range.required("CidrIp");
            if (!cidr.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}/[0-9]{1,2}")) {
                throw Ec2Failure.invalidValue("CIDR block " + cidr + " is malformed");
            }
            sources.add(cidr);
        }
        permission.children("Groups").forEach(group -> sources.add(group.required("GroupId")));
        return sources.build();
    }
}
