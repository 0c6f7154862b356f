package dev.kip.cloud.aws;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.loop.Offload;
import dev.kip.outcome.Outcome;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.Ec2ClientBuilder;
import software.amazon.awssdk.services.ec2.model.AuthorizeSecurityGroupIngressRequest;
import software.amazon.awssdk.services.ec2.model.CreateSecurityGroupRequest;
import software.amazon.awssdk.services.ec2.model.DeleteLaunchTemplateRequest;
import software.amazon.awssdk.services.ec2.model.DeleteSecurityGroupRequest;
import software.amazon.awssdk.services.ec2.model.DescribeImagesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeInstanceTypesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeInstancesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeLaunchTemplatesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeSecurityGroupsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeSubnetsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeVpcsRequest;
import software.amazon.awssdk.services.ec2.model.InstanceStateChange;
import software.amazon.awssdk.services.ec2.model.LaunchTemplate;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.SecurityGroup;
import software.amazon.awssdk.services.ec2.model.Subnet;
import software.amazon.awssdk.services.ec2.model.TerminateInstancesRequest;
import software.amazon.awssdk.services.ec2.model.Vpc;

/**
 * EC2 by the AWS SDK. Each call is one HTTP request on a slot of {@link Offload}: the SDK's retries are off, and its
 * waiters and paginators are not used. Called on the loop.
 */
public final class AwsCloud implements CloudApi {

    private static final Logger LOG = LoggerFactory.getLogger(AwsCloud.class);

    /** EC2 answers reads in well under a second, and launches and ends of a hundred in a few. */
    private static final Duration READ = Duration.ofSeconds(15);

    /** Below what is left of a lease: what is sent must have arrived, or never will, before another may lead. */
    private static final Duration WRITE = Duration.ofSeconds(10);

    private static final int INSTANCES_PER_PAGE = 1000;
    private static final int TEMPLATES_PER_PAGE = 200;
    private static final int TYPES_PER_PAGE = 100;
    private static final String DEFAULT_VPC = "default";
    private static final String DUPLICATE_RULE = "InvalidPermission.Duplicate";

    private final Ec2Client ec2;
    private final Offload offload;

    /**
     * @param http how requests travel; closed by whoever made it
     * @throws IllegalArgumentException naming the setting, what was wanted and what was found
     */
    public AwsCloud(CloudSettings settings, Offload offload, SdkHttpClient http, AwsCredentialsProvider credentials) {
        AwsSettings.check(settings);
        Ec2ClientBuilder builder = Ec2Client.builder()
                .region(Region.of(settings.region()))
                .httpClient(http)
                .credentialsProvider(credentials)
                .overrideConfiguration(override -> override.retryStrategy(DefaultRetryStrategy.doNotRetry()));
        settings.endpoint().ifPresent(endpoint -> builder.endpointOverride(URI.create(endpoint)));
        this.ec2 = builder.build();
        this.offload = offload;
        if (InstanceTypes.pricesAreForeign(settings.region())) {
            LOG.warn(
                    "No price table for {}: instance types are compared by their prices in us-east-1",
                    settings.region());
        }
    }

    @Override
    public CompletionStage<Outcome<ImmutableList<InstanceFacts>, CloudError>> launch(LaunchRequest request) {
        if (request.clientToken().isEmpty() || request.clientToken().length() > 64) {
            return refused("ec2.RunInstances: a client token has 1 to 64 characters, not "
                    + request.clientToken().length());
        }
        return fitting("ec2.RunInstances", () -> {
            TagRules.fit(request.tags()).dropped().forEach(reason -> LOG.warn("Not tagged: {}", reason));
            var run = Ec2Requests.runInstances(request);
            return send(
                    "ec2.RunInstances",
                    WRITE,
                    () -> ec2.runInstances(run).instances().stream()
                            .map(Ec2Facts::instance)
                            .collect(toImmutableList()));
        });
    }

    @Override
    public CompletionStage<Outcome<InstancePage, CloudError>> describe(InstanceQuery query) {
        DescribeInstancesRequest.Builder request = DescribeInstancesRequest.builder();
        if (query.ids().isEmpty()) {
            request.maxResults(INSTANCES_PER_PAGE);
            Ec2Requests.page(query.pageToken()).ifPresent(request::nextToken);
        } else {
            request.instanceIds(query.ids());
        }
        if (!query.tags().isEmpty()) {
            request.filters(Ec2Facts.tagFilters(query.tags()));
        }
        return send("ec2.DescribeInstances", READ, () -> {
            var answer = ec2.describeInstances(request.build());
            return new InstancePage(Ec2Facts.instances(answer.reservations()), Strings.nullToEmpty(answer.nextToken()));
        });
    }

