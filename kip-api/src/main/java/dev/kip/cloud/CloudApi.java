package dev.kip.cloud;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.outcome.Outcome;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The cloud. Every method sends exactly one request and returns at once; its stage completes on the loop, never
 * exceptionally. Paging, retrying and waiting are decisions of the caller. Called on the loop.
 */
public interface CloudApi {

    /** How often it may be called; who calls more often is refused with {@link CloudError.Throttled}. */
    default CallLimits limits() {
        return CallLimits.NONE;
    }

    /** Where the cloud's events are put; empty if nowhere is configured. */
    default Optional<EventQueue> events() {
        return Optional.empty();
    }

    /** Whose account this is, and by whom it is used. */
    CompletionStage<Outcome<AccountFacts, CloudError>> account();

    /** What {@link CloudError.Forbidden#encoded} says, for people; itself a permission. */
    default CompletionStage<Outcome<String, CloudError>> explainDenial(String encoded) {
        return CompletableFuture.completedFuture(
                Outcome.failed(new CloudError.Refused("Unsupported", "this cloud explains no denials")));
    }

    /**
     * Whether a change would be allowed, without making it. Anything else that stands in its way, an unknown id for
     * example, is an error: then the cloud has not said whether it is allowed.
     */
    CompletionStage<Outcome<Permission, CloudError>> permitted(Probe probe);

    /**
     * Starts up to {@link LaunchRequest#count} like instances from one template version. Fewer may come: what came is in
     * the answer. Idempotent by {@link LaunchRequest#clientToken} where the cloud keeps its promise.
     */
    CompletionStage<Outcome<ImmutableList<InstanceFacts>, CloudError>> launch(LaunchRequest request);

    /** One page of instances in any state. */
    CompletionStage<Outcome<InstancePage, CloudError>> describe(InstanceQuery query);

    /** At most 1,000 ids. Idempotent. One unknown id fails the whole call. */
    CompletionStage<Outcome<ImmutableMap<String, InstanceState>, CloudError>> terminate(
            ImmutableList<String> instanceIds);

    /** Creates the template with its first version, or answers {@link CloudError.AlreadyExists}. */
    CompletionStage<Outcome<TemplateVersion, CloudError>> createTemplate(TemplateContent content);

    /** Adds a version to an existing template. */
    CompletionStage<Outcome<TemplateVersion, CloudError>> createTemplateVersion(TemplateContent content);

    /** One page of the templates that carry all of {@code tags}. */
    CompletionStage<Outcome<TemplatePage, CloudError>> describeTemplates(
            ImmutableMap<String, String> tags, String pageToken);

    /** One page of the versions of a template, newest first. */
    CompletionStage<Outcome<TemplateVersionPage, CloudError>> templateVersions(String templateId, String pageToken);

    /** Makes {@code version} the one that is used by launches that name none. */
    CompletionStage<Outcome<Boolean, CloudError>> setDefaultTemplateVersion(String templateId, String version);

    /**
     * Deletes versions, at most 200; the default one stays.
     *
     * @return those of {@code versions} that are there no more, whether this call deleted them or an earlier one
     */
    CompletionStage<Outcome<ImmutableList<String>, CloudError>> deleteTemplateVersions(
            String templateId, ImmutableList<String> versions);

    /** Deletes the template with all its versions. One that is gone already answers {@link CloudError.NotFound}. */
    CompletionStage<Outcome<Boolean, CloudError>> deleteTemplate(String templateId);

    /** One page of the instance types offered, with what they have and cost. */
    CompletionStage<Outcome<OfferingPage, CloudError>> offerings(String pageToken);

    /** One page of the zones of this region in which instance types are to be had. */
    CompletionStage<Outcome<ZonePage, CloudError>> zones(String pageToken);

    /** One page of what spot instances that run Linux cost at {@code at}, pool by pool. */
    CompletionStage<Outcome<SpotPricePage, CloudError>> spotPrices(Instant at, String pageToken);

    /** One page of the price list of a region: on demand, Linux, shared tenancy. Asked for by a command, never by the controller. */
    CompletionStage<Outcome<ListPricePage, CloudError>> listPrices(String region, String pageToken);

    /** The newest image that matches {@code selector} for each architecture. */
    CompletionStage<Outcome<ImmutableList<ImageFacts>, CloudError>> images(ImmutableMap<String, String> selector);

    /**
     * The subnets to launch in: the one named, else those of the VPC, else (or if the VPC is {@code default}) the default
     * VPC's. The only method that sends two requests, one after the other: the second asks for the VPCs' CIDRs.
     */
    CompletionStage<Outcome<ImmutableList<SubnetFacts>, CloudError>> subnets(
            Optional<String> vpcId, Optional<String> subnetId);

