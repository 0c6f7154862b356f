package dev.kip.cloud;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.outcome.Outcome;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The cloud. Every method sends exactly one request and returns at once; its stage completes on the loop, never
 * exceptionally. Paging, retrying and waiting are decisions of the caller. Called on the loop.
 */
public interface CloudApi {

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

    /** Deletes the template with all its versions. One that is gone already answers {@link CloudError.NotFound}. */
    CompletionStage<Outcome<Boolean, CloudError>> deleteTemplate(String templateId);

    /** One page of the instance types offered, with what they have and cost. */
    CompletionStage<Outcome<OfferingPage, CloudError>> offerings(String pageToken);

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

    CompletionStage<Outcome<Boolean, CloudError>> deleteSecurityGroup(String groupId);

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
     * @param tags applied atomically with creation, to instances and volumes
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
     * @param pageToken empty for the first page
     */
    record InstanceQuery(ImmutableList<String> ids, ImmutableMap<String, String> tags, String pageToken) {
        public static InstanceQuery ofIds(ImmutableList<String> ids) {
            return new InstanceQuery(ids, ImmutableMap.of(), "");
        }

        public static InstanceQuery ofTags(ImmutableMap<String, String> tags, String pageToken) {
            return new InstanceQuery(ImmutableList.of(), tags, pageToken);
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

    record TemplateFacts(String templateId, String name, String latestVersion, ImmutableMap<String, String> tags) {}

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

    record ImageFacts(
            String id, String name, String architecture, Instant created, Optional<String> rootDevice, int rootGib) {}

    record SubnetFacts(
            String id, String vpcId, String vpcCidr, String zone, int freeAddresses, boolean assignsPublicIp) {}
}
