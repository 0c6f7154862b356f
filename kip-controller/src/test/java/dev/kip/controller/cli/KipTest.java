package dev.kip.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class KipTest {

    @TempDir
    private Path directory;

    @Test
    void config_check_of_a_good_file_says_so() throws IOException {
        Path file = write("cells:\n  nametag: kip\n");

        assertThat(kip("config", "check", file.toString())).isEqualTo(new Result(0, file + ": nothing is wrong\n", ""));
    }

    @Test
    void config_check_of_a_broken_file_tells_every_problem_and_exits_with_2() throws IOException {
        Path file = write("cells:\n  nametagg: kip\n  agentPort: high\n");

        Result result = kip("config", "check", file.toString());

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .isEqualTo(file + ":2: cells.nametagg: there is no such key. Did you mean \"cells.nametag\"?\n" + file
                        + ":3: cells.agentPort: \"high\" is not a whole number from 1 to 65535."
                        + " See: kip config explain cells.agentPort\n");
    }

    @Test
    void config_check_speaks_json() throws IOException {
        Result result =
                kip("config", "check", "-o", "json", write("nodeName: x\n").toString());

        assertThat(result.code()).isEqualTo(2);
        JsonNode problem =
                JsonMapper.shared().readTree(result.out()).path("problems").path(0);
        assertThat(problem.path("line").asInt()).isEqualTo(1);
        assertThat(problem.path("key").asString()).isEqualTo("nodeName");
        assertThat(problem.path("message").asString()).contains("no such key");
    }

    @Test
    void a_missing_file_is_named_with_the_way_to_make_one() {
        Result result = kip("config", "check", "/nowhere/provider.yaml");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err())
                .isEqualTo("/nowhere/provider.yaml: there is no such file. To begin one: kip config print-default >"
                        + " provider.yaml\n");
    }

    @Test
    void config_explain_tells_what_a_key_wants() {
        assertThat(kip("config", "explain", "cells.defaultInstanceType").out())
                .contains("an instance type such as t3.nano", "default:  t3.nano");
        assertThat(kip("config", "explain").out()).contains("cells.nametag", "node.taint");
        assertThat(kip("config", "explain", "cells.nametga"))
                .extracting(Result::code, Result::err)
                .containsExactly(
                        2,
                        "cells.nametga: there is no such key. Did you mean \"cells.nametag\"? For all of them: kip config"
                                + " explain\n");
        assertThat(JsonMapper.shared()
                        .readTree(kip("config", "explain", "-o", "json", "node.name")
                                .out())
                        .path(0)
                        .path("default")
                        .asString())
                .isEqualTo("virtual-kubelet");
    }

    @Test
    void what_config_print_default_prints_passes_config_check() throws IOException {
        Path file = write(kip("config", "print-default").out());

        assertThat(kip("config", "check", file.toString()).code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "run",
                "cells",
                "explain",
                "doctor",
                "config",
                "config check",
                "config explain",
                "config print-default",
                "version"
            })
    void every_command_has_help(String command) {
        String[] arguments = (command + " --help").strip().split(" ");

        Result result = kip(arguments);

        assertThat(result.code()).isZero();
        assertThat(result.out()).contains("Usage: kip", "--help");
    }

    @Test
    void run_refuses_a_broken_configuration_before_anything_is_touched() throws IOException {
        Result result = kip(
                "run",
                "--config",
                write("cloud: {aws: {region: nowhere}}\n").toString(),
                "--kubeconfig",
                "/nowhere/kubeconfig");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err())
                .contains(":1: cloud.aws.region: \"nowhere\" is not a region")
                .doesNotContain("kubeconfig");
    }

    @Test
    void run_names_a_flag_that_makes_no_sense() {
        assertThat(kip("run", "--ec2-endpoint", "nowhere").err())
                .isEqualTo("--ec2-endpoint: \"nowhere\" is not a URL such as http://127.0.0.1:5000.\n");
        assertThat(kip("run", "--log-level", "loud").code()).isEqualTo(2);
    }

    @Test
    void run_names_a_kubeconfig_that_is_not_there() throws IOException {
        Path file = write("cloud: {aws: {region: us-east-1}}\n");

        Result result = kip("run", "--config", file.toString(), "--kubeconfig", "/nowhere/kubeconfig");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).isEqualTo("kubeconfig /nowhere/kubeconfig: no such file, or not readable\n");
    }

    @Test
    void an_unknown_command_is_wrong_usage() {
        Result result = kip("confg");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains("confg", "config");
    }

    @Test
    void version_speaks_json() {
        assertThat(JsonMapper.shared()
                        .readTree(kip("version", "-o", "json").out())
                        .path("version")
                        .asString())
                .isEqualTo("dev");
    }

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("provider.yaml"), text);
    }

    private record Result(int code, String out, String err) {}

    private static Result kip(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = Kip.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int code = command.execute(arguments);
        command.getOut().flush();
        command.getErr().flush();
        return new Result(code, out.toString(), err.toString());
    }
}
