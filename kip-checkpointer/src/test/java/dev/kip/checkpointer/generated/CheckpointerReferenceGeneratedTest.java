package dev.kip.checkpointer.generated;

import org.junit.jupiter.api.Test;

class CheckpointerReferenceGeneratedTest {

    @Test
    void the_reference_of_checkpoints_is_as_the_table_says() {
        GeneratedFile.mustBe("docs/reference/checkpoint-table.md", TableReference.table());
    }

    @Test
    void the_reference_of_kubelets_is_as_the_rules_say() {
        GeneratedFile.mustBe("docs/reference/kubelet-rules.md", TableReference.rules());
    }
}
