package dev.kip.crd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.crd.InstallationSpec.Shard;
import dev.kip.crd.InstallationStatus.Condition;
import dev.kip.crd.LaunchBatchSpec.PlannedPod;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class CrdKindsTest {

    private static final ObjectMetadata METADATA = new ObjectMetadata(
            "b-1",
            "8a1f",
            "42",
            "2026-01-01T00:00:00Z",
            ImmutableMap.of("app", "web"),
            ImmutableMap.of("note", "x"),
            ImmutableList.of("kip"));

    @Test
    void a_cell_survives_writing_and_reading_with_every_field() {
        Cell cell = new Cell(
                METADATA,
                new CellStatus(
                        "web-1", "default", "kip", "abc", "Spot", "t3.nano", "i-1", "10.0.0.1", "u-1", 2, 7, "b", "t"));

        ObjectNode json = CrdKinds.CELLS.codec().encode(cell);

        assertThat(json.path("apiVersion").asString()).isEqualTo("kip.elotl.co/v1");
        assertThat(json.path("kind").asString()).isEqualTo("Cell");
        assertThat(json.path("status").propertyNames())
                .containsExactlyInAnyOrder(
                        "podName",
                        "podNamespace",
                        "node",
                        "controllerID",
                        "launchType",
                        "instanceType",
                        "instanceID",
                        "ip",
                        "podUID",
                        "attempt",
                        "epoch",
                        "batch",
                        "clientToken");
        assertThat(CrdKinds.CELLS.codec().decode(json)).isEqualTo(cell);
    }

    @Test
    void a_launch_batch_and_an_installation_survive_writing_and_reading() {
        LaunchBatch batch = new LaunchBatch(
                METADATA,
                new LaunchBatchSpec(
                        "abc",
                        "kip",
                        1L << 40,
                        "n",
                        "d",
                        "t",
                        "k",
                        ImmutableList.of(new PlannedPod("a", "b", "c", 0))));
        Installation installation = new Installation(
                METADATA,
                new InstallationSpec(
                        "abc",
                        3,
                        "uid",
                        "123456789012",
                        "us-east-1",
                        "vpc-1",
                        "s3://b/p",
                        true,
                        "kip-0",
                        ImmutableList.of(new Shard("kip", 3, "kip-0", "n", true))),
                new InstallationStatus(
                        ImmutableList.of(new Condition("Anchored", "True", "S3", "s3://b/p", "2026-01-01T00:00:00Z"))));

        assertThat(CrdKinds.LAUNCH_BATCHES
                        .codec()
                        .decode(CrdKinds.LAUNCH_BATCHES.codec().encode(batch)))
                .isEqualTo(batch);
        assertThat(CrdKinds.INSTALLATIONS
                        .codec()
                        .decode(CrdKinds.INSTALLATIONS.codec().encode(installation)))
                .isEqualTo(installation);
    }

    @Test
    void what_is_empty_is_not_written() {
        ObjectNode json = CrdKinds.INSTALLATIONS
                .codec()
                .encode(new Installation(
                        ObjectMetadata.named("kip"),
                        new InstallationSpec("a", 0, "u", "", "", "", "", false, "", ImmutableList.of()),
                        InstallationStatus.NONE));

        assertThat(json.path("metadata").toString()).isEqualTo("{\"name\":\"kip\"}");
        assertThat(json.has("status")).isFalse();
        assertThat(json.path("spec").toString())
                .isEqualTo("{\"installationID\":\"a\",\"epoch\":0,\"clusterUID\":\"u\",\"protocol\":1}");
    }

    @Test
    void a_cell_of_the_original_is_read_and_unknown_fields_are_tolerated() {
        Cell cell = cell("""
                {"apiVersion": "kip.elotl.co/v1beta1", "kind": "Cell", "metadata": {"name": "x", "managedFields": []},
                 "status": {"podName": "web", "instanceID": "i-1", "ip": null, "colour": {"deep": [1]}}}""");

        assertThat(cell.status().podName()).isEqualTo("web");
        assertThat(cell.status().ip()).isEmpty();
        assertThat(cell.status().attempt()).isZero();
        assertThat(cell.status().epoch()).isZero();
    }

    @Test
    void a_refused_field_is_named_with_what_was_wanted_and_found() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cell("{\"metadata\": {\"name\": \"x\"}, \"status\": {\"attempt\": \"two\"}}"))
                .withMessage("Cell x: status.attempt: wanted a whole number, found \"two\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cell("{\"metadata\": {\"name\": \"x\"}, \"status\": {\"attempt\": 4294967296}}"))
                .withMessage("Cell x: status.attempt: wanted a whole number from 0 to 2147483647, found 4294967296");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cell("{\"metadata\": {\"name\": \"x\", \"labels\": {\"a\": 1}}}"))
                .withMessage("Cell x: metadata.labels.a: wanted a string, found 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cell("{\"status\": {}}"))
                .withMessage("Cell: metadata.name: wanted a value, found nothing");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CrdKinds.LAUNCH_BATCHES.codec().decode(json("""
                        {"metadata": {"name": "b"}, "spec": {"installationID": "a", "node": "n", "epoch": 1, "nonce": "n",
                         "digest": "d", "token": "t", "pods": [{"namespace": "a", "name": "b", "uid": "c", "attempt": 0}, 7]}}""")))
                .withMessage("LaunchBatch b: spec.pods[1]: wanted an object, found 7");
    }

    private static Cell cell(String json) {
        return CrdKinds.CELLS.codec().decode(json(json));
    }

    private static ObjectNode json(String text) {
        return (ObjectNode) JsonMapper.shared().readTree(text);
    }
}
