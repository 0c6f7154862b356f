package dev.kip.sim.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kip.disk.Disk;
import dev.kip.disk.Disk.Access;
import dev.kip.disk.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SimDiskTest {

    private static final Path DIRECTORY = Path.of("/d");
    private static final Path FILE = Path.of("/d/file");

    private final SimDisk machine = new SimDisk();
    private final Disk disk = machine.as("test");

    @Test
    void a_file_without_a_synced_name_is_gone() throws IOException {
        directory();
        disk.create(FILE, bytes("x"), Access.PRIVATE_FILE);
        disk.sync(FILE);
        machine.powerCycle(Fate.lost());

        assertThat(disk.read(FILE)).isEmpty();
    }

    @Test
    void a_name_without_a_synced_content_may_be_an_empty_or_torn_file() throws IOException {
        directory();
        disk.create(FILE, bytes("content"), Access.PRIVATE_FILE);
        disk.sync(DIRECTORY);
        machine.powerCycle(Fate.namesOnly(Fate.Remains.TORN));

        assertThat(disk.read(FILE)).hasValue(bytes("con"));
    }

    @Test
    void a_rename_that_was_not_synced_may_leave_the_old_file() throws IOException {
        directory();
        new DurableFiles(disk).write(FILE, bytes("old"), Access.PRIVATE_FILE);
        disk.create(Path.of("/d/.new"), bytes("new"), Access.PRIVATE_FILE);
        disk.sync(Path.of("/d/.new"));
        disk.rename(Path.of("/d/.new"), FILE);
        assertThat(disk.read(FILE)).hasValue(bytes("new"));
        machine.powerCycle(Fate.lost());

        assertThat(disk.read(FILE)).hasValue(bytes("old"));
    }

    /** What DurableFiles promises, at every step and for every fate of what was pending. */
    @Test
    void after_a_power_cut_at_any_step_of_a_durable_write_there_is_the_old_content_or_the_new() throws IOException {
        int cuts = 0;
        for (long step = 0; ; step++) {
            boolean finished = true;
            for (Fate fate : fates(4)) {
                SimDisk each = new SimDisk();
                DurableFiles files = new DurableFiles(each.as("test"));
                files.ensureDirectory(DIRECTORY, Access.PRIVATE_DIRECTORY);
                files.write(FILE, bytes("old"), Access.PRIVATE_FILE);
                int before = each.steps().size();
                each.cutBefore(before + step);
                finished &= cutOff(() -> files.write(FILE, bytes("new"), Access.PRIVATE_FILE));
                each.powerCycle(fate);
                Optional<byte[]> found = files.disk().read(FILE);
                assertThat(found.map(content -> new String(content, UTF_8)))
                        .as("cut before step %d", step)
                        .isIn(Optional.of("old"), Optional.of("new"));
                cuts++;
            }
            if (finished) {
                assertThat(step).as("steps of a write").isEqualTo(5);
                assertThat(cuts).isGreaterThan(50);
                return;
            }
        }
    }

    /** The order matters: this is what the model must catch. */
    @Test
    void a_write_that_forgets_to_sync_the_content_is_caught() throws IOException {
        List<String> found = new ArrayList<>();
        for (Fate fate : fates(4)) {
            SimDisk each = new SimDisk();
            Disk careless = each.as("test");
            careless.createDirectory(DIRECTORY, Access.PRIVATE_DIRECTORY);
            new DurableFiles(careless).write(FILE, bytes("old"), Access.PRIVATE_FILE);
            careless.sync(Path.of("/"));
            careless.create(Path.of("/d/.new"), bytes("new!"), Access.PRIVATE_FILE);
            careless.rename(Path.of("/d/.new"), FILE);
            careless.sync(DIRECTORY);
            each.powerCycle(fate);
            careless.read(FILE).ifPresent(content -> found.add(new String(content, UTF_8)));
        }

        assertThat(found).contains("new!", "ne", "");
    }

    @Test
    void a_full_disk_leaves_the_old_file_and_no_leftover() throws IOException {
        directory();
        DurableFiles files = new DurableFiles(disk);
        files.write(FILE, bytes("old"), Access.PRIVATE_FILE);
        machine.room(2);

        assertThatThrownBy(() -> files.write(FILE, bytes("longer"), Access.PRIVATE_FILE))
                .hasMessageContaining("No space left");
        assertThat(disk.read(FILE)).hasValue(bytes("old"));
        assertThat(disk.list(DIRECTORY)).hasSize(1);
    }

    @Test
    void links_are_followed_and_turned_at_one_stroke() throws IOException {
        directory();
        disk.createDirectory(Path.of("/d/..one"), Access.PRIVATE_DIRECTORY);
        disk.create(Path.of("/d/..one/key"), bytes("1"), Access.PRIVATE_FILE);
        disk.link(Path.of("/d/key"), "..data/key");
        new DurableFiles(disk).link(Path.of("/d/..data"), "..one");

        assertThat(disk.read(Path.of("/d/key"))).hasValue(bytes("1"));
        assertThat(disk.target(Path.of("/d/..data"))).hasValue("..one");
    }

    @Test
    void a_lock_is_held_until_its_process_is_gone_or_the_power_fails() throws IOException {
        Path lock = Path.of("/lock");
        Disk other = machine.as("other");

        assertThat(disk.lock(lock)).isTrue();
        assertThat(other.lock(lock)).isFalse();
        machine.release("test");
        assertThat(other.lock(lock)).isTrue();
        machine.powerCycle(Fate.lost());
        assertThat(disk.lock(lock)).isTrue();
    }

    private void directory() throws IOException {
        new DurableFiles(disk).ensureDirectory(DIRECTORY, Access.PRIVATE_DIRECTORY);
    }

    private static List<Fate> fates(int changes) {
        List<Fate> fates = new ArrayList<>(List.of(Fate.lost(), Fate.kept()));
        for (Fate.Remains remains : Fate.Remains.values()) {
            fates.add(Fate.namesOnly(remains));
        }
        for (int i = 0; i < changes; i++) {
            fates.add(Fate.only(i));
            fates.add(Fate.allBut(i));
        }
        for (long seed = 0; seed < 20; seed++) {
            fates.add(Fate.drawn(seed));
        }
        return fates;
    }

    /** @return whether it came to its end */
    private static boolean cutOff(Writing writing) throws IOException {
        try {
            writing.run();
            return true;
        } catch (PowerCut e) {
            return false;
        }
    }

    private interface Writing {
        void run() throws IOException;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
