package dev.kip.sim.ec2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.base.Splitter;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import dev.kip.sim.Programs;
import dev.kip.sim.kernel.SeededEntropy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The AWS CLI on the simulated EC2 behind a socket, if {@code aws} is there. */
@Tag("real")
class AwsCliTest {

    private final SystemLoop loop = SystemLoop.start("ec2");
    private final SimEc2 ec2 = new SimEc2(loop, new SeededEntropy(3), Ec2Settings.quick());
    private Optional<VertxHttpServer> server = Optional.empty();
    private Optional<Path> aws = Optional.empty();

    @BeforeEach
    void listen() throws Exception {
        aws = Programs.find("aws");
        assumeTrue(aws.isPresent(), "skipped: aws is not on PATH");
        server = Optional.of(VertxHttpServer.start(ServerBinding.plain("127.0.0.1", 0), loop, ec2));
    }

    @AfterEach
    void close() {
        server.ifPresent(VertxHttpServer::close);
        loop.close();
    }

    @Test
    void the_commands_of_the_readme_work() throws Exception {
        assertThat(aws(
                        "run-instances",
                        "--image-id",
                        "ami-0a1b2c3d4e5f60003",
                        "--instance-type",
                        "t3.nano",
                        "--count",
                        "2",
                        "--query",
                        "Instances[].AmiLaunchIndex"))
                .isEqualTo("0\t1");
        aws(
                "create-launch-template",
                "--launch-template-name",
                "kip-one",
                "--launch-template-data",
                "{\"ImageId\":\"ami-0a1b2c3d4e5f60003\"}");

        List<String> ids = Splitter.on('\t')
                .splitToList(aws("describe-instances", "--query", "Reservations[].Instances[].InstanceId"));
        assertThat(ids).hasSize(2);
        assertThat(aws("describe-launch-templates", "--query", "LaunchTemplates[].LaunchTemplateName"))
                .isEqualTo("kip-one");
        assertThat(aws(
                        "terminate-instances",
                        "--instance-ids",
                        ids.get(0),
                        "--query",
                        "TerminatingInstances[].CurrentState.Name"))
                .isEqualTo("shutting-down");
        assertThat(Splitter.on('\n').splitToStream(aws("describe-instance-types", "--query", "length(InstanceTypes)")))
                .as("page by page")
                .containsExactly("100", "100", "100", "11");
        assertThat(aws("terminate-instances", "--instance-ids", "i-0fffffffffffffff0"))
                .contains("(InvalidInstanceID.NotFound)", "does not exist");
    }

    private String aws(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                aws.orElseThrow().toString(),
                "--endpoint-url",
                "http://127.0.0.1:" + server.orElseThrow().port(),
                "--region",
                "us-east-1",
                "--output",
                "text",
                "ec2"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE");
        builder.environment().put("AWS_SECRET_ACCESS_KEY", "secret");
        builder.environment().put("AWS_MAX_ATTEMPTS", "1");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(Duration.ofMinutes(1).toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        return output.strip();
    }
}
