package dev.kip.sim.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.generation.CheckpointReader;
import dev.kip.checkpointer.generation.CheckpointReader.Scope;
import dev.kip.checkpointer.generation.CheckpointReader.Shelf;
import dev.kip.checkpointer.generation.CheckpointWriter;
import dev.kip.checkpointer.generation.Generation;
import dev.kip.checkpointer.generation.Layout;
import dev.kip.checkpointer.generation.Origin;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.generation.Stored;
import dev.kip.checkpointer.generation.Trees;
import dev.kip.checkpointer.sanitise.StaticPod;
import dev.kip.checkpointer.sanitise.StaticPod.File;
import dev.kip.checkpointer.sanitise.StaticPod.Volume;
import dev.kip.disk.Disk;
import dev.kip.disk.Disk.Access;
import dev.kip.disk.Disk.Entry;
import dev.kip.disk.DurableFiles;
import dev.kip.sim.disk.Fate;
import dev.kip.sim.disk.PowerCut;
import dev.kip.sim.disk.SimDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** The power fails at every step that a change of a checkpoint makes on the disk, and the disk forgets in every way it may. */
class PowerCutTest {

    private static final PodKey POD = new PodKey("kube-system", "apiserver");
    private static final Scope SCOPE = new Scope("node-1", "kube-system");
    private static final Layout LAYOUT =
            new Layout(Path.of("/var/lib/kip-checkpointer"), Path.of("/etc/kubernetes/manifests"));
    private static final Path GENERATION_TWO = LAYOUT.volumes(POD, "two").getParent();
    private static final Path SECRET = LAYOUT.volumes(POD, "one").resolve("certs");

    @Test
    void storing_the_first_generation_leaves_nothing_or_all_of_it() throws IOException {
        int cuts = atEveryStep(node -> {}, node -> node.store("one", 1, "old"), found -> {
            if (found.generations().isEmpty()) {
                return;
            }
            assertThat(found.generations()).containsExactly("one");
            assertThat(found.secrets()).containsExactly("old cert", "old key");
        });

        assertThat(cuts).isGreaterThan(1_000);
    }

    @Test
    void storing_another_generation_leaves_the_one_before_whole() throws IOException {
        atEveryStep(node -> node.store("one", 1, "old"), node -> node.store("two", 2, "new"), found -> {
            assertThat(found.generations()).first().isEqualTo("one");
            assertThat(found.secrets()).containsExactly("old cert", "old key");
        });
    }

    @Test
    void a_certificate_and_its_key_are_renewed_together() throws IOException {
        TreeSet<String> seen = new TreeSet<>();
        atEveryStep(
                node -> node.store("one", 1, "old"), node -> node.writer.refresh(POD, "one", volumes("new")), found -> {
                    assertThat(found.generations()).containsExactly("one");
                    assertThat(found.secrets()).isIn(List.of("old cert", "old key"), List.of("new cert", "new key"));
                    seen.add(found.secrets().get(0));
                });

        assertThat(seen).containsExactly("new cert", "old cert");
    }

    @Test
    void renewing_a_second_time_is_as_safe() throws IOException {
        atEveryStep(
                node -> {
                    node.store("one", 1, "oldest");
                    node.writer.refresh(POD, "one", volumes("old"));
                },
                node -> node.writer.refresh(POD, "one", volumes("new")),
                found -> assertThat(found.secrets())
                        .isIn(List.of("old cert", "old key"), List.of("new cert", "new key")));
    }

    @Test
    void making_a_generation_the_newest_again_keeps_it_whole() throws IOException {
        atEveryStep(
                node -> {
                    node.store("one", 1, "old");
                    node.store("two", 2, "old");
                },
                node -> node.writer.renew("one", 3, Instant.EPOCH, origin(), pod("one", "new")),
                found -> {
                    assertThat(found.generations()).containsExactlyInAnyOrder("one", "two");
                    assertThat(found.secrets()).isIn(List.of("old cert", "old key"), List.of("new cert", "new key"));
                });
    }

