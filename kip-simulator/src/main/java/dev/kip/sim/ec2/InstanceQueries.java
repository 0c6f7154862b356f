package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.loop.Loop;
import dev.kip.sim.aws.Xml;
import dev.kip.sim.ec2.SimInstance.Launch;
import dev.kip.sim.ec2.SimInstance.Reason;
import dev.kip.sim.ec2.SimInstance.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** The calls about instances that exist. */
final class InstanceQueries {

    private static final int MOST_ENDED = 1000;

    private final Loop loop;
    private final Instances instances;
    private final InstanceXml xml;
    private final RateLimits limits;
    private final Filters<SimInstance> filters;

    InstanceQueries(Loop loop, Instances instances, InstanceXml xml, RateLimits limits, Tags tags, String account) {
        this.loop = loop;
        this.instances = instances;
        this.xml = xml;
        this.limits = limits;
        this.filters = new Filters<>(
                ImmutableMap.<String, Function<SimInstance, Collection<String>>>builder()
                        .put("instance-id", instance -> ImmutableList.of(instance.id()))
                        .put(
                                "instance-state-name",
                                instance -> ImmutableList.of(instance.state().label()))
                        .put(
                                "instance-state-code",
                                instance -> ImmutableList.of(
                                        String.valueOf(instance.state().code())))
                        .put("client-token", of(Launch::clientToken))
                        .put("instance-type", of(Launch::type))
                        .put("image-id", of(Launch::imageId))
                        .put("architecture", of(Launch::architecture))
                        .put("reservation-id", of(Launch::reservationId))
                        .put("availability-zone", of(Launch::zone))
                        .put("subnet-id", unlessGone(Launch::subnetId))
                        .put("vpc-id", unlessGone(launch -> Network.VPC))
                        .put("private-ip-address", unlessGone(Launch::privateIp))
                        .put(
                                "ip-address",
                                instance ->
                                        instance.launch().publicIp().stream().toList())
                        .put("instance.group-id", instance -> instance.launch().groups())
                        .put("network-interface.network-interface-id", unlessGone(Launch::interfaceId))
                        .put("root-device-name", of(Launch::rootDevice))
                        .put("launch-time", of(launch -> launch.launchTime().toString()))
                        .put("owner-id", instance -> ImmutableList.of(account))
                        .put("tenancy", instance -> ImmutableList.of("default"))
                        .put(
                                "instance-lifecycle",
                                instance -> instance.launch().spot() ? ImmutableList.of("spot") : ImmutableList.of())
                        .put(
                                "spot-instance-request-id",
                                instance -> instance.launch().spot()
                                        ? ImmutableList.of(InstanceXml.spotRequest(instance.launch()))
                                        : ImmutableList.of())
                        .put(
                                "state-reason-code",
                                instance -> instance.reason().map(Reason::code).stream()
                                        .toList())
                        .buildOrThrow(),
                instance -> tags.of(instance.id()));
    }

    private static Function<SimInstance, Collection<String>> of(Function<Launch, String> value) {
        return instance -> ImmutableList.of(value.apply(instance.launch()));
    }

    private static Function<SimInstance, Collection<String>> unlessGone(Function<Launch, String> value) {
        return instance -> instance.state() == State.TERMINATED
                ? ImmutableList.of()
                : ImmutableList.of(value.apply(instance.launch()));
    }

    void describe(Params params, Xml out) {
        Pages.Page<SimInstance> page = page(params, "instancesSet", 1000);
        Map<String, List<SimInstance>> reservations = new LinkedHashMap<>();
        page.items()
                .forEach(instance -> reservations
                        .computeIfAbsent(instance.launch().reservationId(), any -> new ArrayList<>())
                        .add(instance));
        out.items(
                "reservationSet",
                reservations.entrySet(),
                (item, reservation) -> xml.reservation(item, reservation.getKey(), reservation.getValue()));
        out.put("nextToken", page.nextToken());
    }

    /** By id everything is seen; otherwise only what Describe shows by now. First ids, then filters. */
    private Pages.Page<SimInstance> page(Params params, String idSet, int whenUnsaid) {
        ImmutableList<String> wanted = params.list("InstanceId");
        if (!wanted.isEmpty() && params.optional("MaxResults").isPresent()) {
            throw Ec2Failure.combination("The parameter " + idSet + " cannot be used with the parameter maxResults");
        }
        ImmutableList<SimInstance> from = wanted.isEmpty()
                ? instances.all().stream()
                        .filter(instance -> instance.visible(loop.nanos()))
                        .collect(ImmutableList.toImmutableList())
                : instances.require(wanted);
        return Pages.of(params, filters.select(params, from), InstanceQueries::key, 5, 1000, whenUnsaid);
    }

    private static String key(SimInstance instance) {
        return String.format(Locale.ROOT, "%012d", instance.launch().sequence());
    }

    void terminate(Params params, Xml out) {
        ImmutableList<String> ids = params.list("InstanceId");
        if (ids.isEmpty()) {
            throw Ec2Failure.missing("InstanceId");
        }
        if (ids.size() > MOST_ENDED) {
            throw Ec2Failure.invalidValue("At most 1000 instances can be terminated in one call");
        }
        ImmutableList<SimInstance> chosen = instances.require(ids);
        limits.resources("TerminateInstances", chosen.size());
        out.items("instancesSet", chosen, (item, instance) -> {
            State before = instance.state();
            instances.terminate(instance, Reason.USER);
            item.put("instanceId", instance.id())
                    .in("currentState", state -> InstanceXml.state(state, instance.state()))
                    .in("previousState", state -> InstanceXml.state(state, before));
        });
    }

    void describeStatus(Params params, Xml out) {
        boolean all = params.isTrue("IncludeAllInstances");
        Pages.Page<SimInstance> page = page(params, "instancesSet", 1000);
        ImmutableList<SimInstance> shown = page.items().stream()
                .filter(instance -> all || instance.state() == State.RUNNING)
                .collect(ImmutableList.toImmutableList());
        out.items("instanceStatusSet", shown, (item, instance) -> {
            String status = instance.state() == State.RUNNING ? "ok" : "not-applicable";
            item.put("instanceId", instance.id())
                    .put("availabilityZone", instance.launch().zone())
                    .in("instanceState", state -> InstanceXml.state(state, instance.state()))
                    .in("systemStatus", one -> one.put("status", status))
                    .in("instanceStatus", one -> one.put("status", status));
        });
        out.put("nextToken", page.nextToken());
    }

    void describeAttribute(Params params, Xml out) {
        SimInstance instance = instances
                .require(ImmutableList.of(params.required("InstanceId")))
                .get(0);
        String attribute = params.required("Attribute");
        out.put("instanceId", instance.id());
        switch (attribute) {
            case "userData" ->
                out.in("userData", value -> value.put("value", instance.launch().userData()));
            case "instanceType" ->
                out.in(
                        "instanceType",
                        value -> value.put("value", instance.launch().type()));
            case "instanceInitiatedShutdownBehavior" ->
                out.in(
                        "instanceInitiatedShutdownBehavior",
                        value -> value.put("value", instance.launch().shutdownBehavior()));
            case "disableApiTermination" -> out.in("disableApiTermination", value -> value.put("value", false));
            case "groupSet" ->
                out.items("groupSet", instance.launch().groups(), (item, group) -> item.put("groupId", group));
            default ->
                throw Ec2Failure.invalidValue(
                        "Value (" + attribute + ") for parameter attribute is invalid. Unknown attribute.");
        }
    }
}
