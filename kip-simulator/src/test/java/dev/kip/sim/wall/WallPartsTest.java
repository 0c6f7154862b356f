package dev.kip.sim.wall;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Missing programs are named before anything is started. */
class WallPartsTest {

    @TempDir
    Path folder;

    @Test
    void what_is_missing_is_named_with_the_place_and_the_remedy() throws Exception {
        program("etcd");
        program("kube-apiserver");

        assertThatThrownBy(() -> WallParts.find(WorldKind.REAL, ImmutableMap.of(), Optional.of(folder), "moto"))
                .isInstanceOf(PartsMissing.class)
                .hasMessage(
                        "the world \"real\" needs etcdctl, etcdutl, kube-controller-manager, kube-scheduler, moto_server in "
                                + folder.resolve("bin")
                                + ". Build them with real-parts/build, or say where they are with --parts DIR or KIP_PARTS;"
                                + " another EC2, such as LocalStack's, is named by --cloud URL.");
    }

    @Test
    void the_world_mock_with_a_cloud_of_its_own_needs_no_programs() throws Exception {
        WallParts parts = WallParts.find(
                WorldKind.MOCK,
                ImmutableMap.of("KIP_PARTS", folder.toString()),
                Optional.empty(),
                "http://127.0.0.1:4566");

        assertThat(parts.cloud().map(Object::toString)).contains("http://127.0.0.1:4566");
        assertThat(parts.folder()).isEqualTo(folder);
    }

    @Test
    void a_cloud_is_moto_or_a_url() {
        assertThatThrownBy(() -> WallParts.find(WorldKind.MOCK, ImmutableMap.of(), Optional.of(folder), "localstack"))
                .hasMessageContaining("--cloud \"localstack\" is neither moto nor a URL");
    }

    private void program(String name) throws Exception {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Files.createFile(
                bin.resolve(name), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
}
