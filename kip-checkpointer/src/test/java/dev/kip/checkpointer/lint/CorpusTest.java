package dev.kip.checkpointer.lint;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.bundle.Rule;
import dev.kip.bundle.Site;
import dev.kip.checkpointer.kubelet.ApiServer;
import dev.kip.checkpointer.kubelet.Circumstances;
import dev.kip.checkpointer.kubelet.Fate;
import dev.kip.checkpointer.kubelet.Judgement;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.checkpointer.kubelet.Trouble;
import dev.kip.checkpointer.sanitise.CheckpointTable;
import dev.kip.checkpointer.sanitise.KubeletCheck;
import dev.kip.checkpointer.sanitise.Sanitised;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.sanitise.TableSanitiser;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pods with each field of the table, and what becomes of them on which kubelet. Kubelet itself is asked by real-parts/corpus. */
class CorpusTest {

    private static final Path CORPUS = Path.of("src/test/resources/corpus");
    private static final int AT_LEAST = 60;

    /** A reason follows. */
    private static final String NOT_COMPARED = "# not compared: ";

    private static final NodeFacts NODE =
            NodeFacts.named("node-1").withAllocatable(ImmutableMap.of("cpu", BigDecimal.valueOf(2)));

    /** A line of a file's head: what the kubelet of a version makes of it. */
    private record Expected(Path file, KubeletVersion version, ApiServer api, Fate fate) {
        @Override
        public String toString() {
            return file.getFileName() + " on " + version + ", API server "
                    + api.name().toLowerCase(Locale.ROOT);
        }
    }

    private static ImmutableList<Path> files() {
        try (Stream<Path> files = Files.list(CORPUS)) {
            return files.sorted().collect(ImmutableList.toImmutableList());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static PodDocument read(Path file) {
        try {
            return PodDocuments.read(file.toString(), Files.readString(file)).get(0);
        } catch (IOException | YamlProblem e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<Expected> expectations() {
        return files().stream().flatMap(file -> {
            try {
                return Files.readAllLines(file).stream()
                        .takeWhile(line -> line.startsWith("# "))
                        .filter(line -> !line.startsWith(NOT_COMPARED))
                        .map(line -> line.substring(2).split("[: ]+"))
                        .map(words -> new Expected(
                                file,
                                KubeletVersion.parse(words[0]),
                                ApiServer.valueOf(words[1].toUpperCase(Locale.ROOT)),
                                Fate.valueOf(words[2])));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static Judgement judge(Path file, KubeletVersion version, ApiServer api) {
        return KubeletModel.of(version).judge(read(file).pod(), new Circumstances(api, NODE, ImmutableList.of()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("expectations")
    void lint_says_what_becomes_of_it(Expected expected) {
        Judgement judgement = judge(expected.file(), expected.version(), expected.api());

        assertThat(judgement.fate())
                .as("%s", judgement.troubles().stream().map(Trouble::message).toList())
                .isEqualTo(expected.fate());
    }

    @Test
    void the_corpus_is_large_enough_and_every_pod_is_given_to_both_real_kubelets_or_says_why_not() throws IOException {
        assertThat(files()).hasSizeGreaterThanOrEqualTo(AT_LEAST);
        for (Path file : files()) {
            String text = Files.readString(file);
            boolean reason = text.contains(NOT_COMPARED);
            assertThat(text.contains("# 1.34 none: ") && text.contains("# 1.37 none: "))
                    .as("%s", file)
                    .isNotEqualTo(reason);
        }
    }

    @Test
    void each_field_of_the_table_is_in_some_pod() {
        TreeSet<String> missing = new TreeSet<>();
        ImmutableList<PodDocument> pods =
                files().stream().map(CorpusTest::read).collect(ImmutableList.toImmutableList());
        for (Rule row : CheckpointTable.ROWS) {
            if (pods.stream().allMatch(pod -> Site.find(pod.pod(), row.path()).isEmpty())) {
                missing.add(row.path());
            }
        }

        assertThat(missing).isEmpty();
    }

    @Test
    void each_rule_of_the_model_is_broken_by_some_pod() {
        TreeSet<String> broken = new TreeSet<>();
        for (Path file : files()) {
            for (KubeletVersion version : KubeletVersion.MODELLED) {
                for (ApiServer api : ApiServer.values()) {
                    judge(file, version, api)
                            .troubles()
                            .forEach(one -> broken.add(one.rule().id()));
                }
            }
        }
        broken.addAll(expectations()
                .flatMap(one -> judge(one.file(), one.version(), one.api()).troubles().stream())
                .map(one -> one.rule().id())
                .toList());

        TreeSet<String> missing = new TreeSet<>();
        KubeletModel.RULES.forEach(rule -> missing.add(rule.id()));
        missing.removeAll(broken);
        assertThat(missing).as("only another pod can take a host port").containsExactly("host-port-taken");
    }

    /** Whatever the pod: it is refused by name, or every kubelet brings its checkpoint back. */
    @Test
    void a_checkpoint_that_is_made_comes_back_on_every_kubelet() {
        TableSanitiser sanitiser = new TableSanitiser();
        for (Path file : files()) {
            PodDocument pod = read(file);
            Sanitised sanitised = sanitiser.sanitise(
                    pod.pod(),
                    AssumedSupplies.of(pod.pod(), sanitiser, ImmutableList.of()),
                    new Sanitiser.Site("/v", "node-1"));
            for (KubeletVersion version : KubeletVersion.MODELLED) {
                boolean possible = judge(file, version, ApiServer.PRESENT).troubles().stream()
                        .noneMatch(one -> MALFORMED.contains(one.rule().id()));
                if (possible && sanitised.pod().isPresent()) {
                    assertThat(new KubeletCheck(KubeletModel.of(version), NodeFacts.named("node-1"))
                                    .objections(sanitised.pod().get().manifest()))
                            .as("%s on %s", file, version)
                            .isEmpty();
                }
            }
        }
    }

    /** No API server would have such a pod, at least not for a kubelet of this version. */
    private static final ImmutableSet<String> MALFORMED = ImmutableSet.of(
            "no-pod",
            "volume-name",
            "sidecar-unknown",
            "wrong-type",
            "name-needed",
            "invalid-name",
            "no-containers",
            "container-name",
            "container-image",
            "unsupported-value",
            "volume-kind",
            "volume-kinds",
            "mount-without-volume",
            "host-network-port",
            "init-container-probe",
            "forbidden-sysctl",
            "other-os");
}
