package dev.kip.checkpointer.image;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Looks at a machine as {@code deploy/cell/install} leaves it. Limits are those of kubelet's and containerd's own release
 * notes, and of what the project's tests run.
 */
final class ImageCheck {

    /** Minor releases that a cell's kubelet may be behind, and ahead of, the cluster. */
    static final int BEHIND = 3;

    static final int AHEAD = 1;

    /** Sidecar containers are a matter of course from here on; older kubelets would run them as init containers. */
    private static final int OLDEST_KUBELET = 33;

    /** From here on kubelet refuses cgroup v1 unless told otherwise (failCgroupV1). */
    private static final int NO_CGROUP_V1 = 35;

    /** From here on kubelet needs containerd 2. */
    private static final int CONTAINERD_TWO = 36;

    private static final Pattern VERSION = Pattern.compile("v?(\\d+)\\.(\\d+)(?:\\.(\\d+))?");
    private static final Pattern SANDBOX_IMAGE = Pattern.compile("(?m)^\\s*sandbox(?:_image)? = ['\"]([^'\"]+)['\"]");
    private static final long MEGABYTE = 1 << 20;
    private static final String INSTALL = "run kip-checkpointer/deploy/cell/install";
    private static final ImmutableList<String> UNITS =
            ImmutableList.of("kip-agent.service", "kip-network.service", "kubelet.service");
    private static final ImmutableList<String> PLUGINS = ImmutableList.of("ptp", "static", "loopback");
    private static final ImmutableList<String> LEFTOVERS =
            ImmutableList.of("/etc/kip/cell.json", "/var/lib/kip", "/var/lib/cloud/data/instance-id");

    private final Machine machine;
    private final Optional<Integer> clusterMinor;
    private final boolean image;
    private final List<Finding> findings = new ArrayList<>();

    /**
     * @param clusterMinor of the cluster that cells are for, as 34
     * @param image whether an image is to be made of it: then nothing of an instance may be in it
     */
    ImageCheck(Machine machine, Optional<Integer> clusterMinor, boolean image) {
        this.machine = machine;
        this.clusterMinor = clusterMinor;
        this.image = image;
    }

    private record Version(int major, int minor, String text) {

        boolean before(int otherMajor, int otherMinor) {
            return major < otherMajor || (major == otherMajor && minor < otherMinor);
        }
    }

    ImmutableList<Finding> look() {
        findings.clear();
        Optional<Version> kubelet = version("/usr/bin/kubelet", "--version");
        system();
        kernel();
        cgroups(kubelet);
        kubelet(kubelet);
        containerd(kubelet);
        program("runc", "runc", "--version");
        program("iptables", "iptables", "--version");
        network();
        agent();
        units();
        memoryAndDisk();
        clock();
        ports();
        if (image) {
            leftovers();
        }
        return ImmutableList.copyOf(findings);
    }

