package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.entropy.Entropy;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import dev.kip.sim.aws.CallLog;
import dev.kip.sim.aws.Ids;
import dev.kip.sim.aws.Xml;
import dev.kip.sim.ec2.SimInstance.Reason;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * EC2 of one account in one region, over the EC2 Query protocol. It does what EC2 documents, not what clients happen to
 * bear: tokens, lag, limits, refusals. Every call is answered before {@link #handle} returns. All of it on the loop.
 */
public final class SimEc2 implements HttpService {

    private static final Logger LOG = LoggerFactory.getLogger(SimEc2.class);
    private static final String NAMESPACE = "http://ec2.amazonaws.com/doc/2016-11-15/";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Loop loop;
    private final String account;
    private final Ids requestIds;
    private final RateLimits limits;
    private final Capacity capacity;
    private final Network network;
    private final SpotPrices spotPrices;
    private final Tags tags;
    private final Images images;
    private final SecurityGroups groups;
    private final LaunchTemplates templates;
    private final Instances instances;
    private final RunInstances run;
    private final Attachments attachments;
    private final CallLog log = new CallLog();
    private final ImmutableMap<String, BiConsumer<Params, Xml>> actions;
    private Interceptor interceptor = action -> Optional.empty();

    public SimEc2(Loop loop, Entropy entropy, Ec2Settings settings) {
        this.loop = loop;
        this.account = settings.accountId();
        Ids ids = new Ids(entropy.fork("ec2-ids"));
        this.requestIds = new Ids(entropy.fork("ec2-requests"));
        this.limits = new RateLimits(loop, settings.throttling());
        this.capacity = new Capacity(settings.vcpuLimit());
        this.tags = new Tags(this::exists);
        this.network = new Network(settings, tags);
        Types types = new Types(network, settings.mostVcpus());
        this.spotPrices = new SpotPrices(loop, types, network);
        this.images = new Images(settings);
        this.groups = new SecurityGroups(ids, network, tags, settings.accountId(), this::groupInUse);
        this.templates = new LaunchTemplates(ids, tags, loop, settings.accountId());
        this.instances = new Instances(loop, entropy.fork("ec2-times"), settings, network, types, capacity, tags);
        InstanceXml xml = new InstanceXml(tags, groups, settings.accountId());
        this.run = new RunInstances(
                settings, ids, network, types, images, groups, templates, instances, capacity, limits, tags, xml);
        InstanceQueries queries = new InstanceQueries(loop, instances, xml, limits, tags, settings.accountId());
        this.attachments = new Attachments(instances, xml, tags);
        this.actions = ImmutableMap.<String, BiConsumer<Params, Xml>>builder()
                .put("RunInstances", run::run)
                .put("DescribeInstances", queries::describe)
                .put("DescribeInstanceStatus", queries::describeStatus)
                .put("DescribeInstanceAttribute", queries::describeAttribute)
                .put("TerminateInstances", queries::terminate)
                .put("DescribeVolumes", attachments::describeVolumes)
                .put("DescribeNetworkInterfaces", attachments::describeInterfaces)
                .put("CreateTags", tags::create)
                .put("DeleteTags", tags::delete)
                .put("DescribeTags", tags::describe)
                .put("DescribeInstanceTypes", types::describe)
                .put("DescribeInstanceTypeOfferings", types::offerings)
                .put("DescribeSpotPriceHistory", spotPrices::describe)
                .put("DescribeImages", images::describe)
                .put("DescribeSubnets", network::describeSubnets)
                .put("DescribeVpcs", network::describeVpcs)
                .put("DescribeRouteTables", network::describeRouteTables)
                .put("DescribeAvailabilityZones", network::describeZones)
                .put("CreateSecurityGroup", groups::create)
                .put("DescribeSecurityGroups", groups::describe)
                .put("AuthorizeSecurityGroupIngress", groups::authorize)
                .put("RevokeSecurityGroupIngress", groups::revoke)
                .put("DeleteSecurityGroup", groups::delete)
                .put("CreateLaunchTemplate", templates::create)
                .put("CreateLaunchTemplateVersion", templates::createVersion)
                .put("DescribeLaunchTemplates", templates::describe)
                .put("DescribeLaunchTemplateVersions", templates::describeVersions)
                .put("ModifyLaunchTemplate", templates::modify)
                .put("DeleteLaunchTemplate", templates::delete)
                .put("DeleteLaunchTemplateVersions", templates::deleteVersions)
                .buildOrThrow();
    }

    /** What EC2 says to one who lacks the permission. */
    public static Ec2Failure forbidden(String action) {
        return new Ec2Failure(
                403,
                "UnauthorizedOperation",
                "You are not authorized to perform this operation. Encoded authorization failure message: "
                        + Sts.encode(action));
    }

    /** Decides before a call whether it fails, and how; for the failures that a scenario asks for. */
    public interface Interceptor {
        Optional<Ec2Failure> before(String action);
    }

    /** An instance as someone who sees everything sees it. */
    public record Sight(
            String id,
            String state,
            String type,
            String zone,
            boolean spot,
            String privateIp,
            String clientToken,
            int launchIndex,
            Instant launchTime,
            ImmutableMap<String, String> tags) {}

    public CallLog log() {
        return log;
    }

    public Capacity capacity() {
        return capacity;
    }

    public SpotPrices spotPrices() {
        return spotPrices;
    }

    /**
     * From now on somebody else in the account calls too, and takes from the same token bucket.
     *
     * @param perThousandSeconds calls in a thousand seconds
     */
    public void neighbour(String action, int perThousandSeconds) {
        limits.neighbour(action, perThousandSeconds);
    }

    public void neighboursLeave() {
        limits.neighboursLeave();
    }

    /** Instances launched from now on stay unseen by Describe for up to this long. */
    public void lag(Duration most) {
        instances.lag(most);
    }

    public void intercept(Interceptor next) {
        interceptor = next;
    }

    public void listen(InstanceListener listener) {
        instances.listen(listener);
    }

    /** Every instance not yet forgotten, in the order of launches. */
    public ImmutableList<Sight> instances() {
        return instances.all().stream()
                .map(instance -> new Sight(
                        instance.id(),
                        instance.state().label(),
                        instance.launch().type(),
                        instance.launch().zone(),
                        instance.launch().spot(),
                        instance.launch().privateIp(),
                        instance.launch().clientToken(),
                        instance.launch().launchIndex(),
                        instance.launch().launchTime(),
                        ImmutableMap.copyOf(tags.of(instance.id()))))
                .collect(ImmutableList.toImmutableList());
    }

    public int templateCount() {
        return templates.all().size();
    }

    /** Without the default group. */
    public int groupCount() {
        return groups.all().size() - 1;
    }

    public int volumeCount() {
        return attachments.withVolume().size();
    }

    /** With those whose instance was terminated a moment ago. */
    public int interfaceCount() {
        return attachments.withInterface().size();
    }

    /** Someone ends the instance by other means than this API. */
    public void endFromOutside(String instanceId) {
        instances.find(instanceId).ifPresent(instance -> instances.terminate(instance, Reason.USER));
    }

    /** Someone stops the instance, to start it again one day. */
    public void stopFromOutside(String instanceId) {
        instances.find(instanceId).ifPresent(instances::stop);
    }

    /** EC2 takes a spot instance back. */
    public void reclaim(String instanceId) {
        instances.find(instanceId).ifPresent(instance -> instances.terminate(instance, Reason.SPOT));
    }

    /** The machine powers itself off. */
    public void guestShutdown(String instanceId) {
        instances.find(instanceId).ifPresent(instances::guestShutdown);
    }

    @Override
    public void handle(HttpCall call) {
        String action = "-";
        String requestId = requestIds.request();
        try {
            Params params = params(call);
            action = params.optional("Action")
                    .orElseThrow(
                            () -> new Ec2Failure("MissingAction", "The request must contain the parameter Action"));
            String answer = answer(action, params, requestId);
            log.add(new CallLog.Call(loop.now(), action, "ok"));
            respond(call, 200, answer);
        } catch (Ec2Failure failure) {
            log.add(new CallLog.Call(loop.now(), action, failure.code()));
            respond(call, failure.status(), error(failure, requestId));
        } catch (RuntimeException bug) {
            LOG.error("The simulated EC2 failed at {}", action, bug);
            log.add(new CallLog.Call(loop.now(), action, "InternalError"));
            respond(
                    call,
                    500,
                    error(new Ec2Failure(500, "InternalError", "A defect of this server: " + bug), requestId));
        }
    }

    private static Params params(HttpCall call) {
        LinkedHashMap<String, String> values = new LinkedHashMap<>();
        call.query().forEach(values::put);
        values.putAll(
                Params.ofForm(new String(call.body(), StandardCharsets.UTF_8)).values());
        return new Params(values);
    }

    private String answer(String action, Params params, String requestId) {
        if (action.equals(Sts.ACTION)) {
            interceptor.before(action).ifPresent(failure -> {
                throw failure;
            });
            return Sts.answer(account, requestId);
        }
        if (action.equals(Sts.DECODE)) {
            return Sts.decoded(params.required("EncodedMessage"), requestId);
        }
        BiConsumer<Params, Xml> carryOut = actions.get(action);
        if (carryOut == null) {
            throw new Ec2Failure("InvalidAction", "The action " + action + " is not valid for this web service.");
        }
        limits.request(action, params);
        interceptor.before(action).ifPresent(failure -> {
            throw failure;
        });
        if (params.isTrue("DryRun") && !action.equals("RunInstances")) {
            throw new Ec2Failure(412, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.");
        }
        Xml xml = new Xml().put("requestId", requestId);
        carryOut.accept(params, xml);
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<" + action + "Response xmlns=\"" + NAMESPACE + "\">" + xml
                + "</" + action + "Response>";
    }

    private static String error(Ec2Failure failure, String requestId) {
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + new Xml()
                        .in(
                                "Response",
                                response -> response.in(
                                                "Errors",
                                                errors -> errors.in(
                                                        "Error",
                                                        error -> error.put("Code", failure.code())
                                                                .put("Message", String.valueOf(failure.getMessage()))))
                                        .put("RequestID", requestId));
    }

    private static void respond(HttpCall call, int status, String body) {
        call.respond(
                status,
                ImmutableMap.of("Content-Type", "text/xml;charset=UTF-8", "Server", "AmazonEC2"),
                body.getBytes(StandardCharsets.UTF_8));
    }

    private boolean groupInUse(String group) {
        return instances.memberOf(group);
    }

    private boolean exists(String id) {
        return instances.find(id).isPresent()
                || templates.all().containsKey(id)
                || groups.all().containsKey(id)
                || network.knows(id)
                || images.find(id).isPresent()
                || instances.all().stream()
                        .anyMatch(instance -> instance.launch().volumeId().equals(id)
                                || instance.launch().interfaceId().equals(id));
    }

    /** All that outlives a restart; token buckets and capacity switches do not. */
    public ObjectNode snapshot() {
        return JSON.valueToTree(new Ec2Snapshot(
                instances.all().stream().map(SimInstance::save).toList(),
                run.tokens(),
                ImmutableList.copyOf(templates.all().values()),
                templates.tokens(),
                ImmutableList.copyOf(groups.all().values()),
                tags.all()));
    }

    /** Takes up a snapshot; for a new EC2, before its first call. Running machines boot again. */
    public void restore(ObjectNode saved) {
        Ec2Snapshot snapshot = JSON.treeToValue(saved, Ec2Snapshot.class);
        snapshot.tags().forEach((resource, own) -> own.forEach((key, value) -> tags.putReserved(resource, key, value)));
        snapshot.groups().forEach(group -> groups.all().put(group.id(), group));
        snapshot.templates().forEach(template -> templates.all().put(template.id(), template));
        templates.tokens().putAll(snapshot.templateTokens());
        run.tokens().putAll(snapshot.launchTokens());
        instances.restore(snapshot.instances());
    }
}