    @Test
    void the_manifest_that_kubelet_sees_is_whole_or_not_there() throws IOException {
        atEveryStep(
                node -> node.store("one", 1, "old"),
                node -> node.writer.activate(node.generation("one"), 0),
                found -> assertThat(found.manifests()).isIn(List.of(), List.of("one")));
        atEveryStep(
                node -> {
                    node.store("one", 1, "old");
                    node.store("two", 2, "new");
                    node.writer.activate(node.generation("one"), 0);
                },
                node -> node.writer.activate(node.generation("two"), 0),
                found -> assertThat(found.manifests()).isIn(List.of("one"), List.of("two")));
        atEveryStep(
                node -> {
                    node.store("one", 1, "old");
                    node.writer.activate(node.generation("one"), 0);
                },
                node -> node.writer.deactivate(POD),
                found -> assertThat(found.manifests()).isIn(List.of(), List.of("one")));
    }

    @Test
    void d20_what_is_removed_is_never_seen_by_kubelet_without_its_secrets() throws IOException {
        TreeSet<Integer> left = new TreeSet<>();
        atEveryStep(
                node -> {
                    node.store("one", 1, "old");
                    node.writer.activate(node.generation("one"), 0);
                },
                node -> node.writer.forget(POD),
                found -> {
                    if (!found.manifests().isEmpty()) {
                        assertThat(found.generations()).containsExactly("one");
                    }
                    if (!found.generations().isEmpty()) {
                        assertThat(found.secrets()).containsExactly("old cert", "old key");
                    }
                    left.add(found.generations().size());
                });

        assertThat(left).containsExactly(0, 1);
    }

    @Test
    void dropping_a_generation_leaves_the_others() throws IOException {
        atEveryStep(
                node -> {
                    node.store("one", 1, "old");
                    node.store("two", 2, "new");
                },
                node -> node.writer.drop(POD, "two"),
                found -> {
                    assertThat(found.generations()).first().isEqualTo("one");
                    assertThat(found.secrets()).containsExactly("old cert", "old key");
                });
    }

    @Test
    void a_second_power_cut_while_the_first_is_mended_does_no_more_harm() throws IOException {
        for (long first = 0; first < 40; first++) {
            for (long second = 0; second < 12; second++) {
                for (long seed = 0; seed < 4; seed++) {
                    Node node = new Node();
                    node.store("one", 1, "old");
                    node.cut(first, () -> node.writer.refresh(POD, "one", volumes("new")));
                    node.machine.powerCycle(Fate.drawn(seed));
                    node.cut(second, node.writer::recover);
                    node.machine.powerCycle(Fate.drawn(seed + 100));
                    node.writer.recover();
                    assertThat(node.found().secrets())
                            .isIn(List.of("old cert", "old key"), List.of("new cert", "new key"));
                }
            }
        }
    }

    @Test
    void d4_d23_after_a_power_cut_no_leftover_stays_and_no_pod_has_one_mounted() throws IOException {
        for (long step = 0; step < 60; step++) {
            Node node = new Node();
            node.store("one", 1, "old");
            node.cut(step, () -> {
                node.writer.refresh(POD, "one", volumes("new"));
                node.store("two", 2, "new");
                node.writer.activate(node.generation("two"), 0);
            });
            node.machine.powerCycle(Fate.kept());
            for (Entry mounted : node.disk.list(SECRET)) {
                assertThat(mounted.name()).doesNotContain(".making").isIn(mountedNames(mounted.name()));
            }
            node.writer.recover();
            assertThat(node.names(LAYOUT.state())).noneMatch(name -> name.contains(".making"));
            assertThat(node.names(LAYOUT.state())).noneMatch(name -> name.endsWith(DurableFiles.UNFINISHED));
            assertThat(node.names(LAYOUT.manifests())).noneMatch(name -> name.startsWith("."));
        }
    }

