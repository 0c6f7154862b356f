package dev.kip.disk.nio;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kip.disk.Disk;
import dev.kip.disk.Disk.Access;
import dev.kip.disk.Disk.Entry;
import dev.kip.disk.Disk.Kind;
import dev.kip.disk.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NioDiskTest {

    @TempDir
    Path directory;

    private final Disk disk = new NioDisk();
    private final DurableFiles files = new DurableFiles(disk);
    private Access mine;

    @BeforeEach
    void whoAmI() throws IOException {
        Access home = disk.look(directory).orElseThrow().access();
        mine = new Access(0640, home.uid(), home.gid());
    }

    @Test
    void a_file_is_written_with_its_content_and_mode_and_nothing_else_is_left() throws IOException {
        Path file = directory.resolve("manifest.json");
        files.write(file, bytes("one"), mine);
        files.write(file, bytes("two"), mine);

        assertThat(disk.read(file)).hasValue(bytes("two"));
        assertThat(disk.list(directory)).containsExactly(new Entry("manifest.json", Kind.FILE, mine, 3));
    }

    @Test
    void a_leftover_of_a_write_that_was_cut_off_does_not_hinder_the_next() throws IOException {
        Files.writeString(directory.resolve(".manifest.json" + DurableFiles.UNFINISHED), "ha");

        files.write(directory.resolve("manifest.json"), bytes("whole"), mine);

        assertThat(disk.list(directory)).extracting(Entry::name).containsExactly("manifest.json");
    }

    @Test
    void a_link_is_turned_at_one_stroke_and_shown_as_written() throws IOException {
        Path link = directory.resolve("..data");
        files.link(link, "..one");
        files.link(link, "..two");

        assertThat(disk.target(link)).hasValue("..two");
        assertThat(disk.look(link).orElseThrow().kind()).isEqualTo(Kind.LINK);
        assertThat(disk.list(directory)).hasSize(1);
    }

    @Test
    void what_is_not_there_is_empty_and_taking_it_away_is_no_error() throws IOException {
        Path nothing = directory.resolve("nothing");

        assertThat(disk.read(nothing)).isEmpty();
        assertThat(disk.look(nothing)).isEmpty();
        assertThat(disk.target(nothing)).isEmpty();
        assertThat(disk.list(nothing)).isEmpty();
        disk.remove(nothing);
    }

    @Test
    void something_below_a_file_is_not_there() throws IOException {
        Path file = directory.resolve("file");
        files.write(file, bytes("x"), mine);

        assertThat(disk.look(file.resolve("below"))).isEmpty();
        assertThat(disk.list(file)).isEmpty();
    }

    @Test
    void a_tree_is_made_synced_renamed_and_taken_away() throws IOException {
        Path tree = directory.resolve("a/b");
        Access open = new Access(0755, mine.uid(), mine.gid());
        files.ensureDirectory(tree, open);
        disk.create(tree.resolve("secret"), bytes("s"), new Access(0400, mine.uid(), mine.gid()));
        files.syncTree(directory.resolve("a"));
        disk.rename(directory.resolve("a"), directory.resolve("z"));

        assertThat(disk.look(directory.resolve("z/b")).orElseThrow().access()).isEqualTo(open);
        assertThat(disk.look(directory.resolve("z/b/secret"))
                        .orElseThrow()
                        .access()
                        .mode())
                .isEqualTo(0400);

        files.removeTree(directory.resolve("z"));
        assertThat(disk.list(directory)).isEmpty();
    }

    @Test
    void a_new_file_never_takes_the_place_of_one_that_is_there() throws IOException {
        Path file = directory.resolve("file");
        disk.create(file, bytes("first"), mine);

        assertThatThrownBy(() -> disk.create(file, bytes("second"), mine)).isInstanceOf(IOException.class);
        assertThat(disk.read(file)).hasValue(bytes("first"));
    }

    @Test
    void a_lock_excludes_another_holder_and_may_be_asked_for_again() throws IOException {
        Path lock = directory.resolve("lock");

        assertThat(disk.lock(lock)).isTrue();
        assertThat(disk.lock(lock)).isTrue();
        assertThat(new NioDisk().lock(lock)).isFalse();
        assertThat(disk.look(lock).orElseThrow().access().mode()).isEqualTo(0600);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
