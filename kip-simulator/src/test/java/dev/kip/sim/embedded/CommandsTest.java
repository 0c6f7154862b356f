package dev.kip.sim.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.controller.cli.Kip;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.launch.Tags;
import dev.kip.sim.Programs;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The commands that look, as people run them: against API server and EC2 behind real sockets. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CommandsTest {

    @TempDir
    private static Path data;

    private EmbeddedWorld world;
    private Administrator admin;
    private String cell = "";
    private String podUid = "";
    private String instance = "";

    @BeforeAll
    void start() throws IOException {
        world = EmbeddedWorld.start(new EmbeddedWorld.Wish(data.resolve("world"), 0, false, false), doing -> {});
        admin = new Administrator(world);
        admin.create(pod("web", "virtual-kubelet", ""));
        ObjectNode running = admin.await("Pod", found -> named(found, "web") && isReady(found));
        podUid = running.at("/metadata/uid").asString();
        ObjectNode bound = admin.list("Cell").get(0);
        cell = bound.at("/metadata/name").asString();
        instance = bound.at("/status/instanceID").asString();
    }

    @AfterAll
    void end() throws IOException {
        admin.close();
        world.close();
    }

    @Test
    void cells_shows_what_is_ours_and_counts_the_rest() {
        admin.launch(ImmutableMap.of(Tags.INSTALLATION, "another", Tags.BATCH, "launch-1"));
        String legacy = admin.launch(ImmutableMap.of(Tags.INSTALLATION, "9b9b", Tags.NAMETAG, "old"));
        String copied = admin.launch(
                ImmutableMap.of(Tags.INSTALLATION, controllerId(), Tags.MAC, "00ff", Tags.NODE, "virtual-kubelet"));

        Result ours = kip("cells");
        assertThat(ours.err()).isEmpty();
        assertThat(ours.code()).isZero();
        assertThat(ours.out().lines().findFirst().orElse(""))
                .matches("POD +NODE +INSTANCE +TYPE +STATE +AGE +\\$/HOUR +WHOSE");
        assertThat(ours.out())
                .containsPattern(
                        "default/web +virtual-kubelet +" + instance + " +t3a?\\.nano +running +\\d+s +0\\.00\\d+ +ours")
                .contains("Installation kip, controller id " + controllerId() + ", epoch 1.")
                .contains("1 instance for $0.00")
                .containsPattern(
                        "Not shown: suspect: 1 instance for .*; foreign: \\d instances? for .*; legacy: 1 instance for")
                .doesNotContain(copied, legacy);

        assertThat(kip("cells", "--suspect").out())
                .containsPattern(
                        copied + " .* suspect +carries our id, but its MAC is not ours over its node and client token");
        assertThat(kip("cells", "--legacy").out())
                .containsPattern(legacy + " .* legacy 9b9b")
                .doesNotContain(copied);
        JsonNode all =
                JsonMapper.shared().readTree(kip("cells", "--all", "-o", "json").out());
        assertThat(all.path("cells")).hasSizeGreaterThanOrEqualTo(4);
        assertThat(all.path("notRead")).isEmpty();
        assertThat(all.path("cells").path(0).path("whose").asString()).isEqualTo("ours");
        assertThat(all.path("cells").path(0).path("proof").asString()).contains("our id and our MAC");
    }

    @Test
    void explain_finds_a_pod_by_each_of_its_names() {
        for (String name : new String[] {"web", "default/web", podUid}) {
            Result result = kip("explain", name);
            assertThat(result.err()).isEmpty();
            assertThat(result.code()).isZero();
            assertThat(result.out())
                    .startsWith("pod default/web\n")
                    .contains("owner     ours: Installation kip, controller id " + controllerId())
                    .contains("yes  tag KipControllerID is our controller id")
                    .contains("yes  its signature is ours, over its node and its own client token")
                    .contains("yes  its signature is good in the account of these credentials, region us-east-1")
                    .contains("yes  it was launched from our template kip-")
                    .contains("yes  Cell " + cell + " names the same client token")
                    .contains("next      It runs until its pod ends or is deleted.")
                    .doesNotContain("NO   ");
        }
    }

    @Test
    void explain_tells_of_cells_and_instances() {
        assertThat(kip("explain", cell).out())
                .startsWith("cell " + cell + "\n")
                .contains("pod       default/web: Running", "leads for node virtual-kubelet.");
        assertThat(kip("explain", instance).out())
                .startsWith("instance " + instance + "\n")
                .contains(": running, t3", "an hour", "pod       default/web: Running");
        JsonNode json = JsonMapper.shared()
                .readTree(kip("explain", instance, "-o", "json").out());
        assertThat(json.path("proof").path(0).path("holds").asString()).isEqualTo("yes");
        String foreign = admin.launch(ImmutableMap.of(Tags.INSTALLATION, "other", Tags.BATCH, "launch-1"));
        assertThat(kip("explain", foreign).out())
                .contains("owner     another installation, controller id other")
                .contains("NO   tag KipControllerID is other; ours is " + controllerId())
                .contains("next      Nothing by us: only the installation that it belongs to may end it.");
    }

    @Test
    void explain_says_why_a_pod_waits() {
        admin.create(daemonSet("logs"));
        String proxy = Holdings.refOf(
                        admin.await("Pod", found -> found.toString().contains("DaemonSetSkipped")))
                .toString();

        assertThat(kip("explain", proxy).out())
                .contains("cell      none", "Nothing: pods of DaemonSets get no cell (daemonSets: skip), said for ")
                .contains("DaemonSetSkipped: ");
    }

    @Test
    void doctor_finds_what_is_wrong_and_its_command_mends_it() throws Exception {
        admin.create(daemonSet("kube-proxy"));
        admin.await(
                "Pod",
                found -> found.toString().contains("DaemonSetSkipped")
                        && found.at("/metadata/name").asString("").startsWith("kube-proxy"));

        Result result = kip("doctor");

        assertThat(result.code()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out())
                .contains("ok       rbac        the user of this kubeconfig has all ")
                .contains("ok       crds        cells.kip.elotl.co is there")
                .containsPattern("ok +leader +kip-up\\S+ leads for node virtual-kubelet, epoch 1")
                .contains("ok       clock       this machine's clock is that of the API server", "is that of EC2")
                .containsPattern("ok +subnets +subnet-\\w+ in us-east-1a: \\d+ free")
                .contains(
                        "ok       iam         ec2:RunInstances is allowed (dry run)",
                        "ec2:TerminateInstances is allowed")
                .doesNotContain("ERROR  ");
        assertThat(kip("doctor", "--strict").code()).isEqualTo(1);
        JsonNode findings = JsonMapper.shared()
                .readTree(kip("doctor", "-o", "json", "--as", "kip/kip").out())
                .path("findings");
        assertThat(findings.toString()).contains("ServiceAccount kip/kip has all");
        String command = "";
        for (JsonNode finding : findings) {
            if (finding.path("text").asString("").contains("DaemonSet kube-system/kube-proxy")) {
                command = finding.path("remedy").asString("");
                break;
            }
        }
        assertThat(command).startsWith("kubectl -n kube-system patch daemonset kube-proxy --type=merge -p '{");
        run(command);
        admin.awaitGone("Pod", found -> found.at("/metadata/name").asString("").startsWith("kube-proxy"));
        assertThat(kip("doctor").out()).doesNotContain("DaemonSet kube-system/kube-proxy");
    }

    /** With kubectl where there is one; else what kubectl would send. */
    private void run(String command) throws Exception {
        if (Programs.find("kubectl").isPresent()) {
            ProcessBuilder shell = new ProcessBuilder("sh", "-c", command).inheritIO();
            shell.environment().put("KUBECONFIG", world.kubeconfig().toString());
            Process process = shell.start();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } else {
            String patch = command.substring(command.indexOf('\'') + 1, command.lastIndexOf('\''));
            admin.patch("DaemonSet", "kube-system", "kube-proxy", patch);
        }
    }

    @Test
    void doctor_says_which_account_it_cannot_look_at() {
        Result result = kip("doctor", "--as", "kip");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).startsWith("--as: \"kip\" is no ServiceAccount such as kip/kip");
    }

    @Test
    void explain_helps_with_a_name_that_is_not_there() {
        Result result = kip("explain", "default/wbe");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .startsWith(
                        "default/wbe: no pod, no Cell and no instance is called that. Did you mean \"default/web\"?");
    }

    private String controllerId() {
        return admin.get("Installation", "", "kip").at("/spec/installationID").asString();
    }

    static String daemonSet(String name) {
        return """
                {"apiVersion": "apps/v1", "kind": "DaemonSet",
                 "metadata": {"namespace": "kube-system", "name": "NAME"},
                 "spec": {"selector": {"matchLabels": {"app": "NAME"}},
                          "template": {"metadata": {"labels": {"app": "NAME"}},
                                       "spec": {"containers": [{"name": "c", "image": "NAME"}]}}}}
                """.replace("NAME", name);
    }

    static String pod(String name, String node, String metadata) {
        return ("{'apiVersion':'v1','kind':'Pod','metadata':{'namespace':'default','name':'" + name + "'"
                        + metadata.replace('"', '\'') + "},'spec':{"
                        + (node.isEmpty() ? "" : "'nodeName':'" + node + "',")
                        + "'containers':[{'name':'c','image':'nginx'}]}}")
                .replace('\'', '"');
    }

    static boolean named(ObjectNode object, String name) {
        return object.at("/metadata/name").asString("").equals(name);
    }

    static boolean isReady(ObjectNode pod) {
        return pod.at("/status/containerStatuses/0/ready").asBoolean(false);
    }

    record Result(int code, String out, String err) {}

    private Result kip(String... arguments) {
        return kip(data.resolve("world"), arguments);
    }

    static Result kip(Path world, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = Kip.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of(
                "--config",
                world.resolve("provider.yaml").toString(),
                "--kubeconfig",
                world.resolve("kubeconfig").toString()));
        int code = command.execute(all.toArray(String[]::new));
        command.getOut().flush();
        command.getErr().flush();
        if (Boolean.getBoolean("kip.show")) {
            System.out.println("$ kip " + String.join(" ", arguments) + "\n" + out + err + "[" + code + "]\n");
        }
        return new Result(code, out.toString(), err.toString());
    }
}
