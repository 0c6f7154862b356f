package dev.kip.cloud.aws;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CallLimits;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.cloud.EventQueue;
import dev.kip.cloud.Probe;
import dev.kip.loop.Offload;
import dev.kip.outcome.Outcome;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.Ec2ClientBuilder;
import software.amazon.awssdk.services.ec2.model.DescribeImagesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeInstancesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeNetworkInterfacesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeSubnetsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeVolumesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeVpcsRequest;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.InstanceStateChange;
import software.amazon.awssdk.services.ec2.model.Subnet;
import software.amazon.awssdk.services.ec2.model.Vpc;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.model.DecodeAuthorizationMessageRequest;
import software.amazon.awssdk.services.sts.model.GetCallerIdentityRequest;

/**
 * EC2 by the AWS SDK. Each call is one HTTP request on a slot of {@link Offload}: the SDK's retries are off, and its
 * waiters and paginators are not used. Called on the loop.
 */
public final class AwsCloud implements CloudApi {

    private static final Logger LOG = LoggerFactory.getLogger(AwsCloud.class);

    private static final int INSTANCES_PER_PAGE = 1000;
    private static final int RESOURCES_PER_PAGE = 1000;
    private static final String DEFAULT_VPC = "default";

    private final Ec2Client ec2;
    private final StsClient sts;
    private final Calls calls;
    private final Optional<EventQueue> events;
    private final TemplateCalls templates;
    private final GroupCalls groups;
    private final ProbeCalls probes;
    private final OfferCalls offers;
    private final PriceListCalls priceList;
    private final ImageParameters imageParameters;

    /**
     * @param http how requests travel; closed by whoever made it
     * @throws IllegalArgumentException naming the setting, what was wanted and what was found
     */
    public AwsCloud(CloudSettings settings, Offload offload, SdkHttpClient http, AwsCredentialsProvider credentials) {
        AwsSettings.check(settings);
        Ec2ClientBuilder builder = Clients.of(Ec2Client.builder(), settings, http, credentials);
        settings.endpoint().ifPresent(endpoint -> builder.endpointOverride(URI.create(endpoint)));
        this.ec2 = builder.build();
        this.sts = Sts.client(settings, http, credentials);
        this.calls = new Calls(offload);
        this.events =
                settings.extras().eventQueue().map(url -> SqsEvents.open(settings, url, calls, http, credentials));
        this.templates = new TemplateCalls(ec2, calls);
        this.groups = new GroupCalls(ec2, calls);
        this.probes = new ProbeCalls(ec2, calls);
        Prices prices = Prices.in(
                settings.region(),
                Optional.ofNullable(settings.environment().get(Prices.FILE)).map(Path::of));
        if (!prices.region().equals(settings.region())) {
            LOG.warn(
                    "No price table for {}: instance types are compared by their prices in {}; kip prices refresh makes one",
                    settings.region(),
                    prices.region());
        }
        this.offers = new OfferCalls(ec2, calls, prices);
        this.imageParameters = new ImageParameters(settings, http, credentials, calls);
        this.priceList = new PriceListCalls(
                settings.region(),
                Optional.ofNullable(settings.environment().get(PriceListCalls.ENDPOINT)),
                http,
                credentials,
                calls);
    }

    @Override
    public Optional<EventQueue> events() {
        return events;
    }

    @Override
    public CallLimits limits() {
        return AwsLimits.TABLE;
    }

    @Override
    public CompletionStage<Outcome<AccountFacts, CloudError>> account() {
        return calls.read("sts.GetCallerIdentity", () -> {
            var answer =
                    sts.getCallerIdentity(GetCallerIdentityRequest.builder().build());
            return new AccountFacts(Strings.nullToEmpty(answer.account()), Strings.nullToEmpty(answer.arn()));
        });
    }

    @Override
    public CompletionStage<Outcome<String, CloudError>> explainDenial(String encoded) {
        var request = DecodeAuthorizationMessageRequest.builder()
                .encodedMessage(encoded)
                .build();
        return calls.read(
                "sts.DecodeAuthorizationMessage",
                () -> Denials.text(sts.decodeAuthorizationMessage(request).decodedMessage()));
    }

    @Override
    public CompletionStage<Outcome<Permission, CloudError>> permitted(Probe probe) {
        return probes.send(probe);
    }

