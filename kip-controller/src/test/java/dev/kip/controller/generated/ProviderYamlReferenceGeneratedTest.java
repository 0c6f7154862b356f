package dev.kip.controller.generated;

import dev.kip.controller.config.ConfigText;
import org.junit.jupiter.api.Test;

class ProviderYamlReferenceGeneratedTest {

    @Test
    void the_reference_of_provider_yaml_is_as_the_table_of_keys_says() {
        GeneratedFile.mustBe("docs/reference/provider-yaml.md", ConfigText.reference());
    }
}
