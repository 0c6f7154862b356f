package dev.kip.controller.config;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.net.HostAndPort;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.cloud.CloudProvider.Extras;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.ControllerSettings.CellSettings;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.ControllerSettings.NodeSettings;
import dev.kip.controller.ControllerSettings.OwnershipSettings;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.controller.cost.BudgetSettings;
import dev.kip.controller.gc.GcSettings;
import dev.kip.controller.kubelet.KubeletSettings;
import dev.kip.controller.launch.WarmPool;
import dev.kip.outcome.Outcome;
import dev.kip.quantity.Quantities;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The configuration together with what the process finds around it: all that is needed to begin.
 *
 * @param addressMap path of the file that says where cells are dialled, see {@link ProviderKeys#ADDRESS_MAP}
 * @param anchor empty if the installation has none
 * @param kubelet how the node's kubelet API is served
 */
public record ResolvedConfig(
        ControllerSettings controller,
        CloudSettings cloud,
        Optional<String> addressMap,
        Optional<AnchorPlace> anchor,
        KubeletSettings kubelet) {

    /**
     * Where the anchor is.
     *
     * @param endpoint in place of the store's own
     */
    public record AnchorPlace(String location, Optional<String> endpoint) {}

    private static final BigDecimal GIBI = Quantities.parse("1Gi");
    private static final ImmutableMap<String, String> OWN_IMAGES =
            ImmutableMap.of("owners", "self", "filters", "name=kip-cell-*");

    /** Fails if something has no default and neither the file nor the environment says it. */
    public static Outcome<ResolvedConfig, ImmutableList<Problem>> of(
            ProviderConfig config, Surroundings surroundings, String file) {
        Problems problems = new Problems(file);
        Optional<String> region =
                surroundings.variable("AWS_DEFAULT_REGION", "AWS_REGION").or(() -> config.get(ProviderKeys.REGION));
        if (region.isEmpty()) {
            problems.addUnplaced(
                    ProviderKeys.REGION.path(),
                    "no region is set. Set it in the file, or the environment's AWS_REGION.");
            return Outcome.failed(problems.inOrder());
        }
        Optional<String> certificate = config.get(ProviderKeys.KUBELET_CERTIFICATE);
        Optional<String> key = config.get(ProviderKeys.KUBELET_KEY);
        if (certificate.isPresent() != key.isPresent()) {
            problems.addUnplaced(
                    (key.isPresent() ? ProviderKeys.KUBELET_CERTIFICATE : ProviderKeys.KUBELET_KEY).path(),
                    "kubelet.tlsCertFile and kubelet.tlsPrivateKeyFile go together: set both or none.");
            return Outcome.failed(problems.inOrder());
        }
        if (certificate.isPresent() && config.get(ProviderKeys.KUBELET_BOOTSTRAP)) {
            problems.addUnplaced(
                    ProviderKeys.KUBELET_BOOTSTRAP.path(),
                    "the serving certificate is either in kubelet.tlsCertFile or asked of the cluster: set one of both.");
            return Outcome.failed(problems.inOrder());
        }
        ControllerSettings controller = new ControllerSettings(
                surroundings.identity(),
                config.get(ProviderKeys.INSTALLATION),
                config.get(ProviderKeys.NAMESPACE),
                node(config, surroundings),
                launch(config, region.get()),
                new CellSettings(
                        config.get(ProviderKeys.AGENT_PORT),
                        config.get(ProviderKeys.DAEMON_SETS),
                        config.get(ProviderKeys.DEAD_MAN),
                        config.get(ProviderKeys.INERT_DEAD_MAN),
                        config.get(ProviderKeys.API_SERVER).map(HostAndPort::fromString),
                        config.get(ProviderKeys.WARM_POOL).map(WarmPool::parse).orElse(ImmutableList.of())),
                new OwnershipSettings(
                        config.get(ProviderKeys.ADOPT_INSTALLATION),
                        config.get(ProviderKeys.ON_CLUSTER_RECREATED),
                        config.get(ProviderKeys.ON_LOST_KEYS)),
                timing(config),
                new GcSettings(
                        config.get(ProviderKeys.GC_ENABLED),
                        config.get(ProviderKeys.GC_DRY_RUN),
                        config.get(ProviderKeys.GC_MAX_COUNT),
                        config.get(ProviderKeys.GC_MAX_PERCENT),
                        config.get(ProviderKeys.GC_WINDOW),
                        config.get(ProviderKeys.GC_QUARANTINE)),
                new BudgetSettings(
                        config.get(ProviderKeys.BUDGET).map(BigDecimal::new),
                        ImmutableMap.copyOf(
                                Maps.transformValues(config.get(ProviderKeys.NAMESPACE_BUDGETS), BigDecimal::new))));
        return Outcome.ok(new ResolvedConfig(
                controller,
                cloud(config, surroundings, region.get()),
                config.get(ProviderKeys.ADDRESS_MAP),
                config.get(ProviderKeys.ANCHOR)
                        .map(location -> new AnchorPlace(location, config.get(ProviderKeys.ANCHOR_ENDPOINT))),
                new KubeletSettings(
                        config.get(ProviderKeys.KUBELET_PORT),
                        config.get(ProviderKeys.KUBELET_CLIENT_CA),
                        certificate.map(path -> new KubeletSettings.Serving(path, key.orElseThrow())),
                        config.get(ProviderKeys.KUBELET_BOOTSTRAP),
                        config.get(ProviderKeys.KUBELET_IDLE),
                        config.get(ProviderKeys.KUBELET_MAX_STREAMS))));
    }

    private static NodeSettings node(ProviderConfig config, Surroundings surroundings) {
        Map<String, String> capacity = new LinkedHashMap<>(ProviderKeys.CAPACITY.whenAbsent());
        capacity.putAll(config.get(ProviderKeys.CAPACITY));
        return new NodeSettings(
                config.get(ProviderKeys.NODE_NAME),
                config.get(ProviderKeys.NODE_TAINT),
                ImmutableMap.copyOf(capacity),
                config.get(ProviderKeys.LABELS),
                config.get(ProviderKeys.NODE_INTERNAL_IP).or(() -> surroundings.variable("VKUBELET_POD_IP", "POD_IP")),
                config.get(ProviderKeys.KUBELET_PORT),
                surroundings.version());
    }

    private static LaunchSettings launch(ProviderConfig config, String region) {
        return new LaunchSettings(
                region,
                config.get(ProviderKeys.VPC_ID).filter(id -> !id.equals("default")),
                config.get(ProviderKeys.SUBNET_ID),
                imageSpec(config),
                config.get(ProviderKeys.DEFAULT_INSTANCE_TYPE),
                config.get(ProviderKeys.BURSTABLE),
                (int) Quantities.roundUp(Quantities.parse(config.get(ProviderKeys.DEFAULT_VOLUME_SIZE)), GIBI),
                config.get(ProviderKeys.PRIVATE_IP_ONLY),
                config.get(ProviderKeys.EXTRA_SECURITY_GROUPS),
                config.get(ProviderKeys.EXTRA_CIDRS),
                config.get(ProviderKeys.DEFAULT_IAM_PERMISSIONS),
                config.get(ProviderKeys.NAMETAG));
    }

    private static ImmutableMap<String, String> imageSpec(ProviderConfig config) {
        Map<String, String> spec = new LinkedHashMap<>();
        for (Key<Optional<String>> key : ImmutableList.of(
                ProviderKeys.IMAGE_OWNERS,
                ProviderKeys.IMAGE_EXECUTABLE_USERS,
                ProviderKeys.IMAGE_IDS,
                ProviderKeys.IMAGE_FILTERS,
                ProviderKeys.IMAGE_PARAMETERS)) {
            String name = key.path().substring(key.path().lastIndexOf('.') + 1);
            config.get(key).ifPresent(value -> spec.put(name, value));
        }
        return spec.isEmpty() ? OWN_IMAGES : ImmutableMap.copyOf(spec);
    }

    private static Timing timing(ProviderConfig config) {
        Timing defaults = Timing.DEFAULTS;
        return new Timing(
                defaults.batchIdle(),
                defaults.batchMax(),
                config.get(ProviderKeys.CONSISTENCY_WINDOW),
                defaults.cloudTimeout(),
                defaults.kubeTimeout(),
                defaults.capacityPause(),
                defaults.describeBusy(),
                defaults.describeIdle(),
                config.get(ProviderKeys.BOOT_DEADLINE),
                defaults.cellLost(),
                defaults.orphanAge(),
                config.get(ProviderKeys.LEASE_DURATION));
    }

    private static CloudSettings cloud(ProviderConfig config, Surroundings surroundings, String region) {
        boolean fileCounts = surroundings.variable("AWS_ACCESS_KEY_ID").isEmpty();
        return new CloudSettings(
                region,
                config.get(ProviderKeys.ENDPOINT_URL),
                config.get(ProviderKeys.ACCESS_KEY_ID).filter(id -> fileCounts),
                config.get(ProviderKeys.SECRET_ACCESS_KEY).filter(secret -> fileCounts),
                config.get(ProviderKeys.INSECURE_TLS),
                surroundings.environment(),
                new Extras(
                        config.get(ProviderKeys.EVENT_QUEUE),
                        config.get(ProviderKeys.EVENT_QUEUE_ENDPOINT),
                        config.get(ProviderKeys.PROFILE),
                        config.get(ProviderKeys.FIPS),
                        config.get(ProviderKeys.DUAL_STACK)));
    }
}
