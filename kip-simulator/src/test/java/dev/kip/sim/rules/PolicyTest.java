package dev.kip.sim.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.InstanceQuery;
import dev.kip.cloud.CloudApi.LaunchRequest;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.ResourceQuery;
import dev.kip.cloud.CloudApi.TemplateContent;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.cloud.CloudProvider.Extras;
import dev.kip.cloud.EventQueue;
import dev.kip.cloud.aws.AwsAnchors;
import dev.kip.cloud.aws.AwsCloud;
import dev.kip.http.HttpService;
import dev.kip.sim.aws.CallLog;
import dev.kip.sim.dynamodb.SimDynamoDb;
import dev.kip.sim.ec2.Ec2Settings;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimOffload;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.SimSdkHttpClient;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.s3.SimS3;
import dev.kip.sim.sqs.SimSqs;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import tools.jackson.databind.JsonNode;

/** The IAM policies: each allows exactly the actions that its port can send, and lets nobody do what it should not. */
class PolicyTest {

    /** Asked for by no call of ours: EC2 looks whether the caller may hand the role to instances. */
    private static final String HANDED_ON = "iam:PassRole";

    /** Everybody may ask who he is; no policy can forbid it. */
    private static final String FREE = "ec2:GetCallerIdentity";

    private static final String DECODE = "DecodeAuthorizationMessage";

    private static final ImmutableMap<String, String> TAGS = ImmutableMap.of("KipControllerID", "abc");

    private final Kernel kernel = new Kernel(3, Instant.parse("2030-01-01T00:00:00Z"), new Trace(false));
    private final SimProcess server = new SimProcess(kernel, "aws");
    private final SimNetwork network = new SimNetwork(
            kernel, (from, to, request) -> new Call(from, to, request.method(), request.rawPath(), true));
    private final SimOffload offload = new SimOffload(new SimProcess(kernel, "kip"), 4, Duration.ofMillis(200));

    @ParameterizedTest
    @ValueSource(strings = {"iam-policy.json", "iam-policy-fenced.json"})
    void the_controllers_policies_allow_exactly_what_the_cloud_port_can_send(String name) throws IOException {
        SimEc2 ec2 = new SimEc2(server, kernel.entropy("ec2"), Ec2Settings.quick());
        callAll(CloudApi.class, cloud(ec2));
        SortedSet<String> sent = sent("ec2:", ec2.log());
        sent.remove(FREE);
        assertThat(sent.remove("ec2:" + DECODE)).isTrue();
        sent.add("sts:" + DECODE); // answered at EC2's endpoint here, as emulators do
        sent.add(HANDED_ON);

        assertThat(Policy.read(name).actions()).isEqualTo(sent);
    }

    @Test
    void the_policies_of_the_anchor_allow_exactly_what_the_anchor_port_can_send() throws IOException {
        SimS3 s3 = new SimS3(server, kernel.entropy("s3"));
        callAll(AnchorStore.class, anchors(s3, "s3://kip-anchors"));
        SimDynamoDb dynamoDb = new SimDynamoDb(server, kernel.entropy("dynamodb"));
        callAll(AnchorStore.class, anchors(dynamoDb, "dynamodb://kip-anchors"));

        SortedSet<String> toS3 = sent("s3:", s3.log());
        assertThat(toS3.remove("s3:ListObjectsV2")).isTrue();
        toS3.add("s3:ListBucket"); // as IAM calls it
        assertThat(Policy.read("iam-policy-anchor-s3.json").actions()).isEqualTo(toS3);
        assertThat(Policy.read("iam-policy-anchor-dynamodb.json").actions())
                .isEqualTo(sent("dynamodb:", dynamoDb.log()));
    }

