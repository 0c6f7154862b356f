package dev.kip.sim.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.MoreExecutors;
import dev.kip.kube.Codecs;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.PatchType;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.vertx.KubeClients;
import dev.kip.loop.system.SystemLoop;
import dev.kip.outcome.Outcome;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a person with rights on both sides does to an embedded world: objects of the cluster, calls to EC2. */
final class Administrator implements AutoCloseable {

    private static final ImmutableMap<String, ResourceKind<ObjectNode>> KINDS =
            ImmutableMap.<String, ResourceKind<ObjectNode>>builder()
                    .put("Secret", kind("", "v1", "Secret", "secrets", true))
                    .put("Pod", kind("", "v1", "Pod", "pods", true))
                    .put("Deployment", kind("apps", "v1", "Deployment", "deployments", true))
                    .put("DaemonSet", kind("apps", "v1", "DaemonSet", "daemonsets", true))
                    .put("Event", kind("", "v1", "Event", "events", true))
                    .put("Lease", kind("coordination.k8s.io", "v1", "Lease", "leases", true))
                    .put("Cell", kind("kip.elotl.co", "v1", "Cell", "cells", false))
                    .put("Installation", kind("kip.elotl.co", "v1", "Installation", "installations", false))
                    .put("Namespace", kind("", "v1", "Namespace", "namespaces", false))
                    .buildOrThrow();

    private final SystemLoop loop = SystemLoop.start("administrator");
    private final HttpClient client;
    private final KubeApi kube;
    private final URI ec2;

    Administrator(EmbeddedWorld world) {
        Config config = KubeClients.config(Optional.of(world.kubeconfig().toFile()));
        client = KubeClients.open(config);
        kube = new HttpKubeApi(
                client, KubeClients.base(config), loop, MoreExecutors.directExecutor(), Duration.ofSeconds(20));
        ec2 = URI.create(world.endpoints().ec2());
    }

    private static ResourceKind<ObjectNode> kind(
            String group, String version, String kind, String plural, boolean namespaced) {
        return new ResourceKind<>(group, version, kind, plural, namespaced, Codecs.tree());
    }

    ObjectNode create(String json) {
        ObjectNode object = (ObjectNode) JsonMapper.shared().readTree(json);
        ResourceKind<ObjectNode> kind = KINDS.get(object.path("kind").asString());
        return ask(() -> kube.create(kind, object.at("/metadata/namespace").asString(""), object));
    }

    ImmutableList<ObjectNode> list(String kind) {
        return ask(() -> kube.list(KINDS.get(kind), ListQuery.ALL)).items();
    }

    ObjectNode get(String kind, String namespace, String name) {
        return ask(() -> kube.get(KINDS.get(kind), new ObjectRef(namespace, name)));
    }

    void patch(String kind, String namespace, String name, String patch) {
        JsonNode body = JsonMapper.shared().readTree(patch);
        ask(() -> kube.patch(KINDS.get(kind), new ObjectRef(namespace, name), "", PatchType.MERGE, body));
    }

    void delete(String kind, String namespace, String name) {
        ask(() -> kube.delete(KINDS.get(kind), new ObjectRef(namespace, name), DeleteQuery.PLAIN));
    }

    /** Looks at the objects of a kind until one is as wanted. */
    ObjectNode await(String kind, Function<ObjectNode, Boolean> wanted) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            Optional<ObjectNode> found =
                    list(kind).stream().filter(wanted::apply).findFirst();
            if (found.isPresent()) {
                return found.get();
            }
            assertThat(System.nanoTime())
                    .as("no %s became as wanted within 60 s: %s", kind, list(kind))
                    .isLessThan(end);
            pause();
        }
    }

    /** Looks at the objects of a kind until none is like that. */
    void awaitGone(String kind, Function<ObjectNode, Boolean> like) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (list(kind).stream().anyMatch(like::apply)) {
            assertThat(System.nanoTime())
                    .as("a %s is still there after 60 s: %s", kind, list(kind))
                    .isLessThan(end);
            pause();
        }
    }

    private void pause() {
        CompletableFuture<Boolean> due = new CompletableFuture<>();
        loop.after(Duration.ofMillis(100), () -> due.complete(true));
        due.join();
    }

    /** A request to EC2: names and values in turn; the answer's XML. */
    String ec2(String action, String... parameters) {
        StringBuilder form = new StringBuilder("Action=" + action + "&Version=2016-11-15");
        for (int i = 0; i < parameters.length; i += 2) {
            form.append('&')
                    .append(parameters[i])
                    .append('=')
                    .append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
        }
        try {
            HttpResponse<String> answer = java.net.http.HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(ec2)
                                    .header("Content-Type", "application/x-www-form-urlencoded")
                                    .POST(HttpRequest.BodyPublishers.ofString(form.toString()))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            return answer.body();
        } catch (java.io.IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Launches one t3.micro with these tags, and says its id. */
    String launch(ImmutableMap<String, String> tags) {
        return launch("token-" + System.nanoTime(), tags);
    }

    String launch(String clientToken, ImmutableMap<String, String> tags) {
        String image = first("imageId", ec2("DescribeImages", "Owner.1", "amazon"));
        java.util.List<String> parameters = new java.util.ArrayList<>(java.util.List.of(
                "ImageId",
                image,
                "InstanceType",
                "t3.micro",
                "MinCount",
                "1",
                "MaxCount",
                "1",
                "ClientToken",
                clientToken));
        parameters.addAll(java.util.List.of("TagSpecification.1.ResourceType", "instance"));
        int i = 1;
        for (var tag : tags.entrySet()) {
            parameters.addAll(java.util.List.of(
                    "TagSpecification.1.Tag." + i + ".Key", tag.getKey(),
                    "TagSpecification.1.Tag." + i + ".Value", tag.getValue()));
            i++;
        }
        return first("instanceId", ec2("RunInstances", parameters.toArray(String[]::new)));
    }

    static String first(String element, String xml) {
        Matcher matcher = Pattern.compile("<" + element + ">([^<]*)</").matcher(xml);
        assertThat(matcher.find()).as("%s in %s", element, xml).isTrue();
        return matcher.group(1);
    }

    private <T> T ask(Supplier<CompletionStage<Outcome<T, KubeError>>> call) {
        CompletableFuture<Outcome<T, KubeError>> answer = new CompletableFuture<>();
        loop.post(() -> call.get().thenAccept(answer::complete));
        return answer.join().fold(value -> value, error -> {
            throw new AssertionError(error.message());
        });
    }

    @Override
    public void close() {
        client.close();
        loop.close();
    }
}
