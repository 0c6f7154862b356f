package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The well-known labels that a node would have if it were this instance. */
final class Labels {

    static final ImmutableList<String> TYPE =
            ImmutableList.of("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type");
    static final ImmutableList<String> ARCH = ImmutableList.of("kubernetes.io/arch", "beta.kubernetes.io/arch");
    static final ImmutableList<String> ZONE =
            ImmutableList.of("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone");
    private static final ImmutableList<String> CAPACITY_TYPE =
            ImmutableList.of("karpenter.sh/capacity-type", "kip.elotl.co/capacity-type");
    private static final String EKS_CAPACITY_TYPE = "eks.amazonaws.com/capacityType";

    /** Labels that name a market. */
    static final ImmutableList<String> MARKET = ImmutableList.<String>builder()
            .addAll(CAPACITY_TYPE)
            .add(EKS_CAPACITY_TYPE)
            .build();

    private static final String AWS = "karpenter.k8s.aws/";
    private static final Pattern FAMILY = Pattern.compile("([a-z]+)([0-9]+)?.*");

    /** Labels that name a type or its family. */
    static final ImmutableList<String> FAMILIES = ImmutableList.<String>builder()
            .addAll(TYPE)
            .add(AWS + "instance-family")
            .build();

    /** Labels that tell burstable types: their category is {@code t}. */
    static final ImmutableList<String> CATEGORY = ImmutableList.<String>builder()
            .addAll(FAMILIES)
            .add(AWS + "instance-category")
            .build();

    /** Labels that tell bare metal: its size is {@code metal}. */
    static final ImmutableList<String> SIZE = ImmutableList.<String>builder()
            .addAll(TYPE)
            .add(AWS + "instance-size")
            .build();

    private static final ImmutableMap<String, Function<Candidate, Optional<String>>> ALL = all();

    private Labels() {}

    /** Whether the label tells of the instance; any other is the virtual node's own. */
    static boolean decidedByInstance(String key) {
        return ALL.containsKey(key) || key.startsWith(AWS);
    }

    static Optional<String> of(String key, Candidate candidate) {
        @Nullable Function<Candidate, Optional<String>> label = ALL.get(key);
        return label == null ? Optional.empty() : label.apply(candidate);
    }

    private static ImmutableMap<String, Function<Candidate, Optional<String>>> all() {
        ImmutableMap.Builder<String, Function<Candidate, Optional<String>>> all = ImmutableMap.builder();
        TYPE.forEach(key ->
                all.put(key, candidate -> Optional.of(candidate.offering().type())));
        ARCH.forEach(key -> all.put(
                key, candidate -> Optional.of(architecture(candidate.offering().architecture()))));
        ZONE.forEach(
                key -> all.put(key, candidate -> Optional.of(candidate.subnet().zone())));
        CAPACITY_TYPE.forEach(key ->
                all.put(key, candidate -> Optional.of(candidate.market() == Market.SPOT ? "spot" : "on-demand")));
        all.put(EKS_CAPACITY_TYPE, candidate -> Optional.of(candidate.market().name()));
        all.put("kubernetes.io/os", candidate -> Optional.of("linux"));
        all.put("beta.kubernetes.io/os", candidate -> Optional.of("linux"));
        ofOffering(all, "instance-family", offering -> Optional.of(family(offering)));
        ofOffering(all, "instance-size", offering -> Optional.of(size(offering)));
        ofOffering(all, "instance-category", offering -> group(offering, 1));
        ofOffering(all, "instance-generation", offering -> group(offering, 2));
        ofOffering(all, "instance-cpu", offering -> Optional.of(Integer.toString(offering.vcpus())));
        ofOffering(all, "instance-memory", offering -> Optional.of(Long.toString(offering.memoryMib())));
        ofOffering(
                all,
                "instance-gpu-count",
                offering -> offering.gpus() > 0 ? Optional.of(Integer.toString(offering.gpus())) : Optional.empty());
        ofOffering(all, "instance-gpu-name", offering -> gpu(offering, false));
        ofOffering(all, "instance-gpu-manufacturer", offering -> gpu(offering, true));
        return all.buildOrThrow();
    }

    private static void ofOffering(
            ImmutableMap.Builder<String, Function<Candidate, Optional<String>>> all,
            String name,
            Function<Offering, Optional<String>> label) {
        all.put(AWS + name, candidate -> label.apply(candidate.offering()));
    }

    /** EC2 says {@code x86_64}, Kubernetes {@code amd64}; {@code arm64} is the same in both. */
    static String architecture(String ec2) {
        return ec2.equals("x86_64") ? "amd64" : ec2;
    }

    static String family(Offering offering) {
        int dot = offering.type().indexOf('.');
        return dot < 0 ? offering.type() : offering.type().substring(0, dot);
    }

    private static String size(Offering offering) {
        return offering.type().substring(offering.type().indexOf('.') + 1);
    }

    private static Optional<String> group(Offering offering, int group) {
        Matcher matcher = FAMILY.matcher(family(offering));
        return matcher.matches() ? Optional.ofNullable(matcher.group(group)) : Optional.empty();
    }

    /** EC2 says {@code NVIDIA T4}. */
    private static Optional<String> gpu(Offering offering, boolean maker) {
        if (offering.gpus() == 0) {
            return Optional.empty();
        }
        String name = offering.gpuName().toLowerCase(Locale.ROOT);
        int space = name.indexOf(' ');
        if (maker) {
            return space < 0 ? Optional.empty() : Optional.of(name.substring(0, space));
        }
        return Optional.of(name.substring(space + 1).replace(' ', '-'));
    }
}