    /** Kubelet's own layout: links, the data directory, and at most the link that is about to take its place. */
    private static List<String> mountedNames(String name) {
        boolean fine = name.startsWith("..")
                || name.equals("tls.crt")
                || name.equals("tls.key")
                || name.equals("...data" + DurableFiles.UNFINISHED);
        return fine ? List.of(name) : List.of();
    }

    @Test
    void a_flipped_bit_anywhere_is_noticed_and_the_generation_before_is_used() throws IOException {
        Node model = twoGenerations();
        for (Path file : model.files(GENERATION_TWO)) {
            Node node = twoGenerations();
            node.machine.flip(file, 3);
            node.writer.recover();
            Found found = node.found();

            assertThat(found.generations()).as("with a flipped bit in %s", file).containsExactly("one");
            assertThat(found.flaws()).isNotEmpty();
        }
    }

    @Test
    void a_truncated_or_emptied_file_is_noticed_too() throws IOException {
        for (int length : List.of(0, 1, 20)) {
            Node node = twoGenerations();
            node.machine.truncate(GENERATION_TWO.resolve("generation"), length);

            assertThat(node.found().generations()).containsExactly("one");
            assertThat(node.found().flaws()).hasSize(1);
        }
    }

    @Test
    void of_a_rotten_secret_the_revision_before_is_used() throws IOException {
        Node node = new Node();
        node.store("one", 1, "old");
        node.writer.refresh(POD, "one", volumes("new"));
        Path rotten = SECRET.resolve(node.disk.target(SECRET.resolve("..data")).orElseThrow())
                .resolve("tls.key");
        node.machine.flip(rotten, 0);
        node.writer.recover();

        assertThat(node.found().secrets()).containsExactly("old cert", "old key");
    }

    @Test
    void a_full_disk_keeps_the_last_good_generation_and_leaves_no_half_one() throws IOException {
        Node node = new Node();
        node.store("one", 1, "old");
        for (long room = 0; room < 800; room += 7) {
            node.machine.room(room);
            try {
                node.store("two", 2, "new");
                node.machine.room(Long.MAX_VALUE);
                node.writer.drop(POD, "two");
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("No space left");
                assertThat(node.found().generations()).containsExactly("one");
                assertThat(node.names(LAYOUT.state())).noneMatch(name -> name.contains(".making"));
            }
        }
    }

    @Test
    void a_disk_that_became_read_only_is_still_read() throws IOException {
        Node node = twoGenerations();
        node.machine.readOnly(true);

        assertThat(node.found().generations()).containsExactly("one", "two");
    }

    @Test
    void another_nodes_disk_gives_no_pod_and_its_manifest_is_taken_away() throws IOException {
        Node node = twoGenerations();
        node.writer.activate(node.generation("two"), 0);
        Scope other = new Scope("node-2", "kube-system");
        Shelf shelf = new CheckpointReader(node.disk, LAYOUT, other).read();
        assertThat(shelf.pods().values())
                .allMatch(stored -> stored.generations().isEmpty());
        assertThat(shelf.flaws()).anyMatch(flaw -> flaw.message().contains("node-1"));

        new CheckpointWriter(new DurableFiles(node.disk), LAYOUT, other).recover();
        assertThat(node.names(LAYOUT.manifests())).isEmpty();
    }

    @Test
    void d21_another_checkpointers_pods_are_left_alone() throws IOException {
        Node node = twoGenerations();
        node.writer.activate(node.generation("two"), 0);
        Scope other = new Scope("node-1", "edge");
        new CheckpointWriter(new DurableFiles(node.disk), LAYOUT, other).recover();

        assertThat(new CheckpointReader(node.disk, LAYOUT, other).read().pods()).isEmpty();
        assertThat(node.found().manifests()).containsExactly("two");
    }