    /** Groups named {@code name} in the VPC. */
    CompletionStage<Outcome<ImmutableList<String>, CloudError>> securityGroups(String vpcId, String name);

    CompletionStage<Outcome<String, CloudError>> createSecurityGroup(
            String vpcId, String name, String description, ImmutableMap<String, String> tags);

    /** Lets {@code cidrs} reach the group's members on every TCP, UDP port and by ICMP. A rule that is there already is no error. */
    CompletionStage<Outcome<Boolean, CloudError>> allowIngress(String groupId, ImmutableList<String> cidrs);

    /** Refused with code {@code DependencyViolation} while a network interface is a member. */
    CompletionStage<Outcome<Boolean, CloudError>> deleteSecurityGroup(String groupId);

    /** One page of the volumes that match. */
    CompletionStage<Outcome<VolumePage, CloudError>> volumes(ResourceQuery query);

    /** One page of the network interfaces that match. */
    CompletionStage<Outcome<InterfacePage, CloudError>> networkInterfaces(ResourceQuery query);

    /** One page of the security groups that match. */
    CompletionStage<Outcome<GroupPage, CloudError>> securityGroups(ResourceQuery query);

    /** Adds tags to resources, or changes their values; at most 1,000 ids. One unknown id fails the whole call. */
    CompletionStage<Outcome<Boolean, CloudError>> createTags(
            ImmutableList<String> resourceIds, ImmutableMap<String, String> tags);

    /** Takes tags off resources, whatever their values; at most 1,000 ids. */
    CompletionStage<Outcome<Boolean, CloudError>> deleteTags(
            ImmutableList<String> resourceIds, ImmutableList<String> keys);

    /** EC2's names of states. */
    enum InstanceState {
        PENDING,
        RUNNING,
        STOPPING,
        STOPPED,
        SHUTTING_DOWN,
        TERMINATED;

        /** It will never run again. */
        public boolean ended() {
            return this == SHUTTING_DOWN || this == TERMINATED;
        }
    }

    /** On demand or spot. */
    enum Market {
        ON_DEMAND,
        SPOT
    }

    /**
     * What is known of an instance.
     *
     * @param launchIndex its place in its launch call, from 0
     * @param privateIp empty before one is assigned and after termination
     * @param tags as the cloud has them now; may be empty after termination
     */
    record InstanceFacts(
            String id,
            InstanceState state,
            String type,
            String zone,
            Market market,
            Optional<String> privateIp,
            Optional<String> publicIp,
            String clientToken,
            int launchIndex,
            Instant launchTime,
            Optional<String> templateId,
            String stateReason,
            ImmutableMap<String, String> tags) {}

    /**
     * One launch call. Subnet, groups and public address belong to the one network interface and so travel together: EC2
     * refuses to merge an interface of a template with a subnet of the request.
     *
     * @param clientToken at most 64 ASCII characters, a pure function of durable identity
     * @param tags applied atomically with creation, to instances, volumes and network interfaces
     */
    record LaunchRequest(
            String templateId,
            String templateVersion,
            String instanceType,
            Optional<String> subnetId,
            ImmutableList<String> securityGroupIds,
            boolean publicIp,
            Market market,
            int count,
            String clientToken,
            ImmutableMap<String, String> tags) {}

    /**
     * Which instances to describe: by id, or by tags, paged.
     *
     * @param ids at most 1,000; empty to select by tag
     * @param tags all must match
     * @param tagKeys all must be there, whatever their values
     * @param pageToken empty for the first page
     */
    record InstanceQuery(
            ImmutableList<String> ids,
            ImmutableMap<String, String> tags,
            ImmutableList<String> tagKeys,
            String pageToken) {
        public static InstanceQuery ofIds(ImmutableList<String> ids) {
            return new InstanceQuery(ids, ImmutableMap.of(), ImmutableList.of(), "");
        }

        public static InstanceQuery ofTags(ImmutableMap<String, String> tags, String pageToken) {
            return new InstanceQuery(ImmutableList.of(), tags, ImmutableList.of(), pageToken);
        }

        /** Whoever carries a tag of this key, with any value. */
        public static InstanceQuery ofTagKey(String key, String pageToken) {
            return new InstanceQuery(ImmutableList.of(), ImmutableMap.of(), ImmutableList.of(key), pageToken);
        }
    }

    /** @param nextToken empty on the last page */
    record InstancePage(ImmutableList<InstanceFacts> instances, String nextToken) {}

