package dev.kip.sim.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class WorldFileTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir
    private Path folder;

    private Path path;
    private WorldFile file;

    @BeforeEach
    void write() throws IOException {
        EmbeddedFiles files = new EmbeddedFiles(folder.resolve("data"));
        file = files.world();
        path = folder.resolve("data/kept/world.json");
        assertThat(file.read()).isEmpty();
        file.write(world("one"));
    }

    private static ObjectNode world(String name) {
        return JSON.createObjectNode().put("name", name);
    }

    @Test
    void what_was_written_last_is_read_and_nobody_else_can() throws IOException {
        file.write(world("two"));

        assertThat(file.read()).contains(world("two"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path.getParent())))
                .isEqualTo("rwx------");
        try (var left = Files.list(path.getParent())) {
            assertThat(left).containsExactly(path);
        }
    }

    @Test
    void what_a_sudden_end_left_half_written_is_not_read() throws IOException {
        Files.writeString(path.resolveSibling(".world.json.new"), "{\"kip\":\"wor");

        assertThat(file.read()).contains(world("one"));
        file.write(world("two"));
        assertThat(file.read()).contains(world("two"));
    }

    @Test
    void no_damage_goes_unnoticed() throws IOException {
        byte[] good = Files.readAllBytes(path);
        for (int at = 0; at < good.length; at++) {
            byte[] bad = good.clone();
            bad[at] ^= 1;
            Files.write(path, bad);
            assertThatThrownBy(file::read).as("byte %s", at).isInstanceOf(IOException.class);
        }
        for (int length = 0; length < good.length; length++) {
            Files.write(path, Arrays.copyOf(good, length));
            assertThatThrownBy(file::read)
                    .as("cut at %s", length)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("damaged")
                    .hasMessageContaining(path.toString())
                    .hasMessageContaining("--fresh");
        }
    }

    @Test
    void a_world_of_another_version_is_refused() throws IOException {
        Files.writeString(path, Files.readString(path).replace("\"version\":2", "\"version\":3"));

        assertThatThrownBy(file::read).hasMessageContaining("is of version 3, and this Kip reads version 2");
    }

    @Test
    void a_fresh_start_puts_it_aside() throws IOException {
        file.putAside();

        assertThat(file.read()).isEmpty();
        assertThat(path.resolveSibling("world.json.old")).exists();
    }
}