    @Override
    public CompletionStage<Outcome<ImmutableMap<String, InstanceState>, CloudError>> terminate(
            ImmutableList<String> instanceIds) {
        var request =
                TerminateInstancesRequest.builder().instanceIds(instanceIds).build();
        return send(
                "ec2.TerminateInstances",
                WRITE,
                () -> ec2.terminateInstances(request).terminatingInstances().stream()
                        .collect(toImmutableMap(
                                InstanceStateChange::instanceId,
                                change -> Ec2Facts.state(change.currentState().nameAsString()),
                                (first, second) -> second)));
    }

    @Override
    public CompletionStage<Outcome<TemplateVersion, CloudError>> createTemplate(TemplateContent content) {
        return fitting("ec2.CreateLaunchTemplate", () -> {
            var request = Ec2Requests.createTemplate(content);
            return send(
                    "ec2.CreateLaunchTemplate",
                    WRITE,
                    () -> Ec2Facts.templateVersion(
                            ec2.createLaunchTemplate(request).launchTemplate()));
        });
    }

    @Override
    public CompletionStage<Outcome<TemplateVersion, CloudError>> createTemplateVersion(TemplateContent content) {
        var request = Ec2Requests.createTemplateVersion(content);
        return send("ec2.CreateLaunchTemplateVersion", WRITE, () -> {
            var version = ec2.createLaunchTemplateVersion(request).launchTemplateVersion();
            return new TemplateVersion(
                    version.launchTemplateId(), version.launchTemplateName(), String.valueOf(version.versionNumber()));
        });
    }

    @Override
    public CompletionStage<Outcome<TemplatePage, CloudError>> describeTemplates(
            ImmutableMap<String, String> tags, String pageToken) {
        DescribeLaunchTemplatesRequest.Builder request =
                DescribeLaunchTemplatesRequest.builder().maxResults(TEMPLATES_PER_PAGE);
        if (!tags.isEmpty()) {
            request.filters(Ec2Facts.tagFilters(tags));
        }
        Ec2Requests.page(pageToken).ifPresent(request::nextToken);
        return send("ec2.DescribeLaunchTemplates", READ, () -> {
            var answer = ec2.describeLaunchTemplates(request.build());
            List<LaunchTemplate> templates = answer.launchTemplates();
            return new TemplatePage(
                    templates.stream().map(Ec2Facts::template).collect(toImmutableList()),
                    Strings.nullToEmpty(answer.nextToken()));
        });
    }

    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> deleteTemplate(String templateId) {
        var request = DeleteLaunchTemplateRequest.builder()
                .launchTemplateId(templateId)
                .build();
        return send("ec2.DeleteLaunchTemplate", WRITE, () -> {
            ec2.deleteLaunchTemplate(request);
            return true;
        });
    }

    @Override
    public CompletionStage<Outcome<OfferingPage, CloudError>> offerings(String pageToken) {
        DescribeInstanceTypesRequest.Builder request =
                DescribeInstanceTypesRequest.builder().maxResults(TYPES_PER_PAGE);
        Ec2Requests.page(pageToken).ifPresent(request::nextToken);
        return send("ec2.DescribeInstanceTypes", READ, () -> {
            var answer = ec2.describeInstanceTypes(request.build());
            return new OfferingPage(
                    answer.instanceTypes().stream().map(Ec2Facts::offering).collect(toImmutableList()),
                    Strings.nullToEmpty(answer.nextToken()));
        });
    }

    @Override
    public CompletionStage<Outcome<ImmutableList<ImageFacts>, CloudError>> images(
            ImmutableMap<String, String> selector) {
        return fitting("ec2.DescribeImages", () -> {
            DescribeImagesRequest request = ImageSelector.request(selector);
            return send(
                    "ec2.DescribeImages",
                    READ,
                    () -> Ec2Facts.newest(ec2.describeImages(request).images()));
        });
    }

    @Override
    public CompletionStage<Outcome<ImmutableList<SubnetFacts>, CloudError>> subnets(
            Optional<String> vpcId, Optional<String> subnetId) {
        DescribeSubnetsRequest.Builder request = DescribeSubnetsRequest.builder();
        Optional<String> vpc = vpcId.filter(id -> !id.equals(DEFAULT_VPC));
        if (subnetId.isPresent()) {
            request.subnetIds(subnetId.get());
        } else {
            request.filters(
                    vpc.isPresent() ? Ec2Facts.filter("vpc-id", vpc.get()) : Ec2Facts.filter("default-for-az", "true"));
        }
        return send(
                        "ec2.DescribeSubnets",
                        READ,
                        () -> ec2.describeSubnets(request.build()).subnets())
                .thenCompose(answer -> answer.fold(this::withVpcCidrs, error -> done(Outcome.failed(error))));
    }