    @Test
    void the_policy_of_the_event_queue_allows_exactly_what_its_port_can_send() throws IOException {
        SimSqs sqs = new SimSqs(server, kernel.entropy("sqs"));
        network.listen("aws.sim", -1, "aws", server, sqs);
        CloudSettings withQueue = settings()
                .with(new Extras(
                        Optional.of("http://aws.sim/123456789012/events"),
                        Optional.empty(),
                        Optional.empty(),
                        false,
                        false));
        CloudApi cloud = new AwsCloud(
                withQueue, offload, new SimSdkHttpClient(network, offload), AnonymousCredentialsProvider.create());
        callAll(EventQueue.class, cloud.events().orElseThrow());

        SortedSet<String> sent = sent("sqs:", sqs.log());
        assertThat(sent.remove("sqs:DeleteMessageBatch")).isTrue();
        sent.add("sqs:DeleteMessage"); // as IAM calls it
        assertThat(Policy.read("iam-policy-events.json").actions()).isEqualTo(sent);
    }

    private CloudApi cloud(HttpService ec2) {
        network.listen("aws.sim", -1, "aws", server, ec2);
        return new AwsCloud(
                settings(), offload, new SimSdkHttpClient(network, offload), AnonymousCredentialsProvider.create());
    }

    private AnchorStore anchors(HttpService store, String location) {
        network.listen("aws.sim", -1, "aws", server, store);
        return AwsAnchors.open(
                settings(),
                location,
                Optional.of("http://aws.sim"),
                offload,
                new SimSdkHttpClient(network, offload),
                AnonymousCredentialsProvider.create());
    }

    private static CloudSettings settings() {
        return new CloudSettings(
                "us-east-1",
                Optional.of("http://aws.sim"),
                Optional.empty(),
                Optional.empty(),
                false,
                ImmutableMap.of());
    }

    private static SortedSet<String> sent(String service, CallLog log) {
        SortedSet<String> actions = new TreeSet<>();
        log.counts().keySet().forEach(action -> actions.add(service + action));
        return actions;
    }

    /** Every method of the port but the dry runs, which send the same; whatever the answer, the call was sent. */
    private <T> void callAll(Class<T> port, T target) {
        ImmutableSet<String> silent = ImmutableSet.of("permitted", "location", "limits", "events");
        for (Method method : port.getMethods()) {
            if (!silent.contains(method.getName())) {
                Object[] arguments = Arrays.stream(method.getGenericParameterTypes())
                        .map(type -> argument(type.getTypeName()))
                        .toArray();
                invoke(target, method, arguments);
                kernel.runFor(Duration.ofSeconds(1));
            }
        }
    }

    private static void invoke(Object target, Method method, Object[] arguments) {
        try {
            method.invoke(target, arguments);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new LinkageError(method.getName(), e);
        }
    }

    private static Object argument(String type) {
        if (type.equals(String.class.getName())) {
            return "x-1";
        }
        if (type.equals(Instant.class.getName())) {
            return Instant.parse("2030-01-01T00:00:00Z");
        }
        if (type.equals(Duration.class.getName())) {
            return Duration.ofSeconds(1);
        }
        if (type.startsWith(Optional.class.getName())) {
            return Optional.empty();
        }
        if (type.startsWith(ImmutableMap.class.getName())) {
            return ImmutableMap.of();
        }
        if (type.startsWith(ImmutableList.class.getName())) {
            return ImmutableList.of("x-1");
        }
        if (type.endsWith("InstanceQuery")) {
            return InstanceQuery.ofTags(TAGS, "");
        }
        if (type.endsWith("ResourceQuery")) {
            return ResourceQuery.ofTags(TAGS, "");
        }
        if (type.endsWith("TemplateContent")) {
            return new TemplateContent("cells", "ami-1", Optional.empty(), 8, "", Optional.empty(), "1", TAGS);
        }
        if (type.endsWith("LaunchRequest")) {
            return new LaunchRequest(
                    "lt-1",
                    "1",
                    "t3.nano",
                    Optional.empty(),
                    ImmutableList.of(),
                    false,
                    Market.ON_DEMAND,
                    1,
                    "token",
                    TAGS);
        }
        throw new AssertionError("an argument that this test cannot make: " + type);
    }

    private static final String EC2 = "arn:aws:ec2:us-east-1:123456789012:";
    private static final String LAUNCH = "ec2:RunInstances";
    private static final ImmutableMap<String, String> BY_TEMPLATE =
            ImmutableMap.of("ec2:LaunchTemplate", EC2 + "launch-template/lt-1");

