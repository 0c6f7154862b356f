package dev.kip.sim.machine;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import dev.kip.cell.wire.UserData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** What is written for one machine before it boots. Blocks. */
final class MachineFiles {

    private static final String PUBLISHED = "192.0.0"; // RFC 7335: never the address of anything else

    private final MachineParts parts;
    private final Path images;
    private final String bridge;
    private final ImmutableList<String> plainRegistries;

    /** @param plainRegistries host:port of registries that speak plain HTTP */
    MachineFiles(MachineParts parts, Path images, String bridge, ImmutableList<String> plainRegistries) {
        this.parts = parts;
        this.images = images;
        this.bridge = bridge;
        this.plainRegistries = plainRegistries;
    }

    /** @throws IllegalArgumentException if the user data makes no cell */
    void write(Path directory, MachineInstance instance, Cgroups cgroups) throws IOException {
        String userData = UserData.file(instance.userData());
        UserData.parseFile(userData);
        Files.createDirectories(directory.resolve("var/lib/kip-cell"));
        Files.createDirectories(directory.resolve("cni"));
        write(directory.resolve("cell.json"), userData);
        write(directory.resolve("boot"), resource("machine/boot"));
        write(directory.resolve("var/lib/kip-cell/network"), resource("cell/network"));
        write(
                directory.resolve("cgroups"),
                cgroups.directories().stream().map(Path::toString).collect(Collectors.joining("\n")) + "\n");
        write(directory.resolve("settings"), settings(directory, instance));
        write(directory.resolve("containerd.toml"), containerd());
        write(directory.resolve("kubelet.yaml"), kubelet(cgroups));
        write(directory.resolve("cni/pod.conflist"), network());
    }

    private String settings(Path directory, MachineInstance instance) {
        ImmutableMap<String, String> values = ImmutableMap.<String, String>builder()
                .put("id", instance.instanceId())
                .put("address", instance.privateIp())
                .put("bridge", bridge)
                .put("veth", veth(instance.instanceId()))
                .put("gateway", MachineNetwork.GATEWAY)
                .put("lan", MachineNetwork.lan(instance.privateIp()))
                .put("kubelet", parts.kubelet().toString())
                .put("java", parts.java().toString())
                .put("jar", parts.agentJar().toString())
                .put("userdata", directory.resolve("cell.json").toString())
                .put("images", images.toString())
                .buildOrThrow();
        return values.entrySet().stream()
                .map(entry -> entry.getKey() + "='" + entry.getValue().replace("'", "'\\''") + "'\n")
                .collect(Collectors.joining());
    }

    /** 15 characters at most. */
    private static String veth(String instanceId) {
        String end = instanceId.length() > 11 ? instanceId.substring(instanceId.length() - 11) : instanceId;
        return "kip" + end.replace("-", "");
    }

    /** Where a machine may not raise the score of its processes, containers start only with the restriction. */
    private String containerd() {
        return """
                version = 2
                root = "/var/lib/containerd"
                state = "/run/containerd/state"
                [grpc]
                  address = "/run/containerd/containerd.sock"
                [plugins."io.containerd.grpc.v1.cri"]
                  restrict_oom_score_adj = true
                  sandbox_image = "%s"
                  [plugins."io.containerd.grpc.v1.cri".cni]
                    bin_dir = "%s"
                    conf_dir = "/var/lib/kip-cell/cni"
                """.replace("%s", "\0")
                        .replaceFirst("\0", Images.PAUSE)
                        .replaceFirst("\0", parts.cni().toString())
                + plainRegistries.stream()
                        .map(registry -> "  [plugins.\"io.containerd.grpc.v1.cri\".registry.mirrors.\"" + registry
                                + "\"]\n    endpoint = [\"http://" + registry + "\"]\n")
                        .collect(Collectors.joining());
    }

    private static String kubelet(Cgroups cgroups) {
        return """
                apiVersion: kubelet.config.k8s.io/v1beta1
                kind: KubeletConfiguration
                staticPodPath: /run/kip/manifests
                containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
                tlsCertFile: /var/lib/kip/kubelet/kubelet.crt
                tlsPrivateKeyFile: /var/lib/kip/kubelet/kubelet.key
                authentication:
                  anonymous: {enabled: false}
                  webhook: {enabled: false}
                  x509: {clientCAFile: /var/lib/kip/kubelet/clients.crt}
                authorization: {mode: AlwaysAllow}
                address: 0.0.0.0
                port: 10250
                readOnlyPort: 0
                healthzPort: 0
                resolvConf: /var/lib/kip-cell/resolv.conf
                cgroupDriver: cgroupfs
                cgroupRoot: CGROUP
                cgroupsPerQOS: false
                enforceNodeAllocatable: []
                failSwapOn: false
                failCgroupV1: false
                localStorageCapacityIsolation: true
                evictionHard: {memory.available: 1Mi, nodefs.available: 0%, imagefs.available: 0%, nodefs.inodesFree: 0%}
                """.replace("CGROUP", cgroups.name());
    }

    private static String network() {
        return """
                {"cniVersion": "0.4.0", "name": "pod", "plugins": [
                  {"type": "ptp", "ipMasq": false,
                   "ipam": {"type": "static", "addresses": [{"address": "NET.2/29", "gateway": "NET.1"}],
                            "routes": [{"dst": "0.0.0.0/0"}]}},
                  {"type": "loopback"}]}
                """.replace("NET", PUBLISHED);
    }

    private static String resource(String name) throws IOException {
        return Resources.toString(Resources.getResource(name), StandardCharsets.UTF_8);
    }

    private static void write(Path file, String content) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(
                file,
                java.nio.file.attribute.PosixFilePermissions.asFileAttribute(
                        java.nio.file.attribute.PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, content);
    }
}