    @Test
    void d13_two_pods_never_share_a_file() throws IOException {
        Node node = new Node();
        for (PodKey key : List.of(new PodKey("a-b", "c"), new PodKey("a", "b-c"))) {
            Origin origin = new Origin("node-1", "kube-system", key, "u", Optional.empty(), "s");
            node.writer.store("one", 1, Instant.EPOCH, origin, pod("one", key.toString()), true);
            node.writer.activate(node.shelf().find(key).orElseThrow().newest().orElseThrow(), 0);
        }

        assertThat(node.shelf().pods()).hasSize(2);
        assertThat(node.names(LAYOUT.manifests())).hasSize(2);
    }

    @Test
    void d11_a_key_that_is_gone_upstream_is_gone_from_the_volume() throws IOException {
        Node node = new Node();
        node.store("one", 1, "old");
        node.writer.refresh(
                POD, "one", ImmutableList.of(new Volume("certs", ImmutableList.of(file("tls.crt", "only")))));

        assertThat(node.disk.look(SECRET.resolve("tls.key"))).isEmpty();
        assertThat(node.disk.read(SECRET.resolve("tls.crt"))).hasValue("only".getBytes(UTF_8));
    }

    @Test
    void our_files_are_roots_and_those_of_a_volume_are_the_pods() throws IOException {
        Node node = twoGenerations();
        node.writer.activate(node.generation("two"), 0);

        assertThat(node.disk.look(LAYOUT.state()).orElseThrow().access()).isEqualTo(Access.PRIVATE_DIRECTORY);
        for (Entry manifest : node.disk.list(LAYOUT.manifests())) {
            assertThat(manifest.access()).isEqualTo(Access.PRIVATE_FILE);
        }
        Path data = SECRET.resolve(node.disk.target(SECRET.resolve("..data")).orElseThrow());
        assertThat(node.disk.look(data.resolve("tls.key")).orElseThrow().access())
                .isEqualTo(new Access(0400, 1000, 2000));
        assertThat(node.disk.look(data).orElseThrow().access().mode()).isEqualTo(0755);
    }

    @Test
    void a_path_that_leads_out_of_its_volume_is_refused() {
        Node node;
        try {
            node = new Node();
            node.writer.store(
                    "one",
                    1,
                    Instant.EPOCH,
                    origin(),
                    new StaticPod(
                            Trees.empty(),
                            ImmutableList.of(new Volume("certs", ImmutableList.of(file("../../../x", "evil"))))),
                    false);
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("leads out of it");
            return;
        }
        throw new AssertionError("it was stored");
    }

    /** @return how many power cuts there were */
    private static int atEveryStep(Change before, Change change, java.util.function.Consumer<Found> check)
            throws IOException {
        int cuts = 0;
        for (long step = 0; ; step++) {
            boolean finished = false;
            for (Fate fate : fates()) {
                Node node = new Node();
                before.on(node);
                finished = node.cut(step, () -> change.on(node));
                node.machine.powerCycle(fate);
                try {
                    check.accept(node.found()); // what kubelet may see before anybody mends anything
                    node.writer.recover();
                    check.accept(node.found());
                } catch (AssertionError e) {
                    List<String> steps = node.machine.steps();
                    throw new AssertionError(
                            "cut before step " + step + ", after: "
                                    + steps.subList(Math.max(0, steps.size() - 5), steps.size()),
                            e);
                }
                cuts++;
            }
            if (finished) {
                return cuts;
            }
        }
    }

    private static List<Fate> fates() {
        List<Fate> fates = new ArrayList<>(List.of(Fate.lost(), Fate.kept()));
        for (Fate.Remains remains : Fate.Remains.values()) {
            fates.add(Fate.namesOnly(remains));
        }
        for (int i = 0; i < 12; i++) {
            fates.add(Fate.only(i));
            fates.add(Fate.allBut(i));
        }
        for (long seed = 0; seed < 25; seed++) {
            fates.add(Fate.drawn(seed));
        }
        return fates;
    }

    private static Node twoGenerations() throws IOException {
        Node node = new Node();
        node.store("one", 1, "old");
        node.store("two", 2, "new");
        return node;
    }

