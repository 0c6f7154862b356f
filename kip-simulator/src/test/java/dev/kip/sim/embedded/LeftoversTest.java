package dev.kip.sim.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.controller.cli.RealProcess;
import dev.kip.controller.config.ProviderYaml;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.controller.config.Surroundings;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.ownership.AnchorKeys;
import dev.kip.controller.ownership.Identity;
import dev.kip.controller.ownership.ShardAnchor;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import dev.kip.sim.embedded.CommandsTest.Result;
import dev.kip.sim.kernel.SeededEntropy;
import dev.kip.sim.s3.SimS3;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What installations without a controller have left, and the commands that end it, beside one that lives. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeftoversTest {

    private static final String DEAD = "abcdefghijklmnopqrstuvwxyz";
    private static final String MOVED = "cccccccccccccccccccccccccc";
    private static final String COPIED = "dddddddddddddddddddddddddd";
    private static final String LOST = "bbbbbbbbbbbbbbbbbbbbbbbbbb";

    @TempDir
    private static Path data;

    private final SystemLoop loop = SystemLoop.start("s3");
    private final SimS3 s3 = new SimS3(loop, new SeededEntropy(5));
    private final InstallationKeys keys = InstallationKeys.create(new SeededEntropy(7), Instant.EPOCH);
    private EmbeddedWorld world;
    private Administrator admin;
    private VertxHttpServer s3Server;

    @BeforeAll
    void start() throws IOException {
        world = EmbeddedWorld.start(new EmbeddedWorld.Wish(data.resolve("world"), 0, false, false), doing -> {});
        admin = new Administrator(world);
        s3.createBucket("anchors");
        s3Server = VertxHttpServer.start(ServerBinding.plain("127.0.0.1", 0), loop, s3);
    }

    @AfterAll
    void end() throws IOException {
        s3Server.close();
        loop.close();
        admin.close();
        world.close();
    }

    @Test
    void gc_ends_what_nobody_claims_and_leaves_the_rest_alone() throws IOException {
        Path place = place("dead", "dead-node", "");
        installation("dead", DEAD, "dead-node");
        String orphan = launch(DEAD, "dead-node", "orphan");
        String claimed = launch(DEAD, "dead-node", "claimed");
        admin.create(cell("dead-cell", DEAD, "dead-node", claimed, "claimed"));
        String copied = admin.launch(ImmutableMap.of(
                Tags.INSTALLATION, DEAD, Tags.MAC, mac(DEAD, "dead-node", "orphan"), Tags.NODE, "dead-node"));
        String foreign = admin.launch(ImmutableMap.of(Tags.INSTALLATION, "another", Tags.BATCH, "b"));

        Result shown = CommandsTest.kip(place, "gc");

        assertThat(shown.code()).as(shown.err()).isZero();
        assertThat(shown.out())
                .containsPattern(
                        orphan + " .* would end +no Cell and no open LaunchBatch claims it +carries our id and our MAC")
                .containsPattern(claimed + " .* claimed +Cell dead-cell")
                .containsPattern(copied + " .* not ours +carries our id, but its MAC is not ours")
                .contains("1 instance would be ended: $0.0104 an hour", "To end them: kip gc --yes")
                .contains("Left alone, foreign: ");
        assertThat(state(orphan)).isEqualTo("running");

        Result ended = CommandsTest.kip(place, "gc", "--yes");

        assertThat(ended.out()).contains("1 instance ended").containsPattern(orphan + " .* ended");
        assertThat(ended.code()).as("something that carries our id is left").isEqualTo(1);
        assertThat(state(orphan)).isNotEqualTo("running");
        assertThat(state(claimed)).isEqualTo("running");
        assertThat(state(copied)).isEqualTo("running");
        assertThat(state(foreign)).isEqualTo("running");
        assertThat(CommandsTest.kip(place, "audit").out())
                .containsPattern("InstanceTerminated +" + orphan + " .*by kip gc");
        assertThat(admin.get("Lease", "kube-system", "dead-dead-node")
                        .at("/spec/holderIdentity")
                        .asString(""))
                .as("the lease was given back")
                .isEmpty();
    }

    @Test
    void gc_by_a_record_that_was_copied_from_another_cluster_ends_nothing_that_may_live_there() throws Exception {
        Path place = place("copied", "copied-node", anchor());
        installation("copied", COPIED, "copied-node", "the-other-cluster");
        String unseen = launch(COPIED, "copied-node", "unseen");

        for (String[] words : new String[][] {{"gc"}, {"gc", "--yes"}}) {
            Result refused = CommandsTest.kip(place, words);

            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.err()).contains("the cluster that answers is another one", "--cluster-gone");
        }
        put(AnchorKeys.shard(COPIED, "copied-node"), "garbage");
        Result unclear = CommandsTest.kip(place, "gc", "--cluster-gone", "--yes");
        assertThat(unclear.code()).isEqualTo(1);
        assertThat(unclear.err())
                .contains(AnchorKeys.shard(COPIED, "copied-node")
                        + " of the anchor s3://anchors/kip cannot be made sense of");
        put(AnchorKeys.shard(COPIED, "copied-node"), confirmed(Instant.now()));
        assertThat(CommandsTest.kip(place, "gc", "--cluster-gone", "--yes").err())
                .contains("lives: kip-0 renewed");
        assertThat(state(unseen)).isEqualTo("running");

        put(AnchorKeys.shard(COPIED, "copied-node"), confirmed(Instant.EPOCH));
        assertThat(CommandsTest.kip(place, "gc", "--cluster-gone", "--yes").out())
                .contains("1 instance ended");
        assertThat(state(unseen)).isNotEqualTo("running");
    }

    @Test
    void gc_leaves_a_living_installation_to_its_controller() {
        Path place = data.resolve("world");

        assertThat(CommandsTest.kip(place, "gc").out())
                .contains("It lives: kip-up")
                .contains("holds the Lease of node");
        Result told = CommandsTest.kip(place, "gc", "--yes");

        assertThat(told.code()).isZero();
        assertThat(told.out()).contains("Nothing was ended by this command.");
        assertThat(admin.get("Installation", "", "kip")
                        .at("/metadata/annotations")
                        .toString())
                .contains("kip.elotl.co/gc-approved");
        Result gone = CommandsTest.kip(place, "gc", "--cluster-gone");
        assertThat(gone.code()).isEqualTo(1);
        assertThat(gone.err()).contains("answers. To take all of it down: kip drain");
    }

    @Test
    void gc_needs_no_cluster_if_the_anchor_has_the_keys() throws Exception {
        Path place = place("lost", "lost-node", anchor());
        Files.writeString(
                place.resolve("kubeconfig"),
                Files.readString(place.resolve("kubeconfig")).replaceAll("server: .*", "server: https://127.0.0.1:9"));
        String orphan = launch(LOST, "lost-node", "lost");
        String group = Administrator.first(
                "groupId",
                admin.ec2(
                        "CreateSecurityGroup",
                        "GroupName",
                        "kip-lost",
                        "GroupDescription",
                        "cells",
                        "TagSpecification.1.ResourceType",
                        "security-group",
                        "TagSpecification.1.Tag.1.Key",
                        Tags.INSTALLATION,
                        "TagSpecification.1.Tag.1.Value",
                        LOST));
        put(
                AnchorKeys.identity(LOST),
                new Identity(LOST, "gone-cluster", "", "us-east-1", "default", "lost", keys.toSecretData(), "")
                        .toJson());
        put(AnchorKeys.byName("lost", "lost-node"), LOST);
        put(AnchorKeys.shard(LOST, "lost-node"), confirmed(Instant.now()));

        Result living = CommandsTest.kip(place, "gc", "--cluster-gone", "--yes");

        assertThat(living.code()).isEqualTo(1);
        assertThat(living.err()).contains("lives: kip-0 renewed the anchor of node lost-node");
        put(AnchorKeys.shard(LOST, "lost-node"), confirmed(Instant.EPOCH));
        Result unsaid = CommandsTest.kip(place, "gc", "--yes");
        assertThat(unsaid.code()).isEqualTo(1);
        assertThat(unsaid.err()).contains("which of its pods live is not known", "--cluster-gone");
        Result shown = CommandsTest.kip(place, "gc", "--cluster-gone");
        assertThat(shown.out())
                .containsPattern(orphan + " .* would end")
                .contains("would be deleted too: security group kip-lost", "keys from the anchor s3://anchors/kip");

        Result ended = CommandsTest.kip(place, "gc", "--cluster-gone", "--yes");

        assertThat(ended.code()).as(ended.out() + ended.err()).isZero();
        assertThat(state(orphan)).isNotEqualTo("running");
        assertThat(admin.ec2("DescribeSecurityGroups")).doesNotContain(group);
        assertThat(s3.contents("anchors").keySet()).noneMatch(key -> key.contains(LOST) || key.contains("lost-node"));
    }

    @Test
    void instances_of_the_original_end_only_when_their_id_is_named() {
        Path place = data.resolve("world");
        String old = admin.launch(ImmutableMap.of(Tags.INSTALLATION, "1d1d1d", Tags.NAMETAG, "old"));
        String other = admin.launch(ImmutableMap.of(Tags.INSTALLATION, "2e2e2e", Tags.NAMETAG, "old"));

        assertThat(CommandsTest.kip(place, "gc", "--legacy", "1d1d1").err())
                .contains("no living instance of the original Kip has this controller id. Did you mean \"1d1d1d\"?");
        assertThat(CommandsTest.kip(place, "gc", "--legacy", "1d1d1d").out())
                .containsPattern(old + " .* would end")
                .doesNotContain(other);
        assertThat(state(old)).isEqualTo("running");
        assertThat(CommandsTest.kip(place, "gc", "--legacy", "1d1d1d", "--yes").out())
                .contains("1 of 1 instance ended.");
        assertThat(state(old)).isNotEqualTo("running");
        assertThat(state(other)).isEqualTo("running");
    }

    @Test
    void what_the_original_left_is_adopted_as_cells_and_ends_by_name_only() {
        Path place = data.resolve("world");
        String old = admin.launch(ImmutableMap.of(Tags.INSTALLATION, "3f3f3f", Tags.NAMETAG, "old"));

        assertThat(CommandsTest.kip(place, "adopt", "--legacy", "3f3f3f").out())
                .contains(old, "would be Cell legacy-" + old, "kip adopt --legacy 3f3f3f --yes");
        assertThat(admin.list("Cell").toString()).doesNotContain(old);
        Result adopted = CommandsTest.kip(place, "adopt", "--legacy", "3f3f3f", "--yes");
        assertThat(adopted.code()).as(adopted.err()).isZero();
        ObjectNode cell = admin.get("Cell", "", "legacy-" + old);
        assertThat(cell.at("/status/instanceID").asString()).isEqualTo(old);
        assertThat(cell.at("/status/controllerID").asString())
                .isEqualTo(admin.get("Installation", "", "kip")
                        .at("/spec/installationID")
                        .asString());
        assertThat(CommandsTest.kip(place, "adopt", "--legacy", "3f3f3f", "--yes")
                        .out())
                .contains("is Cell legacy-" + old + " already");
        assertThat(CommandsTest.kip(place, "cells", "--legacy").out())
                .containsPattern(old + " .* legacy 3f3f3f +adopted from the original: only kip gc --legacy ends it");
        assertThat(CommandsTest.kip(place, "explain", old).out())
                .contains("the original Kip, controller id 3f3f3f, which signed nothing", "kip gc --legacy");

        CommandsTest.kip(place, "gc", "--legacy", "3f3f3f", "--yes");

        assertThat(state(old)).isNotEqualTo("running");
        assertThat(admin.list("Cell").toString()).doesNotContain(old);
    }

    @Test
    void an_installation_of_a_cluster_that_is_gone_is_taken_over_by_this_one() throws Exception {
        Path place = place("moved", "moved-node", anchor());
        String left = launch(MOVED, "moved-node", "moved");
        put(
                AnchorKeys.identity(MOVED),
                new Identity(
                                MOVED,
                                "gone-cluster",
                                "",
                                "us-east-1",
                                "default",
                                "moved",
                                keys.toSecretData(),
                                "2026-11-01")
                        .toJson());
        put(AnchorKeys.shard(MOVED, "moved-node"), confirmed(Instant.now()));

        assertThat(CommandsTest.kip(place, "adopt", "--installation", "ccccccccccccccccccccccccca")
                        .err())
                .contains("knows no installation", "Did you mean \"" + MOVED + "\"?");
        assertThat(CommandsTest.kip(place("unanchored", "moved-node", ""), "adopt", "--installation", MOVED)
                        .err())
                .contains("no anchor is configured");
        assertThat(CommandsTest.kip(place, "adopt", "--installation", MOVED, "--yes")
                        .err())
                .contains("lives: kip-0 renewed the anchor of node moved-node");
        put(AnchorKeys.shard(MOVED, "moved-node"), confirmed(Instant.EPOCH));
        assertThat(CommandsTest.kip(place, "adopt", "--installation", MOVED).out())
                .contains(left, "To take it over into this cluster: kip adopt --installation " + MOVED + " --yes");

        Result taken = CommandsTest.kip(place, "adopt", "--installation", MOVED, "--yes");

        assertThat(taken.code()).as(taken.err()).isZero();
        assertThat(taken.out()).contains("It belongs to this cluster now.");
        RealProcess controller = RealProcess.start(
                resolved(place), new RealProcess.Places(Optional.of(place.resolve("kubeconfig")), "127.0.0.1", 0, 0));
        ObjectNode record = admin.await("Installation", found -> CommandsTest.named(found, "moved"));
        controller.stop();
        assertThat(record.at("/spec/installationID").asString()).isEqualTo(MOVED);
        assertThat(CommandsTest.kip(place, "adopt", "--installation", MOVED).err())
                .contains("is " + MOVED + " already");
    }

    @Test
    void doctor_tries_the_anchor() throws IOException {
        Path place = place("tried", "tried-node", anchor());

        Result tried = CommandsTest.kip(place, "doctor");

        assertThat(tried.out())
                .contains(
                        "ok       anchor      s3://anchors/kip is reached, writes, and refuses what was written meanwhile")
                .contains("there is no Installation tried: no controller has ever led");
        assertThat(s3.contents("anchors").keySet()).noneMatch(key -> key.contains("doctor"));
        assertThat(CommandsTest.kip(place("bare", "tried-node", ""), "doctor").out())
                .contains("warning  anchor      no anchor is configured: the loss of the Secret");
    }

    private static ResolvedConfig resolved(Path place) throws IOException {
        Path yaml = place.resolve("provider.yaml");
        return ProviderYaml.read(yaml.toString(), Files.readString(yaml))
                .value()
                .flatMap(config -> ResolvedConfig.of(
                                config,
                                new Surroundings(ImmutableMap.of("POD_IP", "127.0.0.1"), "moved-0", "0.1.0"),
                                "test")
                        .value())
                .orElseThrow();
    }

    private String anchor() {
        return """
                ownership:
                  anchor: s3://anchors/kip
                  anchorEndpointURL: http://127.0.0.1:%d
                """.formatted(s3Server.port());
    }

    private static String confirmed(Instant renewed) {
        return new ShardAnchor(3, ShardAnchor.State.CONFIRMED, 3, "n", "gone-cluster", "kip-0", renewed, "").toJson();
    }

    private Path place(String installation, String node, String more) throws IOException {
        Path place = Files.createDirectory(data.resolve(installation));
        Files.copy(world.kubeconfig(), place.resolve("kubeconfig"));
        String whole = Files.readString(data.resolve("world/provider.yaml"));
        String yaml = whole.substring(0, whole.indexOf("ownership:\n")) // its anchor is not theirs
                .replace("consistencyWindow: 30s", "consistencyWindow: 1s")
                .replace("node:\n", "node:\n  name: " + node + "\n");
        Files.writeString(place.resolve("provider.yaml"), yaml + "installation: " + installation + "\n" + more);
        return place;
    }

    private void installation(String name, String id, String node) {
        installation(
                name,
                id,
                node,
                admin.get("Namespace", "", "kube-system").at("/metadata/uid").asString(""));
    }

    private void installation(String name, String id, String node, String clusterUid) {
        ObjectNode secret = JsonMapper.shared().createObjectNode();
        secret.put("apiVersion", "v1").put("kind", "Secret");
        secret.putObject("metadata").put("namespace", "kube-system").put("name", name + "-installation");
        ObjectNode secretData = secret.putObject("data");
        keys.toSecretData().forEach(secretData::put);
        admin.create(secret.toString());
        admin.create("""
                {"apiVersion": "kip.elotl.co/v1", "kind": "Installation", "metadata": {"name": "NAME"},
                 "spec": {"installationID": "OWNER", "epoch": 4, "clusterUID": "CLUSTER", "region": "us-east-1", "vpc": "default",
                          "shards": [{"node": "NODE", "epoch": 4}]}}
                """.replace("NAME", name)
                .replace("OWNER", id)
                .replace("NODE", node)
                .replace("CLUSTER", clusterUid));
    }

    private static String cell(String name, String id, String node, String instance, String token) {
        return """
                {"apiVersion": "kip.elotl.co/v1", "kind": "Cell", "metadata": {"name": "NAME"},
                 "status": {"podName": "p", "podNamespace": "default", "node": "NODE", "controllerID": "OWNER",
                            "instanceID": "INSTANCE", "podUID": "u-1", "clientToken": "TOKEN"}}
                """.replace("NAME", name)
                .replace("NODE", node)
                .replace("OWNER", id)
                .replace("INSTANCE", instance)
                .replace("TOKEN", token);
    }

    private String mac(String id, String node, String token) {
        return keys.ownershipProof(id, "us-east-1", "default", node, token);
    }

    private String launch(String id, String node, String token) {
        Map<String, String> tags = new LinkedHashMap<>();
        tags.put(Tags.INSTALLATION, id);
        tags.put(Tags.NODE, node);
        tags.put(Tags.MAC, mac(id, node, token));
        return admin.launch(token, ImmutableMap.copyOf(tags));
    }

    private String state(String instance) {
        String xml = admin.ec2("DescribeInstances", "InstanceId.1", instance);
        String state = xml.substring(xml.indexOf("<instanceState>"));
        String name = Administrator.first("name", state);
        return name.equals("pending") ? "running" : name;
    }

    private void put(String key, String content) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create("http://127.0.0.1:" + s3Server.port() + "/anchors/kip/" + key))
                                .PUT(HttpRequest.BodyPublishers.ofString(content))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }
}