    /**
     * What a launch template says; its name is derived from it, so that equal contents share a template.
     *
     * @param userData plain, at most 16 KB
     * @param volumeGib size of the root volume
     * @param tags of the template itself
     */
    record TemplateContent(
            String name,
            String imageId,
            Optional<String> rootDevice,
            int volumeGib,
            String userData,
            Optional<String> instanceProfile,
            String versionDescription,
            ImmutableMap<String, String> tags) {}

    record TemplateVersion(String templateId, String name, String version) {}

    record TemplateFacts(
            String templateId,
            String name,
            String latestVersion,
            String defaultVersion,
            ImmutableMap<String, String> tags) {}

    record TemplateVersionFacts(String version, String description, boolean isDefault, Instant created) {}

    /** @param nextToken empty on the last page */
    record TemplateVersionPage(ImmutableList<TemplateVersionFacts> versions, String nextToken) {}

    record TemplatePage(ImmutableList<TemplateFacts> templates, String nextToken) {}

    /**
     * An instance type, where it is offered and what it costs.
     *
     * @param memoryMib as advertised
     * @param hourlyUsd on-demand price; empty if unknown, then it is never chosen by price
     */
    record Offering(
            String type,
            String architecture,
            int vcpus,
            long memoryMib,
            int gpus,
            String gpuName,
            boolean burstable,
            boolean bareMetal,
            boolean currentGeneration,
            Optional<Double> hourlyUsd) {}

    record OfferingPage(ImmutableList<Offering> offerings, String nextToken) {}

    record TypeInZone(String type, String zone) {}

    /** @param nextToken empty on the last page */
    record ZonePage(ImmutableList<TypeInZone> types, String nextToken) {}

    /** @param since when it became so */
    record SpotPrice(String type, String zone, double hourlyUsd, Instant since) {}

    /** @param nextToken empty on the last page */
    record SpotPricePage(ImmutableList<SpotPrice> prices, String nextToken) {}

    /**
     * What a type costs.
     *
     * @param currency {@code USD}, or {@code CNY} in China
     * @param published when the list was
     */
    record ListPrice(String type, double hourly, String currency, Instant published) {}

    /** @param nextToken empty on the last page */
    record ListPricePage(ImmutableList<ListPrice> prices, String nextToken) {}

    record ImageFacts(
            String id, String name, String architecture, Instant created, Optional<String> rootDevice, int rootGib) {}

    record SubnetFacts(
            String id, String vpcId, String vpcCidr, String zone, int freeAddresses, boolean assignsPublicIp) {}

    /**
     * Who asks.
     *
     * @param account 12 digits
     * @param principal ARN of the user or role session
     */
    record AccountFacts(String account, String principal) {}

    /** @param message what the cloud said */
    record Permission(boolean granted, String message) {}

    /**
     * Which volumes, network interfaces or security groups to describe.
     *
     * @param tags all must match
     * @param tagKeys all must be there, whatever their values
     * @param pageToken empty for the first page
     */
    record ResourceQuery(ImmutableMap<String, String> tags, ImmutableList<String> tagKeys, String pageToken) {
        public static ResourceQuery ofTags(ImmutableMap<String, String> tags, String pageToken) {
            return new ResourceQuery(tags, ImmutableList.of(), pageToken);
        }

        /** Whatever carries a tag of this key, with any value. */
        public static ResourceQuery ofTagKey(String key, String pageToken) {
            return new ResourceQuery(ImmutableMap.of(), ImmutableList.of(key), pageToken);
        }
    }

    /**
     * A volume.
     *
     * @param state in EC2's words: {@code creating}, {@code available}, {@code in-use}, {@code deleting}
     * @param instanceId that it is attached to
     */
    record VolumeFacts(
            String id,
            String state,
            String zone,
            int sizeGib,
            String type,
            Instant created,
            Optional<String> instanceId,
            ImmutableMap<String, String> tags) {}

    /** @param nextToken empty on the last page */
    record VolumePage(ImmutableList<VolumeFacts> volumes, String nextToken) {}

    /**
     * A network interface.
     *
     * @param state in EC2's words: {@code available}, {@code in-use}, {@code detaching}
     * @param instanceId that it is attached to
     */
    record InterfaceFacts(
            String id,
            String state,
            String zone,
            Optional<String> privateIp,
            Optional<String> instanceId,
            ImmutableList<String> groupIds,
            ImmutableMap<String, String> tags) {}

    /** @param nextToken empty on the last page */
    record InterfacePage(ImmutableList<InterfaceFacts> interfaces, String nextToken) {}

    record GroupFacts(String id, String name, String vpcId, ImmutableMap<String, String> tags) {}

    /** @param nextToken empty on the last page */
    record GroupPage(ImmutableList<GroupFacts> groups, String nextToken) {}
}