    private static Origin origin() {
        return new Origin("node-1", "kube-system", POD, "uid", Optional.empty(), "spec");
    }

    private static ImmutableList<Volume> volumes(String content) {
        return ImmutableList.of(new Volume(
                "certs", ImmutableList.of(file("tls.crt", content + " cert"), file("tls.key", content + " key"))));
    }

    private static File file(String path, String content) {
        return new File(path, Base64.getEncoder().encodeToString(content.getBytes(UTF_8)), 0400, 1000, 2000);
    }

    private static StaticPod pod(String id, String content) {
        ObjectNode manifest = Trees.empty();
        manifest.put("apiVersion", "v1").put("kind", "Pod");
        manifest.putObject("metadata").put("name", id);
        return new StaticPod(manifest, volumes(content));
    }

    private interface Change {
        void on(Node node) throws IOException;
    }

    private interface Step {
        void run() throws IOException;
    }

    /** What there is; the secrets are those of generation one, through the links that a container reads. */
    private record Found(List<String> generations, List<String> secrets, List<String> manifests, List<String> flaws) {}

    private static final class Node {

        final SimDisk machine = new SimDisk();
        final Disk disk = machine.as("checkpointer");
        final CheckpointWriter writer = new CheckpointWriter(new DurableFiles(disk), LAYOUT, SCOPE);

        Node() throws IOException {
            new DurableFiles(disk).ensureDirectory(LAYOUT.manifests(), Access.root(0755));
            writer.recover();
        }

        void store(String id, long sequence, String content) throws IOException {
            writer.store(id, sequence, Instant.EPOCH, origin(), pod(id, content), true);
        }

        Shelf shelf() throws IOException {
            return new CheckpointReader(disk, LAYOUT, SCOPE).read();
        }

        Generation generation(String id) throws IOException {
            return shelf().find(POD).flatMap(stored -> stored.find(id)).orElseThrow();
        }

        /** @return whether it came to its end */
        boolean cut(long step, Step change) throws IOException {
            machine.cutBefore(machine.steps().size() + step);
            try {
                change.run();
                return true;
            } catch (PowerCut e) {
                return false;
            }
        }

        Found found() {
            try {
                Shelf shelf = shelf();
                List<String> generations = shelf.find(POD).map(Stored::generations).orElse(ImmutableList.of()).stream()
                        .map(Generation::id)
                        .toList();
                List<String> secrets = new ArrayList<>();
                for (String name : List.of("tls.crt", "tls.key")) {
                    disk.read(SECRET.resolve(name)).ifPresent(content -> secrets.add(new String(content, UTF_8)));
                }
                List<String> manifests = new ArrayList<>();
                for (Entry entry : disk.list(LAYOUT.manifests())) {
                    if (!entry.name().startsWith(".")) { // kubelet overlooks them
                        byte[] content = disk.read(LAYOUT.manifests().resolve(entry.name()))
                                .orElseThrow();
                        manifests.add(Trees.object(content)
                                .path("metadata")
                                .path("name")
                                .asString());
                    }
                }
                return new Found(
                        generations,
                        secrets,
                        manifests,
                        shelf.flaws().stream().map(Object::toString).toList());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        List<String> names(Path directory) throws IOException {
            List<String> names = new ArrayList<>();
            for (Entry entry : disk.list(directory)) {
                names.add(entry.name());
                if (entry.kind() == Disk.Kind.DIRECTORY) {
                    names.addAll(names(directory.resolve(entry.name())));
                }
            }
            return names;
        }

        List<Path> files(Path directory) throws IOException {
            List<Path> files = new ArrayList<>();
            for (Entry entry : disk.list(directory)) {
                Path path = directory.resolve(entry.name());
                if (entry.kind() == Disk.Kind.DIRECTORY) {
                    files.addAll(files(path));
                } else if (entry.kind() == Disk.Kind.FILE && !entry.name().equals("proven")) {
                    files.add(path);
                }
            }
            return files;
        }
    }
}