    /** What the controller of installation abc asks for, and whether each policy lets it. */
    private enum Wish {
        END_OWN("ec2:TerminateInstances", "instance/i-1", true, true, owned("abc"), proven()),
        END_ANOTHERS("ec2:TerminateInstances", "instance/i-1", true, false, owned("def"), proven()),
        END_LEGACY("ec2:TerminateInstances", "instance/i-1", false, false, owned("abc")),
        END_NOBODYS("ec2:TerminateInstances", "instance/i-1", false, false),
        LAUNCH_TAGGED(LAUNCH, "instance/*", true, true, requested("abc"), BY_TEMPLATE),
        LAUNCH_DISK(LAUNCH, "volume/*", true, true, requested("abc"), BY_TEMPLATE),
        LAUNCH_UNTAGGED(LAUNCH, "instance/*", false, false, BY_TEMPLATE),
        LAUNCH_IN_ANOTHERS_NAME(LAUNCH, "instance/*", true, false, requested("def"), BY_TEMPLATE),
        LAUNCH_WITHOUT_A_TEMPLATE(LAUNCH, "instance/*", true, false, requested("abc")),
        LAUNCH_BY_OWN_TEMPLATE(LAUNCH, "launch-template/lt-1", true, true, owned("abc")),
        LAUNCH_BY_ANOTHERS_TEMPLATE(LAUNCH, "launch-template/lt-1", true, false, owned("def")),
        LAUNCH_IN_A_SUBNET(LAUNCH, "subnet/subnet-1", true, true, BY_TEMPLATE),
        MAKE_TEMPLATE("ec2:CreateLaunchTemplate", "launch-template/*", true, true, requested("abc")),
        MAKE_UNTAGGED_TEMPLATE("ec2:CreateLaunchTemplate", "launch-template/*", false, false),
        MAKE_GROUP("ec2:CreateSecurityGroup", "vpc/vpc-1", true, true),
        DELETE_OWN_GROUP("ec2:DeleteSecurityGroup", "security-group/sg-1", true, true, owned("abc")),
        DELETE_ANOTHERS_GROUP("ec2:DeleteSecurityGroup", "security-group/sg-1", true, false, owned("def")),
        DELETE_NOBODYS_GROUP("ec2:DeleteSecurityGroup", "security-group/sg-1", false, false),
        DELETE_ANOTHERS_VERSIONS("ec2:DeleteLaunchTemplateVersions", "launch-template/lt-1", true, false, owned("def")),
        TAG_WHILE_LAUNCHING(
                "ec2:CreateTags",
                "instance/*",
                true,
                true,
                requested("abc"),
                ImmutableMap.of("ec2:CreateAction", "RunInstances")),
        FORGE_A_PROOF(
                "ec2:CreateTags",
                "instance/i-1",
                false,
                false,
                requested("abc"),
                ImmutableMap.of("aws:TagKeys", "KipControllerID,kip.elotl.co/mac")),
        QUARANTINE_OWN(
                "ec2:CreateTags",
                "instance/i-1",
                true,
                true,
                owned("abc"),
                proven(),
                ImmutableMap.of("aws:TagKeys", "kip.elotl.co/gc-candidate")),
        CHANGE_THE_PROOF(
                "ec2:CreateTags",
                "instance/i-1",
                false,
                false,
                owned("abc"),
                proven(),
                ImmutableMap.of("aws:TagKeys", "kip.elotl.co/gc-candidate,kip.elotl.co/mac"));

        private final String action;
        private final String resource;
        private final boolean plain;
        private final boolean fenced;
        private final ImmutableMap<String, String> context;

        @SafeVarargs
        @SuppressWarnings("varargs") // of maps that never change
        Wish(String action, String resource, boolean plain, boolean fenced, ImmutableMap<String, String>... context) {
            this.action = action;
            this.resource = resource;
            this.plain = plain;
            this.fenced = fenced;
            this.context = Arrays.stream(context)
                    .flatMap(part -> part.entrySet().stream())
                    .collect(ImmutableMap.toImmutableMap(Map.Entry::getKey, Map.Entry::getValue));
        }

        private static ImmutableMap<String, String> owned(String id) {
            return ImmutableMap.of("aws:ResourceTag/KipControllerID", id);
        }

