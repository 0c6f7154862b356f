package dev.kip.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudError;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.ec2.model.Filter;

class ImageSelectorTest {

    @Test
    void every_key_of_the_original_is_understood() {
        var request = ImageSelector.request(ImmutableMap.of(
                "owners", "amazon  123456789012",
                "executableUsers", "all",
                "imageIDs", "ami-1 ami-2",
                "filters", "name=al2023-*,al2-* architecture=arm64"));

        assertThat(request.owners()).containsExactly("amazon", "123456789012");
        assertThat(request.executableUsers()).containsExactly("all");
        assertThat(request.imageIds()).containsExactly("ami-1", "ami-2");
        assertThat(request.filters()).extracting(Filter::name).containsExactly("state", "name", "architecture");
        assertThat(request.filters().get(1).values()).containsExactly("al2023-*", "al2-*");
    }

    @Test
    void a_filter_without_an_equals_sign_is_refused_without_a_call() {
        Canned canned = new Canned();

        var answer = canned.cloud()
                .images(ImmutableMap.of("filters", "name"))
                .toCompletableFuture()
                .join();

        assertThat(answer.error().orElseThrow())
                .isEqualTo(new CloudError.Refused(
                        "InvalidParameter",
                        "ec2.DescribeImages: cells.bootImageSpec.filters: \"name\" is no filter;"
                                + " wanted name=value or name=value,value"));
        assertThat(canned.requests()).isEmpty();
    }

    @Test
    void an_unknown_key_is_refused_by_name() {
        assertThatThrownBy(() -> ImageSelector.request(ImmutableMap.of("owner", "amazon")))
                .hasMessageContaining("cells.bootImageSpec.owner: no such key");
    }
}
