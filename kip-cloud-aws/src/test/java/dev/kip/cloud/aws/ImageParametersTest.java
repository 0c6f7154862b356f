package dev.kip.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ImageParametersTest {

    private final Canned canned = new Canned();

    @Test
    void the_ids_that_parameters_hold_are_what_is_described() {
        canned.answers(
                200,
                "{\"Parameters\":[{\"Name\":\"/kip/amd64\",\"Value\":\"ami-0a1b2c3d\"},"
                        + "{\"Name\":\"/kip/arm64\",\"Value\":\"ami-0a1b2c3e\"}],\"InvalidParameters\":[]}");

        var unused = canned.cloud().images(ImmutableMap.of("ssmParameters", "/kip/amd64  /kip/arm64"));

        assertThat(canned.requests()).hasSize(2);
        assertThat(canned.requests().get(0))
                .startsWith("POST http://ec2.test")
                .contains("X-Amz-Target: [AmazonSSM.GetParameters]")
                .endsWith("{\"Names\":[\"/kip/amd64\",\"/kip/arm64\"]}");
        assertThat(canned.requests().get(1))
                .contains("Action=DescribeImages", "ImageId.1=ami-0a1b2c3d", "ImageId.2=ami-0a1b2c3e");
    }

    @Test
    void a_parameter_that_is_not_there_is_named() {
        canned.answers(200, "{\"Parameters\":[],\"InvalidParameters\":[\"/kip/amd64\"]}");

        assertThat(error("/kip/amd64"))
                .isEqualTo(new CloudError.Refused(
                        "InvalidParameter",
                        "ssm.GetParameters: cells.bootImageSpec.ssmParameters: Parameter Store has no /kip/amd64 in this"
                                + " region: check the name, and that the parameter is of this account or public"));
        assertThat(canned.requests()).as("no image is looked for").hasSize(1);
    }

    @Test
    void a_parameter_that_holds_something_else_is_named_with_what_it_holds() {
        canned.answers(200, "{\"Parameters\":[{\"Name\":\"/a\",\"Value\":\"{}\"}],\"InvalidParameters\":[]}");

        assertThat(error("/a").message()).contains("the parameter /a holds \"{}\"", "image_id");
    }

    @Test
    void a_missing_right_is_told_with_its_action() {
        canned.answers(
                400,
                "{\"__type\":\"AccessDeniedException\",\"Message\":\"User: arn:aws:iam::123456789012:user/kip is not"
                        + " authorized to perform: ssm:GetParameters\"}");

        assertThat(error("/a"))
                .isInstanceOfSatisfying(
                        CloudError.Forbidden.class,
                        forbidden -> assertThat(forbidden.action()).isEqualTo("ssm:GetParameters"));
    }

    @Test
    void more_names_than_one_call_takes_are_refused_without_a_call() {
        assertThat(error("/a ".repeat(11)).message()).contains("has 11 names; wanted 1 to 10");
        assertThat(canned.requests()).isEmpty();
    }

    @Test
    void the_policy_allows_exactly_that() throws IOException {
        JsonNode policy = JsonMapper.shared()
                .readTree(Files.readString(Path.of("../kip-controller/deploy/iam-policy-images.json")));
        canned.answers(200, "{\"InvalidParameters\":[\"/a\"]}");
        var unused = error("/a");

        assertThat(policy.path("Statement")
                        .valueStream()
                        .map(one -> one.path("Action").toString()))
                .containsExactly("[\"ssm:GetParameters\"]");
        assertThat(canned.requests()).hasSize(1).first().asString().contains("[AmazonSSM.GetParameters]");
    }

    private CloudError error(String names) {
        return canned.cloud()
                .images(ImmutableMap.of("ssmParameters", names))
                .toCompletableFuture()
                .join()
                .error()
                .orElseThrow();
    }
}
