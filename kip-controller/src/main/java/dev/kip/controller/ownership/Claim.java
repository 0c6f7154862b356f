package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.BaseEncoding;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.calls.Calls;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec;
import dev.kip.crd.InstallationStatus;
import dev.kip.crd.ObjectMetadata;
import dev.kip.entropy.Entropy;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Takes the epoch: reads the Installation, or mints it, and raises its epoch by compare-and-swap before anything else is
 * changed anywhere; then reads the keys, or makes them. Whatever fails is tried again from the start: an epoch that is
 * skipped does no harm. Confined to the loop.
 */
public final class Claim {

    private static final Logger LOG = LoggerFactory.getLogger(Claim.class);
    private static final ResourceKind<ObjectNode> SECRETS = Kinds.SECRETS.as(Codecs.tree());
    private static final ResourceKind<ObjectNode> NAMESPACES = Kinds.NAMESPACES.as(Codecs.tree());
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration LATER_RETRIES = Duration.ofSeconds(15);
    private static final int ID_BYTES = 16;

    private final Loop loop;
    private final KubeApi kube;
    private final String anchor;
    private final Calls calls;
    private final Entropy entropy;
    private final ControllerSettings settings;
    private final ControllerListener listener;
    private final Consumer<Standing> taken;
    private final String nonce;
    private int failures;

    /**
     * @param anchor where the same facts are kept outside the cluster
     * @param taken hears of it once, when all is read and written
     */
    public Claim(
            Loop loop,
            KubeApi kube,
            Optional<String> anchor,
            Calls calls,
            Entropy entropy,
            ControllerSettings settings,
            ControllerListener listener,
            Consumer<Standing> taken) {
        this.loop = loop;
        this.kube = kube;
        this.anchor = anchor.orElse("");
        this.calls = calls;
        this.entropy = entropy;
        this.settings = settings;
        this.listener = listener;
        this.taken = taken;
        this.nonce = BaseEncoding.base32().lowerCase().omitPadding().encode(entropy.bytes(ID_BYTES));
    }

    public void start() {
        calls.on(
                "kube",
                "get installations",
                kube.get(CrdKinds.INSTALLATIONS, ObjectRef.cluster(settings.installation())),
                this::raise,
                error -> {
                    if (error instanceof KubeError.NotFound) {
                        readCluster();
                    } else {
                        again("read the Installation", error.message());
                    }
                });
    }

    private void readCluster() {
        calls.on(
                "kube",
                "get namespaces",
                kube.get(NAMESPACES, ObjectRef.cluster("kube-system")),
                namespace -> mint(namespace.path("metadata").path("uid").asString("")),
                error -> again("read the namespace kube-system", error.message()));
    }

    private void mint(String clusterUid) {
        String id = BaseEncoding.base32().lowerCase().omitPadding().encode(entropy.bytes(ID_BYTES));
        InstallationSpec spec = new InstallationSpec(
                id,
                0,
                clusterUid,
                "",
                settings.launch().region(),
                settings.launch().vpcId().orElse("default"),
                anchor,
                false,
                settings.identity(),
                ImmutableList.of());
        calls.on(
                "kube",
                "create installations",
                kube.create(
                        CrdKinds.INSTALLATIONS,
                        "",
                        new Installation(
                                ObjectMetadata.named(settings.installation()),
                                spec.with(mine(1)),
                                InstallationStatus.NONE)),
                this::readKeys,
                error -> again("create the Installation", error.message()));
    }

    private void raise(Installation found) {
        InstallationSpec spec = found.spec();
        if (!spec.region().equals(settings.launch().region())) {
            listener.anomaly(
                    "region", "Installation " + settings.installation() + " belongs to region " + spec.region());
            again(
                    "take over Installation " + settings.installation(),
                    "it belongs to region " + spec.region() + ", the configuration names "
                            + settings.launch().region() + ": correct cloud.aws.region, or name another installation");
            return;
        }
        calls.on(
                "kube",
                "replace installations",
                kube.replace(
                        CrdKinds.INSTALLATIONS,
                        ObjectRef.cluster(settings.installation()),
                        new Installation(
                                found.metadata(),
                                spec.with(mine(spec.epoch() + 1)).withAnchor(anchor),
                                found.status())),
                this::readKeys,
                error -> again("raise the epoch", error.message()));
    }

    private InstallationSpec.Shard mine(long epoch) {
        return new InstallationSpec.Shard(settings.node().name(), epoch, settings.identity(), nonce);
    }

    private void readKeys(Installation installation) {
        ObjectRef ref = new ObjectRef(settings.namespace(), secretName());
        calls.on("kube", "get secrets", kube.get(SECRETS, ref), secret -> use(installation, secret), error -> {
            if (error instanceof KubeError.NotFound) {
                createKeys(installation);
            } else {
                again("read Secret " + ref, error.message());
            }
        });
    }

    private void createKeys(Installation installation) {
        InstallationKeys keys = InstallationKeys.create(entropy.fork("keys"), loop.now());
        ObjectNode secret = JsonNodeFactory.instance.objectNode();
        secret.put("apiVersion", "v1");
        secret.put("kind", "Secret");
        ObjectNode metadata = secret.putObject("metadata");
        metadata.put("name", secretName());
        metadata.put("namespace", settings.namespace());
        secret.put("type", "kip.elotl.co/installation-keys");
        ObjectNode data = secret.putObject("data");
        keys.toSecretData().forEach(data::put);
        calls.on(
                "kube",
                "create secrets",
                kube.create(SECRETS, settings.namespace(), secret),
                created -> use(installation, created),
                error -> again("create Secret " + secretName(), error.message()));
    }

    private void use(Installation installation, ObjectNode secret) {
        ImmutableMap.Builder<String, String> data = ImmutableMap.builder();
        for (Map.Entry<String, tools.jackson.databind.JsonNode> entry :
                secret.path("data").properties()) {
            data.put(entry.getKey(), entry.getValue().asString(""));
        }
        InstallationKeys keys;
        try {
            keys = InstallationKeys.fromSecretData(data.buildOrThrow());
        } catch (IllegalArgumentException e) {
            again("use Secret " + settings.namespace() + "/" + secretName(), String.valueOf(e.getMessage()));
            return;
        }
        InstallationSpec spec = installation.spec();
        LOG.info("installation {} at epoch {}", spec.installationID(), spec.epoch());
        taken.accept(new Standing(spec.installationID(), spec.epoch(), spec.region(), spec.vpc(), keys));
    }

    private String secretName() {
        return settings.installation() + "-installation";
    }

    private void again(String what, String why) {
        Duration pause = RETRY.multipliedBy(1L << Math.min(failures, 4));
        failures++;
        LOG.warn("cannot {}: {}; trying again", what, why);
        calls.after(pause.compareTo(LATER_RETRIES) < 0 ? pause : LATER_RETRIES, "claim", this::start);
    }
}
