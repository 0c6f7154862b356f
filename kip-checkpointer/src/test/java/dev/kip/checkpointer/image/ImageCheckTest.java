package dev.kip.checkpointer.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.cli.KipCheckpointer;
import dev.kip.checkpointer.image.Finding.Verdict;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ImageCheckTest {

    private final PaperMachine machine = new PaperMachine();

    /** A machine as {@code install} leaves it, unless a test says otherwise. */
    private static final class PaperMachine implements Machine {
        final Map<String, String> files = new LinkedHashMap<>();
        final Map<String, String> programs = new LinkedHashMap<>();
        final Set<Integer> taken = new LinkedHashSet<>();
        boolean runs = true;
        long free = 20L << 30;
        Instant now = Instant.parse("2026-12-01T00:00:00Z");

        PaperMachine() {
            files.put("/etc/os-release", "NAME=\"Ubuntu\"\nID=ubuntu\nVERSION_ID=\"24.04\"\n");
            files.put("/proc/sys/kernel/osrelease", "6.8.0-1021-aws\n");
            files.put("/proc/filesystems", "nodev\toverlay\n");
            files.put("/proc/meminfo", "MemTotal:         980000 kB\n");
            files.put("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory hugetlb pids rdma misc\n");
            files.put("/usr/lib/kip/kubelet.yaml", deployed("kubelet.yaml"));
            files.put("/etc/containerd/config.toml", deployed("containerd.toml"));
            files.put("/etc/cni/net.d/pod.conflist", "");
            Stream.of("ptp", "static", "loopback").forEach(plugin -> files.put("/opt/cni/bin/" + plugin, ""));
            files.put("/usr/lib/kip/kip-checkpointer.jar", "");
            files.put("/usr/lib/kip/agent.jsa", "");
            files.put("/usr/lib/systemd/system/systemd-timesyncd.service", "");
            Stream.of("kip-agent", "kip-network", "kubelet")
                    .forEach(unit -> files.put("/etc/systemd/system/multi-user.target.wants/" + unit + ".service", ""));
            programs.put("/usr/bin/kubelet", "Kubernetes v1.34.4");
            programs.put("containerd", "containerd github.com/containerd/containerd 1.7.28");
            programs.put("runc", "runc version 1.3.3\nspec: 1.2.1");
            programs.put("iptables", "iptables v1.8.10 (nf_tables)");
            programs.put("/usr/bin/java", "openjdk version \"17.0.15\" 2025-04-15");
            programs.put("ls", "pod.conflist\n");
            programs.put("timedatectl", "yes\n");
        }

        /** What the project ships for cells. */
        private static String deployed(String file) {
            try {
                return Files.readString(Path.of("deploy", "cell", file));
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        @Override
        public boolean runs() {
            return runs;
        }

        @Override
        public Optional<String> read(String path) {
            return Optional.ofNullable(files.get(path));
        }

        @Override
        public boolean exists(String path) {
            return files.containsKey(path);
        }

        @Override
        public Optional<String> run(String... command) {
            return Optional.ofNullable(programs.get(command[0]));
        }

        @Override
        public boolean isFree(int port) {
            return !taken.contains(port);
        }

        @Override
        public long free(String path) {
            return free;
        }

        @Override
        public Instant now() {
            return now;
        }

        @Override
        public Optional<Instant> changed(String path) {
            return Optional.of(Instant.parse("2026-11-30T00:00:00Z"));
        }
    }

    private ImmutableList<Finding> look() {
        return new ImageCheck(machine, Optional.of(34), true).look();
    }

    private Finding finding(String what) {
        return look().stream()
                .filter(each -> each.what().equals(what))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_machine_as_install_leaves_it_can_serve() {
        assertThat(look()).allMatch(finding -> finding.verdict() == Verdict.OK);
    }

    @ParameterizedTest
    @CsvSource({
        "/usr/bin/kubelet, Kubernetes v1.32.9, kubelet, FAIL",
        "/usr/bin/kubelet, Kubernetes v1.31.0, skew, OK",
        "/usr/bin/kubelet, Kubernetes v1.30.0, skew, FAIL",
        "/usr/bin/kubelet, Kubernetes v1.35.1, skew, OK",
        "/usr/bin/kubelet, Kubernetes v1.36.0, skew, FAIL",
        "/usr/bin/kubelet, Kubernetes v1.36.0, containerd, FAIL",
        "containerd, containerd containerd.io 1.5.9, containerd, FAIL",
        "containerd, containerd v2.1.0, containerd, OK",
        "/usr/bin/java, openjdk version \"11.0.2\", java, FAIL",
        "timedatectl, no, clock, WARN",
        "ls, 10-aws.conflist pod.conflist, CNI configuration, WARN",
    })
    void versions_decide(String program, String says, String what, Verdict verdict) {
        machine.programs.put(program, says);

        assertThat(finding(what).verdict()).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({
        "/usr/bin/kubelet, kubelet",
        "containerd, containerd",
        "runc, runc",
        "iptables, iptables",
        "/usr/bin/java, java",
    })
    void a_program_that_is_missing_fails_with_its_remedy(String program, String what) {
        machine.programs.remove(program);

        assertThat(finding(what).verdict()).isEqualTo(Verdict.FAIL);
        assertThat(finding(what).remedy()).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/usr/lib/kip/kip-checkpointer.jar, agent, FAIL",
        "/usr/lib/kip/agent.jsa, agent archive, WARN",
        "/usr/lib/kip/kubelet.yaml, kubelet.yaml, FAIL",
        "/etc/cni/net.d/pod.conflist, CNI plugins, FAIL",
        "/opt/cni/bin/ptp, CNI plugins, FAIL",
        "/etc/systemd/system/multi-user.target.wants/kubelet.service, units, FAIL",
        "/proc/filesystems, overlay, FAIL",
        "/etc/os-release, system, WARN",
        "/usr/lib/systemd/system/systemd-timesyncd.service, clock service, WARN",
        "/sys/fs/cgroup/cgroup.controllers, cgroup, WARN",
    })
    void a_file_that_is_missing_is_noticed(String file, String what, Verdict verdict) {
        machine.files.remove(file);

        assertThat(finding(what).verdict()).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({
        "registry.k8s.io/pause:3.10.1, OK",
        "localhost:5000/pause:1, OK",
        "localhost:5000/pause, WARN",
        "registry.k8s.io/pause:latest, WARN",
    })
    void the_sandboxes_image_is_of_one_version(String image, Verdict verdict) {
        machine.files.put(
                "/etc/containerd/config.toml", "  SystemdCgroup = true\n  sandbox_image = \"" + image + "\"\n");

        assertThat(finding("sandbox image").verdict()).isEqualTo(verdict);
    }

    @Test
    void cgroup_v1_fails_with_a_kubelet_that_refuses_it() {
        machine.files.remove("/sys/fs/cgroup/cgroup.controllers");
        machine.programs.put("/usr/bin/kubelet", "Kubernetes v1.35.0");

        assertThat(finding("cgroup").verdict()).isEqualTo(Verdict.FAIL);
    }

    @Test
    void drivers_of_control_groups_that_differ_fail() {
        machine.files.put("/etc/containerd/config.toml", "SystemdCgroup = false");

        assertThat(finding("cgroup driver").found()).isEqualTo("kubelet systemd, containerd cgroupfs");
        assertThat(finding("cgroup driver").verdict()).isEqualTo(Verdict.FAIL);
    }

    @Test
    void a_port_that_another_has_fails_and_one_of_the_cell_itself_does_not() {
        machine.taken.add(10250);
        assertThat(finding("ports").found()).isEqualTo("10250 taken by another program");

        machine.files.put("/run/kip/ready", "");
        assertThat(finding("ports").verdict()).isEqualTo(Verdict.OK);
    }

    @Test
    void little_disk_memory_or_a_clock_of_long_ago_is_noticed() {
        machine.free = 2L << 30;
        assertThat(finding("disk").verdict()).isEqualTo(Verdict.WARN);
        machine.free = 500L << 20;
        assertThat(finding("disk").verdict()).isEqualTo(Verdict.FAIL);
        machine.files.put("/proc/meminfo", "MemTotal: 200000 kB");
        assertThat(finding("memory").verdict()).isEqualTo(Verdict.FAIL);
        machine.now = Instant.parse("1970-01-01T00:00:10Z");
        assertThat(finding("clock").verdict()).isEqualTo(Verdict.FAIL);
    }

    @Test
    void what_an_instance_left_in_an_image_fails_but_not_on_a_cell() {
        machine.files.put("/etc/kip/cell.json", "{}");
        assertThat(finding("inert").found()).isEqualTo("/etc/kip/cell.json");

        assertThat(new ImageCheck(machine, Optional.empty(), false).look())
                .noneMatch(finding -> finding.what().equals("inert"));
    }

    @Test
    void an_image_that_does_not_run_has_no_kernel_to_look_at() {
        machine.runs = false;
        assertThat(finding("kernel").verdict()).isEqualTo(Verdict.NOT_SEEN);
        assertThat(finding("ports").verdict()).isEqualTo(Verdict.NOT_SEEN);
        assertThat(finding("kubelet").verdict()).isEqualTo(Verdict.OK);
    }

    @Test
    void the_command_looks_at_a_mounted_root_and_exits_with_1_if_it_cannot_serve(@TempDir Path root) throws Exception {
        Files.createDirectories(root.resolve("etc"));
        Files.writeString(root.resolve("etc/os-release"), "ID=amzn\nVERSION_ID=2023\n");
        StringWriter out = new StringWriter();
        int code = KipCheckpointer.commandLine()
                .setOut(new PrintWriter(out))
                .execute("image", "check", "--root", root.toString(), "--for-image");

        assertThat(code).isEqualTo(1);
        assertThat(out.toString())
                .contains("ok        system             amzn 2023")
                .contains("fail      agent")
                .endsWith("It cannot serve as a cell.\n");
    }

    @Test
    void a_cluster_version_that_is_none_is_wrong_usage() {
        StringWriter errors = new StringWriter();
        int code = KipCheckpointer.commandLine()
                .setErr(new PrintWriter(errors))
                .execute("image", "check", "--cluster-version", "newest");

        assertThat(code).isEqualTo(2);
        assertThat(errors.toString()).contains("\"newest\" is no version of Kubernetes: wanted one like 1.34");
    }
}