    private CompletionStage<Outcome<ImmutableList<SubnetFacts>, CloudError>> withVpcCidrs(List<Subnet> subnets) {
        ImmutableList<String> vpcs =
                subnets.stream().map(Subnet::vpcId).distinct().sorted().collect(toImmutableList());
        if (vpcs.isEmpty()) {
            return done(Outcome.ok(ImmutableList.of()));
        }
        var request = DescribeVpcsRequest.builder().vpcIds(vpcs).build();
        return send("ec2.DescribeVpcs", READ, () -> {
            ImmutableMap<String, String> cidrs = ec2.describeVpcs(request).vpcs().stream()
                    .collect(toImmutableMap(Vpc::vpcId, vpc -> Strings.nullToEmpty(vpc.cidrBlock())));
            return subnets.stream()
                    .map(subnet -> Ec2Facts.subnet(subnet, cidrs.getOrDefault(subnet.vpcId(), "")))
                    .collect(toImmutableList());
        });
    }

    @Override
    public CompletionStage<Outcome<ImmutableList<String>, CloudError>> securityGroups(String vpcId, String name) {
        var request = DescribeSecurityGroupsRequest.builder()
                .filters(Ec2Facts.filter("vpc-id", vpcId), Ec2Facts.filter("group-name", name))
                .build();
        return send(
                "ec2.DescribeSecurityGroups",
                READ,
                () -> ec2.describeSecurityGroups(request).securityGroups().stream()
                        .map(SecurityGroup::groupId)
                        .collect(toImmutableList()));
    }

    @Override
    public CompletionStage<Outcome<String, CloudError>> createSecurityGroup(
            String vpcId, String name, String description, ImmutableMap<String, String> tags) {
        return fitting("ec2.CreateSecurityGroup", () -> {
            CreateSecurityGroupRequest.Builder request = CreateSecurityGroupRequest.builder()
                    .vpcId(vpcId)
                    .groupName(name)
                    .description(description);
            ImmutableMap<String, String> fitted = TagRules.fit(tags).tags();
            if (!fitted.isEmpty()) {
                request.tagSpecifications(Ec2Requests.tagged(ResourceType.SECURITY_GROUP, fitted));
            }
            return send(
                    "ec2.CreateSecurityGroup",
                    WRITE,
                    () -> ec2.createSecurityGroup(request.build()).groupId());
        });
    }

    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> allowIngress(String groupId, ImmutableList<String> cidrs) {
        var request = AuthorizeSecurityGroupIngressRequest.builder()
                .groupId(groupId)
                .ipPermissions(Ec2Requests.openTo(cidrs))
                .build();
        return send("ec2.AuthorizeSecurityGroupIngress", WRITE, () -> {
                    ec2.authorizeSecurityGroupIngress(request);
                    return true;
                })
                .thenApply(answer -> answer.fold(
                        Outcome::ok,
                        error -> error instanceof CloudError.AlreadyExists known
                                        && known.message().contains(DUPLICATE_RULE)
                                ? Outcome.ok(true)
                                : Outcome.failed(error)));
    }

    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> deleteSecurityGroup(String groupId) {
        var request = DeleteSecurityGroupRequest.builder().groupId(groupId).build();
        return send("ec2.DeleteSecurityGroup", WRITE, () -> {
            ec2.deleteSecurityGroup(request);
            return true;
        });
    }

    private <T> CompletionStage<Outcome<T, CloudError>> send(String call, Duration deadline, Callable<T> request) {
        return offload.call(call, deadline, request).thenApply(answer -> answer.mapError(AwsErrors::of));
    }

    /** Runs {@code request} unless its parameters are wrong on sight; then it is answered without a call. */
    private static <T> CompletionStage<Outcome<T, CloudError>> fitting(
            String call, Supplier<CompletionStage<Outcome<T, CloudError>>> request) {
        try {
            return request.get();
        } catch (IllegalArgumentException e) {
            return refused(call + ": " + e.getMessage());
        }
    }

    private static <T> CompletionStage<Outcome<T, CloudError>> refused(String message) {
        return done(Outcome.failed(new CloudError.Refused("InvalidParameter", message)));
    }

    private static <T> CompletionStage<T> done(T value) {
        return CompletableFuture.completedFuture(value);
    }
}