    @Override
    public CompletionStage<Outcome<ImmutableList<InstanceFacts>, CloudError>> launch(LaunchRequest request) {
        if (request.clientToken().isEmpty() || request.clientToken().length() > 64) {
            return Calls.refused("ec2.RunInstances: a client token has 1 to 64 characters, not "
                    + request.clientToken().length());
        }
        return Calls.fitting("ec2.RunInstances", () -> {
            TagRules.fit(request.tags()).dropped().forEach(reason -> LOG.warn("Not tagged: {}", reason));
            var run = Ec2Requests.runInstances(request);
            return calls.write(
                    "ec2.RunInstances",
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
        filtered(query.tags(), query.tagKeys()).ifPresent(request::filters);
        return calls.read("ec2.DescribeInstances", () -> {
            var answer = ec2.describeInstances(request.build());
            return new InstancePage(Ec2Facts.instances(answer.reservations()), Strings.nullToEmpty(answer.nextToken()));
        });
    }

    @Override
    public CompletionStage<Outcome<ImmutableMap<String, InstanceState>, CloudError>> terminate(
            ImmutableList<String> instanceIds) {
        var request = Ec2Requests.terminate(instanceIds);
        return calls.write(
                "ec2.TerminateInstances",
                () -> ec2.terminateInstances(request).terminatingInstances().stream()
                        .collect(toImmutableMap(
                                InstanceStateChange::instanceId,
                                change -> Ec2Facts.state(change.currentState().nameAsString()),
                                (first, second) -> second)));
    }

    @Override
    public CompletionStage<Outcome<TemplateVersion, CloudError>> createTemplate(TemplateContent content) {
        return templates.create(content);
    }

    @Override
    public CompletionStage<Outcome<TemplateVersion, CloudError>> createTemplateVersion(TemplateContent content) {
        return templates.createVersion(content);
    }

    @Override
    public CompletionStage<Outcome<TemplatePage, CloudError>> describeTemplates(
            ImmutableMap<String, String> tags, String pageToken) {
        return templates.describe(tags, pageToken);
    }

    @Override
    public CompletionStage<Outcome<TemplateVersionPage, CloudError>> templateVersions(
            String templateId, String pageToken) {
        return templates.versions(templateId, pageToken);
    }

    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> setDefaultTemplateVersion(String templateId, String version) {
        return templates.setDefault(templateId, version);
    }

    @Override
    public CompletionStage<Outcome<ImmutableList<String>, CloudError>> deleteTemplateVersions(
            String templateId, ImmutableList<String> versions) {
        return templates.deleteVersions(templateId, versions);
    }

    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> deleteTemplate(String templateId) {
        return templates.delete(templateId);
    }

    @Override
    public CompletionStage<Outcome<OfferingPage, CloudError>> offerings(String pageToken) {
        return offers.types(pageToken);
    }

    @Override
    public CompletionStage<Outcome<ZonePage, CloudError>> zones(String pageToken) {
        return offers.zones(pageToken);
    }

    @Override
    public CompletionStage<Outcome<SpotPricePage, CloudError>> spotPrices(Instant at, String pageToken) {
        return offers.spotPrices(at, pageToken);
    }

    @Override
    public CompletionStage<Outcome<ListPricePage, CloudError>> listPrices(String region, String pageToken) {
        return priceList.page(region, pageToken);
    }

    @Override
    public CompletionStage<Outcome<ImmutableList<ImageFacts>, CloudError>> images(
            ImmutableMap<String, String> selector) {
        return Calls.fitting("ec2.DescribeImages", () -> {
            @Nullable String names = selector.get(ImageParameters.KEY);
            if (names != null) {
                return imageParameters
                        .ids(names)
                        .thenCompose(answer -> answer.fold(
                                ids -> images(ImageSelector.byId(selector, ids)),
                                error -> Calls.done(Outcome.failed(error))));
            }
            DescribeImagesRequest request = ImageSelector.request(selector);
            return calls.read(
                    "ec2.DescribeImages",
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
        return calls.read(
                        "ec2.DescribeSubnets",
                        () -> ec2.describeSubnets(request.build()).subnets())
                .thenCompose(answer -> answer.fold(this::withVpcCidrs, error -> Calls.done(Outcome.failed(error))));
    }

    private CompletionStage<Outcome<ImmutableList<SubnetFacts>, CloudError>> withVpcCidrs(List<Subnet> subnets) {
        ImmutableList<String> vpcs =
                subnets.stream().map(Subnet::vpcId).distinct().sorted().collect(toImmutableList());
        if (vpcs.isEmpty()) {
            return Calls.done(Outcome.ok(ImmutableList.of()));
        }
        var request = DescribeVpcsRequest.builder().vpcIds(vpcs).build();
        return calls.read("ec2.DescribeVpcs", () -> {
            ImmutableMap<String, String> cidrs = ec2.describeVpcs(request).vpcs().stream()
                    .collect(toImmutableMap(Vpc::vpcId, vpc -> Strings.nullToEmpty(vpc.cidrBlock())));
            return subnets.stream()
                    .map(subnet -> Ec2Facts.subnet(subnet, cidrs.getOrDefault(subnet.vpcId(), "")))
                    .collect(toImmutableList());
        });
    }

    @Override
    public CompletionStage<Outcome<ImmutableList<String>, CloudError>> securityGroups(String vpcId, String name) {
        return groups.named(vpcId, name);
    }

    @Override
    public CompletionStage<Outcome<GroupPage, CloudError>> securityGroups(ResourceQuery query) {
        return groups.describe(query);
    }

    @Override
    public CompletionStage<Outcome<String, CloudError>> createSecurityGroup(
            String vpcId, String name, String description, ImmutableMap<String, String> tags) {
        return groups.create(vpcId, name, description, tags);
    }

    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> allowIngress(String groupId, ImmutableList<String> cidrs) {
        return groups.allowIngress(groupId, cidrs);
    }

    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> deleteSecurityGroup(String groupId) {
        return groups.delete(groupId);
    }

    @Override
    public CompletionStage<Outcome<VolumePage, CloudError>> volumes(ResourceQuery query) {
        DescribeVolumesRequest.Builder request =
                DescribeVolumesRequest.builder().maxResults(RESOURCES_PER_PAGE);
        filtered(query.tags(), query.tagKeys()).ifPresent(request::filters);
        Ec2Requests.page(query.pageToken()).ifPresent(request::nextToken);
        return calls.read("ec2.DescribeVolumes", () -> {
            var answer = ec2.describeVolumes(request.build());
            return new VolumePage(
                    answer.volumes().stream().map(ResourceFacts::volume).collect(toImmutableList()),
                    Strings.nullToEmpty(answer.nextToken()));
        });
    }

    @Override
    public CompletionStage<Outcome<InterfacePage, CloudError>> networkInterfaces(ResourceQuery query) {
        DescribeNetworkInterfacesRequest.Builder request =
                DescribeNetworkInterfacesRequest.builder().maxResults(RESOURCES_PER_PAGE);
        filtered(query.tags(), query.tagKeys()).ifPresent(request::filters);
        Ec2Requests.page(query.pageToken()).ifPresent(request::nextToken);
        return calls.read("ec2.DescribeNetworkInterfaces", () -> {
            var answer = ec2.describeNetworkInterfaces(request.build());
            return new InterfacePage(
                    answer.networkInterfaces().stream()
                            .map(ResourceFacts::networkInterface)
                            .collect(toImmutableList()),
                    Strings.nullToEmpty(answer.nextToken()));
        });
    }

    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> createTags(
            ImmutableList<String> resourceIds, ImmutableMap<String, String> tags) {
        return Calls.fitting("ec2.CreateTags", () -> {
            var request = Ec2Requests.createTags(resourceIds, tags);
            return calls.write("ec2.CreateTags", () -> {
                ec2.createTags(request);
                return true;
            });
        });
    }

    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> deleteTags(
            ImmutableList<String> resourceIds, ImmutableList<String> keys) {
        var request = Ec2Requests.deleteTags(resourceIds, keys);
        return calls.write("ec2.DeleteTags", () -> {
            ec2.deleteTags(request);
            return true;
        });
    }

    static Optional<ImmutableList<Filter>> filtered(ImmutableMap<String, String> tags, ImmutableList<String> tagKeys) {
        ImmutableList<Filter> filters = ImmutableList.<Filter>builder()
                .addAll(Ec2Facts.tagFilters(tags))
                .addAll(tagKeys.stream()
                        .map(key -> Ec2Facts.filter("tag-key", key))
                        .iterator())
                .build();
        return filters.isEmpty() ? Optional.empty() : Optional.of(filters);
    }
}
