package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.sim.scenario.Given;
import dev.kip.sim.scenario.World.Machine;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.Instance;
import software.amazon.awssdk.services.ec2.model.InstanceType;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.RunInstancesRequest;
import software.amazon.awssdk.services.ec2.model.Tag;
import software.amazon.awssdk.services.ec2.model.TagSpecification;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Object;

/** EC2 and S3 as anyone with the account's keys sees them: moto's, started here, or those at a URL. */
final class Cloud implements AutoCloseable {

    static final String KEY = "testing";
    private static final Region REGION = Region.US_EAST_1;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int PER_PAGE = 1000;

    private final URI url;
    private final Optional<Program> moto;
    private final Ec2Client ec2;
    private final S3Client s3;
    private final String bucket;
    private final ImmutableSet<String> before;
    private final int templatesBefore;
    private final int groupsBefore;
    private final Set<String> strangers = new LinkedHashSet<>();

    private Cloud(URI url, Optional<Program> moto, String bucket) {
        this.url = url;
        this.moto = moto;
        this.bucket = bucket;
        StaticCredentialsProvider keys = StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY, KEY));
        this.ec2 = Ec2Client.builder()
                .region(REGION)
                .endpointOverride(url)
                .httpClient(UrlConnectionHttpClient.create())
                .credentialsProvider(keys)
                .build();
        this.s3 = S3Client.builder()
                .region(REGION)
                .endpointOverride(url)
                .forcePathStyle(true)
                .httpClient(UrlConnectionHttpClient.create())
                .credentialsProvider(keys)
                .build();
        this.before = instances().stream().map(Instance::instanceId).collect(ImmutableSet.toImmutableSet());
        this.templatesBefore = allTemplates();
        this.groupsBefore = allGroups();
    }

    /** @param name of this world, for what it makes where others work too */
    static Cloud open(WallParts parts, Path folder, String name, Given.Anchor anchor) throws IOException {
        Optional<Program> moto = Optional.empty();
        URI url;
        if (parts.cloud().isPresent()) {
            url = parts.cloud().get();
        } else {
            int port = FreePort.take();
            url = URI.create("http://127.0.0.1:" + port);
            Program started = Program.start(
                    "moto",
                    folder.resolve("logs/moto.log"),
                    ImmutableMap.of("MOTO_PORT", Integer.toString(port)),
                    ImmutableList.of(parts.program("moto_server"), "-H", "127.0.0.1", "-p", Integer.toString(port)));
            moto = Optional.of(started);
            Patience.await("moto", PATIENCE, started, () -> answers(url.resolve("/moto-api/data.json")));
        }
        Cloud cloud = new Cloud(url, moto, "kip-anchor-" + name);
        if (anchor == Given.Anchor.S3) {
            cloud.s3.createBucket(request -> request.bucket(cloud.bucket));
        }
        return cloud;
    }

    private static boolean answers(URI url) {
        try {
            HttpClient client = HttpClient.newHttpClient();
            return client.send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException notYet) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    URI url() {
        return url;
    }

    Ec2Client ec2() {
        return ec2;
    }

    /** As {@code ownership.anchor} names it. */
    String anchor() {
        return "s3://" + bucket + "/kip";
    }

    /** Instances that were launched since the world began, those that have ended too. */
    ImmutableList<Machine> machines() {
        return instances().stream()
                .filter(instance -> !before.contains(instance.instanceId()))
                .map(instance -> new Machine(
                        instance.instanceId(),
                        instance.state().nameAsString(),
                        tags(instance),
                        !strangers.contains(instance.instanceId())))
                .collect(ImmutableList.toImmutableList());
    }

    private ImmutableList<Instance> instances() {
        return ec2.describeInstancesPaginator(request -> request.maxResults(PER_PAGE)).reservations().stream()
                .flatMap(reservation -> reservation.instances().stream())
                .collect(ImmutableList.toImmutableList());
    }

    private static ImmutableMap<String, String> tags(Instance instance) {
        return instance.tags().stream().collect(ImmutableMap.toImmutableMap(Tag::key, Tag::value));
    }

    int templates() {
        return allTemplates() - templatesBefore;
    }

    private int allTemplates() {
        return ec2.describeLaunchTemplates().launchTemplates().size();
    }

    int securityGroups() {
        return allGroups() - groupsBefore;
    }

    private int allGroups() {
        return ec2.describeSecurityGroups().securityGroups().size();
    }

    void terminate(String instanceId) {
        ec2.terminateInstances(request -> request.instanceIds(instanceId));
    }

    void stop(String instanceId) {
        ec2.stopInstances(request -> request.instanceIds(instanceId));
    }

    void tag(String instanceId, Map<String, String> set, List<String> remove) {
        if (!set.isEmpty()) {
            ec2.createTags(request -> request.resources(instanceId).tags(tags(set)));
        }
        List<Tag> gone = remove.stream()
                .filter(key -> !key.startsWith("aws:"))
                .map(key -> Tag.builder().key(key).build())
                .toList();
        if (!gone.isEmpty()) {
            ec2.deleteTags(request -> request.resources(instanceId).tags(gone));
        }
    }

    /** Instances that are no cells. */
    void launchStrangers(int count, Map<String, String> tags) {
        String image = ec2.describeImages(request -> request.owners("amazon"))
                .images()
                .get(0)
                .imageId();
        RunInstancesRequest.Builder request = RunInstancesRequest.builder()
                .imageId(image)
                .instanceType(InstanceType.T3_MICRO)
                .minCount(1)
                .maxCount(1);
        if (!tags.isEmpty()) {
            request.tagSpecifications(TagSpecification.builder()
                    .resourceType(ResourceType.INSTANCE)
                    .tags(tags(tags))
                    .build());
        }
        for (int i = 0; i < count; i++) {
            ec2.runInstances(request.build()).instances().forEach(instance -> strangers.add(instance.instanceId()));
        }
    }

    private static List<Tag> tags(Map<String, String> tags) {
        return tags.entrySet().stream()
                .map(tag ->
                        Tag.builder().key(tag.getKey()).value(tag.getValue()).build())
                .toList();
    }

    ImmutableList<String> anchorObjects() {
        boolean made =
                s3.listBuckets().buckets().stream().anyMatch(one -> one.name().equals(bucket));
        return !made
                ? ImmutableList.of()
                : s3.listObjectsV2(request -> request.bucket(bucket)).contents().stream()
                        .map(S3Object::key)
                        .collect(ImmutableList.toImmutableList());
    }

    void loseAnchor() {
        anchorObjects()
                .forEach(
                        key -> s3.deleteObject(request -> request.bucket(bucket).key(key)));
    }

    /** Where others work too, what controllers of this world launched is ended. */
    @Override
    public void close() {
        if (moto.isEmpty()) {
            machines().stream().filter(Machine::lives).map(Machine::id).forEach(this::terminate);
        }
        ec2.close();
        s3.close();
        moto.ifPresent(Program::close);
    }
}