        private static ImmutableMap<String, String> proven() {
            return ImmutableMap.of("aws:ResourceTag/kip.elotl.co/mac", "m");
        }

        private static ImmutableMap<String, String> requested(String id) {
            return ImmutableMap.of("aws:RequestTag/KipControllerID", id);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_wish_is_granted_or_not(Wish wish) throws IOException {
        ImmutableMap<String, String> ofAbc = ImmutableMap.<String, String>builder()
                .putAll(wish.context)
                .put("aws:PrincipalTag/KipControllerID", "abc")
                .buildOrThrow();

        assertThat(Policy.read("iam-policy.json").allows(wish.action, EC2 + wish.resource, wish.context))
                .isEqualTo(wish.plain);
        Policy fenced = Policy.read("iam-policy-fenced.json");
        assertThat(fenced.allows(wish.action, EC2 + wish.resource, ofAbc)).isEqualTo(wish.fenced);
    }

    @Test
    void a_role_without_the_tag_owns_nothing() throws IOException {
        ImmutableMap<String, String> untagged =
                ImmutableMap.of("aws:ResourceTag/KipControllerID", "", "aws:ResourceTag/kip.elotl.co/mac", "m");

        assertThat(Policy.read("iam-policy-fenced.json")
                        .allows("ec2:TerminateInstances", EC2 + "instance/i-1", untagged))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, false"})
    void only_the_image_of_the_template_is_launched_where_fenced(boolean ofTheTemplate, boolean granted)
            throws IOException {
        ImmutableMap<String, String> context = ImmutableMap.<String, String>builder()
                .putAll(BY_TEMPLATE)
                .put("ec2:IsLaunchTemplateResource", String.valueOf(ofTheTemplate))
                .buildOrThrow();
        String image = "arn:aws:ec2:us-east-1::image/ami-1";

        assertThat(Policy.read("iam-policy-fenced.json").allows(LAUNCH, image, context))
                .isEqualTo(granted);
        assertThat(Policy.read("iam-policy.json").allows(LAUNCH, image, context))
                .isTrue();
    }

    @Test
    void the_anchor_is_kept_under_its_prefix_and_what_is_missing_is_told_from_what_is_forbidden() throws IOException {
        Policy policy = Policy.read("iam-policy-anchor-s3.json");
        String bucket = "arn:aws:s3:::BUCKET";

        assertThat(policy.allows("s3:PutObject", bucket + "/PREFIX/names/a", ImmutableMap.of()))
                .isTrue();
        assertThat(policy.allows("s3:GetObject", bucket + "/OTHER/names/a", ImmutableMap.of()))
                .isFalse();
        assertThat(policy.allows("s3:ListBucket", bucket, ImmutableMap.of())).isTrue();
        assertThat(policy.allows("s3:ListBucket", bucket, ImmutableMap.of("s3:prefix", "PREFIX/names/")))
                .isTrue();
        assertThat(policy.allows("s3:ListBucket", bucket, ImmutableMap.of("s3:prefix", "OTHER/")))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "iam-policy.json",
                "iam-policy-fenced.json",
                "iam-policy-anchor-s3.json",
                "iam-policy-anchor-dynamodb.json",
                "iam-policy-events.json",
                "iam-policy-images.json"
            })
    void a_policy_is_a_document_that_iam_takes(String name) throws IOException {
        JsonNode document = Policy.read(name).document();

        assertThat(document.path("Version").asString()).isEqualTo("2012-10-17");
        assertThat(document.toString().replaceAll("\\s", "").length())
                .as("an inline policy of a role has at most 10,240 characters, a managed one 6,144")
                .isLessThan(6144);
        assertThat(document.path("Statement")
                        .valueStream()
                        .map(one -> one.path("Sid").asString()))
                .doesNotHaveDuplicates()
                .allMatch(sid -> sid.matches("[A-Za-z0-9]+"));
        assertThat(document.path("Statement").valueStream()).allSatisfy(statement -> {
            assertThat(statement.propertyNames()).isSubsetOf("Sid", "Effect", "Action", "Resource", "Condition");
            assertThat(statement.path("Effect").asString()).isEqualTo("Allow");
        });
    }
}