    private Optional<Version> version(String... command) {
        return machine.run(command).flatMap(text -> {
            Matcher matcher = VERSION.matcher(text);
            return matcher.find()
                    ? Optional.of(new Version(
                            Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)), matcher.group()))
                    : Optional.empty();
        });
    }

    private void system() {
        String release = machine.read("/etc/os-release").orElse("");
        String id = field(release, "ID") + " " + field(release, "VERSION_ID");
        boolean known = id.equals("ubuntu 24.04") || id.startsWith("amzn 2023");
        findings.add(
                known
                        ? Finding.ok("system", id)
                        : Finding.warn(
                                "system",
                                id.isBlank() ? "unknown" : id,
                                "install knows ubuntu 24.04 and amzn 2023 only"));
    }

    private static String field(String release, String name) {
        for (String line : Splitter.on('\n').split(release)) {
            if (line.startsWith(name + "=")) {
                return line.substring(name.length() + 1).replace("\"", "");
            }
        }
        return "";
    }

    private void kernel() {
        if (!machine.runs()) {
            findings.add(Finding.notSeen("kernel"));
            return;
        }
        String release = machine.read("/proc/sys/kernel/osrelease").orElse("").strip();
        Matcher matcher = VERSION.matcher(release);
        if (!matcher.find()) {
            findings.add(Finding.fail("kernel", "unknown: " + release, "run this on Linux"));
            return;
        }
        Version kernel = new Version(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)), release);
        findings.add(
                kernel.before(5, 8)
                        ? Finding.warn("kernel", release, "cgroup v2 is sound from 5.8 on: take a newer one")
                        : Finding.ok("kernel", release));
        boolean overlay = machine.read("/proc/filesystems").orElse("").contains("overlay")
                || machine.run("modinfo", "overlay").isPresent();
        findings.add(
                overlay
                        ? Finding.ok("overlay", "in the kernel")
                        : Finding.fail(
                                "overlay", "the kernel has no overlayfs", "take a kernel with CONFIG_OVERLAY_FS"));
    }

    private void cgroups(Optional<Version> kubelet) {
        if (!machine.runs()) {
            findings.add(Finding.notSeen("cgroup"));
        } else if (machine.exists("/sys/fs/cgroup/cgroup.controllers")) {
            String controllers =
                    machine.read("/sys/fs/cgroup/cgroup.controllers").orElse("").strip();
            List<String> has = Splitter.on(' ').splitToList(controllers);
            boolean enough = has.containsAll(ImmutableList.of("cpu", "memory", "pids"));
            findings.add(
                    enough
                            ? Finding.ok("cgroup", "v2: " + controllers)
                            : Finding.fail(
                                    "cgroup",
                                    "v2, but only: " + controllers,
                                    "kubelet needs cpu, memory and pids: enable them on the kernel's command line"));
        } else if (kubelet.isPresent()
                && !kubelet.get().before(1, NO_CGROUP_V1)
                && !machine.read("/usr/lib/kip/kubelet.yaml").orElse("").contains("failCgroupV1: false")) {
            findings.add(Finding.fail(
                    "cgroup",
                    "v1",
                    "kubelet " + kubelet.get().text() + " refuses it: boot with systemd.unified_cgroup_hierarchy=1"));
        } else {
            findings.add(Finding.warn(
                    "cgroup",
                    "v1",
                    "no memory QoS, and newer kubelets refuse it: boot with" + " systemd.unified_cgroup_hierarchy=1"));
        }
    }

    private void kubelet(Optional<Version> found) {
        if (found.isEmpty()) {
            findings.add(Finding.fail("kubelet", "/usr/bin/kubelet is not there, or does not run", INSTALL));
            return;
        }
        Version kubelet = found.get();
        if (kubelet.major() != 1 || kubelet.minor() < OLDEST_KUBELET) {
            findings.add(Finding.fail(
                    "kubelet",
                    kubelet.text(),
                    "1." + OLDEST_KUBELET + " is the oldest that runs pods as they are meant"));
        } else {
            findings.add(Finding.ok("kubelet", kubelet.text()));
        }
        clusterMinor.ifPresent(cluster -> {
            int behind = cluster - kubelet.minor();
            String distance = kubelet.text() + ", the cluster 1." + cluster;
            if (behind > BEHIND || -behind > AHEAD) {
                findings.add(Finding.fail(
                        "skew",
                        distance,
                        "a cell's kubelet may be " + BEHIND + " minor releases older than the cluster and " + AHEAD
                                + " newer: take another image"));
            } else {
                findings.add(Finding.ok("skew", distance));
            }
        });
        String config = machine.read("/usr/lib/kip/kubelet.yaml").orElse("");
        findings.add(
                config.contains("staticPodPath: /run/kip/manifests")
                        ? Finding.ok("kubelet.yaml", "/usr/lib/kip/kubelet.yaml")
                        : Finding.fail(
                                "kubelet.yaml",
                                config.isEmpty() ? "is not there" : "does not read /run/kip/manifests",
                                INSTALL));
        boolean kubeletBySystemd = config.contains("cgroupDriver: systemd");
        boolean runtimeBySystemd =
                machine.read("/etc/containerd/config.toml").orElse("").matches("(?s).*SystemdCgroup\\s*=\\s*true.*");
        findings.add(
                kubeletBySystemd == runtimeBySystemd
                        ? Finding.ok("cgroup driver", kubeletBySystemd ? "systemd" : "cgroupfs")
                        : Finding.fail(
                                "cgroup driver",
                                "kubelet " + (kubeletBySystemd ? "systemd" : "cgroupfs") + ", containerd "
                                        + (runtimeBySystemd ? "systemd" : "cgroupfs"),
                                "make both systemd (kubelet.yaml: cgroupDriver, config.toml: SystemdCgroup)"));
    }

    private void containerd(Optional<Version> kubelet) {
        Optional<Version> found = version("containerd", "--version");
        if (found.isEmpty()) {
            findings.add(Finding.fail("containerd", "is not there, or does not run", INSTALL));
            return;
        }
        Version containerd = found.get();
        boolean needsTwo = kubelet.isPresent() && !kubelet.get().before(1, CONTAINERD_TWO);
        if (containerd.before(1, 6) || (needsTwo && containerd.before(2, 0))) {
            findings.add(Finding.fail(
                    "containerd",
                    containerd.text(),
                    needsTwo ? "kubelet " + kubelet.get().text() + " needs 2.0 or later" : "1.6 or later is needed"));
        } else {
            findings.add(Finding.ok("containerd", containerd.text()));
        }
        String config = machine.read("/etc/containerd/config.toml").orElse("");
        sandboxImage(config);
        if (config.contains("root = \"/run") || config.contains("root = \"/tmp")) {
            findings.add(Finding.fail(
                    "containerd root",
                    "in memory",
                    "kubelet knows from it what has run: a reboot would run finished pods again. Put it on the disk"));
        }
    }

    private void sandboxImage(String config) {
        Matcher named = SANDBOX_IMAGE.matcher(config);
        boolean pinned = named.find() && named.group(1).matches(".*(:(?!latest$)[^:/]+|@sha256:[0-9a-f]{64})");
        findings.add(
                pinned
                        ? Finding.ok("sandbox image", named.group(1))
                        : Finding.warn(
                                "sandbox image",
                                "containerd's configuration names none of one version",
                                "it is fetched before the first pod runs, whichever it is: " + INSTALL));
    }

    private void program(String what, String... command) {
        Optional<String> said = machine.run(command);
        findings.add(
                said.isPresent()
                        ? Finding.ok(what, said.get().lines().findFirst().orElse(""))
                        : Finding.fail(what, "is not there, or does not run", INSTALL));
    }

    private void network() {
        List<String> missing = PLUGINS.stream()
                .filter(plugin -> !machine.exists("/opt/cni/bin/" + plugin))
                .toList();
        if (!missing.isEmpty()) {
            findings.add(Finding.fail("CNI plugins", "/opt/cni/bin has no " + String.join(", ", missing), INSTALL));
        } else if (!machine.exists("/etc/cni/net.d/pod.conflist")) {
            findings.add(Finding.fail("CNI plugins", "/etc/cni/net.d/pod.conflist is not there", INSTALL));
        } else {
            findings.add(Finding.ok("CNI plugins", String.join(", ", PLUGINS)));
        }
        String others = machine.run("ls", "/etc/cni/net.d").orElse("").strip().replace('\n', ' ');
        if (!others.isEmpty() && !others.equals("pod.conflist")) {
            findings.add(Finding.warn(
                    "CNI configuration", others, "containerd takes the first by name: remove all but pod.conflist"));
        }
    }

    private void agent() {
        findings.add(
                machine.exists("/usr/lib/kip/kip-checkpointer.jar")
                        ? Finding.ok("agent", "/usr/lib/kip/kip-checkpointer.jar")
                        : Finding.fail("agent", "/usr/lib/kip/kip-checkpointer.jar is not there", INSTALL));
        if (!machine.exists("/usr/lib/kip/agent.jsa")) {
            findings.add(Finding.warn(
                    "agent archive", "/usr/lib/kip/agent.jsa is not there", "it starts slower without: " + INSTALL));
        }
        Optional<Version> java = version("/usr/bin/java", "-version");
        if (java.isEmpty() || java.get().before(17, 0)) {
            findings.add(Finding.fail(
                    "java",
                    java.map(Version::text).orElse("is not there"),
                    "the agent needs /usr/bin/java of 17 or later"));
        } else {
            findings.add(Finding.ok("java", java.get().text()));
        }
    }

    private void units() {
        List<String> off = UNITS.stream()
                .filter(unit -> !machine.exists("/etc/systemd/system/multi-user.target.wants/" + unit))
                .toList();
        findings.add(
                off.isEmpty()
                        ? Finding.ok("units", String.join(", ", UNITS))
                        : Finding.fail("units", "do not start at boot: " + String.join(", ", off), INSTALL));
    }

    private void memoryAndDisk() {
        if (machine.runs()) {
            String memory = machine.read("/proc/meminfo").orElse("");
            Matcher matcher = Pattern.compile("MemTotal:\\s+(\\d+) kB").matcher(memory);
            long megabytes = matcher.find() ? Long.parseLong(matcher.group(1)) / 1024 : 0;
            findings.add(
                    megabytes >= 400
                            ? Finding.ok("memory", megabytes + " MB")
                            : Finding.fail(
                                    "memory", megabytes + " MB", "kubelet, containerd and agent take some 250 MB"));
        }
        long free = machine.free("/var/lib/containerd") / MEGABYTE;
        String left = free + " MB left for /var/lib/containerd";
        if (free < 1024) {
            findings.add(Finding.fail("disk", left, "images of pods would not fit: make the volume larger"));
        } else if (free < 5 * 1024) {
            findings.add(Finding.warn("disk", left, "images of many pods would not fit: make the volume larger"));
        } else {
            findings.add(Finding.ok("disk", left));
        }
    }

    private void clock() {
        boolean kept = machine.exists("/usr/lib/systemd/system/chronyd.service")
                || machine.exists("/usr/lib/systemd/system/chrony.service")
                || machine.exists("/usr/lib/systemd/system/systemd-timesyncd.service");
        if (!kept) {
            findings.add(Finding.warn(
                    "clock service",
                    "neither chrony nor systemd-timesyncd",
                    "a wrong clock spoils tokens and the dates of certificates: install chrony"));
        }
        if (!machine.runs()) {
            findings.add(Finding.notSeen("clock"));
            return;
        }
        Instant now = machine.now();
        Optional<Instant> built = machine.changed("/usr/lib/kip/kip-checkpointer.jar");
        if (built.isPresent() && now.plus(Duration.ofDays(1)).isBefore(built.get())) {
            findings.add(Finding.fail(
                    "clock",
                    now + ", before the agent was installed (" + built.get() + ")",
                    "set it, and start its service"));
            return;
        }
        Optional<String> synchronised = machine.run("timedatectl", "show", "-p", "NTPSynchronized", "--value");
        findings.add(
                synchronised.filter(said -> said.strip().equals("no")).isPresent()
                        ? Finding.warn("clock", now + ", not synchronised", "wait for chrony or systemd-timesyncd")
                        : Finding.ok("clock", now.toString()));
    }

    private void ports() {
        if (!machine.runs()) {
            findings.add(Finding.notSeen("ports"));
            return;
        }
        // On a cell that runs, agent and kubelet have them.
        boolean serves = machine.exists("/run/kip/ready");
        List<String> taken = new ArrayList<>();
        for (int port : ImmutableList.of(6421, 10250)) {
            if (!serves && !machine.isFree(port)) {
                taken.add(Integer.toString(port));
            }
        }
        findings.add(
                taken.isEmpty()
                        ? Finding.ok("ports", serves ? "served by the cell" : "6421 and 10250 are free")
                        : Finding.fail(
                                "ports",
                                String.join(" and ", taken) + " taken by another program",
                                "the agent needs 6421 and kubelet 10250: ss -ltnp tells who has them"));
    }

    private void leftovers() {
        List<String> left = LEFTOVERS.stream().filter(machine::exists).toList();
        findings.add(
                left.isEmpty()
                        ? Finding.ok("inert", "nothing of an instance is in it")
                        : Finding.fail(
                                "inert",
                                String.join(", ", left),
                                "every cell of the image would be this one: remove them, last of all"));
    }
}
