package dev.kip.checkpointer.lint;

import static org.assertj.core.api.Assertions.assertThat;

import com.contrastsecurity.sarif.ReportingDescriptor;
import com.contrastsecurity.sarif.Result;
import com.contrastsecurity.sarif.Run;
import com.contrastsecurity.sarif.SarifSchema210;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LintCommandTest {

    /** What the checkpointer of 2018 wrote on 1.12: the affinity lost its fields on the way. */
    private static final String SEED = """
            apiVersion: v1
            kind: Pod
            metadata: {name: kube-apiserver, namespace: kube-system}
            spec:
              hostNetwork: true
              affinity:
                nodeAffinity:
                  requiredDuringSchedulingIgnoredDuringExecution:
                    nodeSelectorTerms:
                    - matchExpressions: null
              containers:
              - {name: api, image: "k8s.gcr.io/hyperkube:v1.12.1"}
            """;

    private static final String CLEAN = """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "clean"},
             "spec": {"containers": [{"name": "c", "image": "i:1"}]}}
            """;

    private static final String CORPUS = "src/test/resources/corpus";

    @TempDir
    private Path directory;

    private record Ran(int exit, String out, String err) {
        JsonNode json() {
            return JsonMapper.shared().readTree(out);
        }
    }

    private static Ran lint(String stdin, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        var command = new LintCommand(new ByteArrayInputStream(stdin.getBytes(StandardCharsets.UTF_8)));
        int exit = new CommandLine(command)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .setExecutionExceptionHandler((exception, line, parsed) -> {
                    if (exception instanceof LintFailure failure) {
                        line.getErr().println(failure.getMessage());
                        return LintFailure.WRONG;
                    }
                    throw exception;
                })
                .execute(arguments);
        return new Ran(exit, out.toString(), err.toString());
    }

    @Test
    void the_reports_pod_is_rejected_with_kubelets_message_its_line_and_a_remedy() {
        Ran ran = lint(SEED, "-", "--kubelet", "1.12.1");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.out())
                .contains("kubelet 1.12.1  does not come back: rejected")
                .contains("8     spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution  rejected")
                .contains("kubelet: MatchNodeSelector: Predicate MatchNodeSelector failed")
                .contains("remedy:  drop the affinity");
    }

    @Test
    void the_log_has_the_two_lines_of_the_report() {
        Ran ran = lint(SEED, "-", "--kubelet", "1.12.1", "-o", "json", "--node-name", "master-1");

        JsonNode log = ran.json().at("/pods/0/kubelets/0/log");
        assertThat(log.get(0).asString(""))
                .startsWith("Predicate failed on Pod: kube-apiserver-master-1_kube-system(")
                .endsWith("for reason: Predicate MatchNodeSelector failed");
        assertThat(log.get(1).asString(""))
                .startsWith("Static pod \"")
                .endsWith("(kube-apiserver-master-1/kube-system) does not have a corresponding mirror pod; skipping");
    }

    @Test
    void a_clean_pod_comes_back_on_every_kubelet() {
        assertThat(lint(CLEAN, "-", "--kubelet", "all").exit()).isZero();
    }

    @Test
    void strict_makes_what_is_merely_to_know_a_failure() {
        String moving = CLEAN.replace("i:1", "i:latest");

        assertThat(lint(moving, "-").exit()).isZero();
        assertThat(lint(moving, "-", "--strict").exit()).isEqualTo(1);
    }

    @Test
    void as_checkpoint_the_reports_pod_comes_back_everywhere() {
        assertThat(lint(SEED, "-", "--as", "checkpoint", "--kubelet", "all").exit())
                .isZero();
    }

    @Test
    void a_pod_that_cannot_be_checkpointed_is_told_before_the_power_cut() {
        String claim = """
                apiVersion: v1
                kind: Pod
                metadata: {name: db, namespace: x}
                spec:
                  containers: [{name: c, image: "i:1"}]
                  volumes:
                  - name: data
                    persistentVolumeClaim: {claimName: data}
                """;

        Ran ran = lint(claim, "-", "--as", "checkpoint");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.out())
                .contains("kubelet 1.37.0  cannot be checkpointed")
                .contains("line 8  spec.volumes[0].persistentVolumeClaim  cannot be checkpointed: a claim must be"
                        + " resolved through the API server");
    }

    @Test
    void a_daemon_sets_template_is_judged_as_the_checkpoint_of_its_pods() {
        String daemonSet = """
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: agent, namespace: kube-system}
                spec:
                  template:
                    spec:
                      nodeSelector: {role: x}
                      containers: [{name: c, image: "i:1"}]
                """;

        Ran ran = lint(daemonSet, "-");

        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).contains("kube-system/agent");
    }

    @Test
    void a_list_of_kubectl_is_taken_apart() {
        String list = "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [" + CLEAN + "," + CLEAN + "]}";

        assertThat(lint(list, "-", "-o", "json").json().path("pods")).hasSize(2);
    }

    @Test
    void pods_of_one_directory_share_the_hosts_ports() throws IOException {
        String pod = """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s}
                spec: {containers: [{name: c, image: "i:1", ports: [{containerPort: 80, hostPort: 80}]}]}
                """;
        Files.writeString(directory.resolve("a.yaml"), pod.formatted("a"));
        Files.writeString(directory.resolve("b.yaml"), pod.formatted("b"));
        Files.writeString(directory.resolve(".hidden"), "not yaml: [");

        JsonNode pods = lint("", directory.toString(), "-o", "json").json().path("pods");

        assertThat(pods.at("/0/comesBack").asBoolean(false)).isTrue();
        assertThat(pods.at("/1/kubelets/0/fate").asString("")).isEqualTo("REJECTED");
        assertThat(pods.at("/1/findings/0/messages/0/reason").asString("")).isEqualTo("NodePorts");
    }

    @Test
    void a_label_of_kubelets_own_flags_lets_the_selector_match_but_not_a_role_since_1_16() {
        String selecting = CLEAN.replace(
                "\"containers\"", "\"nodeSelector\": {\"node-role.kubernetes.io/master\": \"\"}, \"containers\"");
        String[] before = {"-", "--node-labels", "node-role.kubernetes.io/master=", "--kubelet", "1.11.3"};
        String[] after = {"-", "--node-labels", "node-role.kubernetes.io/master=", "--kubelet", "1.16"};

        assertThat(lint(selecting, before).exit()).isZero();
        assertThat(lint(selecting, after).exit()).isEqualTo(2);
        assertThat(lint(selecting, after).err()).contains("unknown 'kubernetes.io' or 'k8s.io' labels specified");
        assertThat(lint(selecting, "-", "--kubelet", "1.16").exit()).isEqualTo(1);
    }

    @Test
    void sarif_names_rule_level_file_and_line() {
        JsonNode run = lint(SEED, "-", "-o", "sarif").json().at("/runs/0");

        assertThat(run.at("/tool/driver/rules/0/id").asString("")).isEqualTo("node-affinity");
        assertThat(run.at("/results/0/ruleId").asString("")).isEqualTo("node-affinity");
        assertThat(run.at("/results/0/level").asString("")).isEqualTo("error");
        assertThat(run.at("/results/0/locations/0/physicalLocation/region/startLine")
                        .asInt(0))
                .isEqualTo(8);
    }

    @Test
    void yaml_is_read_as_kubelet_reads_it() {
        Ran ran = lint("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: p
                  labels:
                    enabled: y
                spec: {containers: [{name: c, image: "i:1"}]}
                """, "-");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.out())
                .contains("6     metadata.labels.enabled  not loaded")
                .contains("cannot unmarshal bool");
    }

    @Test
    void what_cannot_be_read_is_named_with_its_line() throws IOException {
        Path file = directory.resolve("broken.yaml");
        Files.writeString(file, "kind: Pod\nspec:\n  containers: [\n");

        Ran ran = lint("", file.toString());

        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("broken.yaml:").contains("not YAML");
    }

    @Test
    void wrong_usage_says_what_was_wanted() {
        assertThat(lint("kind: Podd\n", "-").err())
                .contains("<stdin>:1: kind Podd has no pod in it. Did you mean \"Pod\"?");
        assertThat(lint("", "-").err()).contains("there is no pod in it");
        assertThat(lint("", "/nowhere/x.yaml").err()).contains("/nowhere/x.yaml: no such file");
        assertThat(lint(CLEAN, "-", "--kubelet", "1.9").err()).contains("1.9 is not modelled: wanted 1.11 to 1.37");
        assertThat(lint(CLEAN, "-", "--kubelet", "latest").err()).contains("\"latest\" is no version of kubelet");
        assertThat(lint(CLEAN, "-", "--as", "pod").err()).contains("wanted static or checkpoint");
        assertThat(lint(CLEAN, "-", "--api-server", "up").err()).contains("wanted away, present or none");
        assertThat(lint(CLEAN, "-", "--allocatable", "cpu=x").err()).contains("--allocatable");
        assertThat(lint("").err()).contains("name files, or a node");
    }

    /** Its classes are made of the standard's schema: a field or a value that is not in it is an error. */
    @Test
    void sarif_is_as_its_schema_wants_it() {
        JsonMapper strict = JsonMapper.builder()
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
        for (String as : List.of("static", "checkpoint")) {
            Ran ran = lint("", CORPUS, "--kubelet", "1.12.1,1.34", "--as", as, "-o", "sarif");

            SarifSchema210 report = strict.readValue(ran.out(), SarifSchema210.class);

            assertThat(report.getVersion()).hasToString("2.1.0");
            Run run = report.getRuns().get(0);
            assertThat(run.getTool().getDriver().getName()).isNotEmpty();
            assertThat(run.getTool().getDriver().getRules())
                    .extracting(ReportingDescriptor::getId)
                    .doesNotHaveDuplicates()
                    .containsAll(run.getResults().stream()
                            .map(Result::getRuleId)
                            .distinct()
                            .toList());
            assertThat(run.getResults()).isNotEmpty().allSatisfy(result -> {
                assertThat(result.getMessage().getText()).isNotEmpty();
                assertThat(result.getLocations()
                                .get(0)
                                .getPhysicalLocation()
                                .getRegion()
                                .getStartLine())
                        .isPositive();
            });
        }
    }
}
