package dev.kip.controller.launch;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.Market;
import org.jspecify.annotations.Nullable;

/**
 * The quota of vCPUs that an instance counts against: one for each class of instance families, on demand and spot each.
 *
 * @param families as the quota's name has them
 * @see <a href="https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html">EC2 instance type quotas</a>
 */
record VcpuQuota(String families, Market market) {

    private static final String STANDARD = "Standard (A, C, D, H, I, M, R, T, Z)";

    /** By the letters of the family; any that is not here is a standard one. */
    private static final ImmutableMap<String, String> OTHERS = ImmutableMap.<String, String>builder()
            .put("dl", "DL")
            .put("f", "F")
            .put("g", "G and VT")
            .put("vt", "G and VT")
            .put("gr", "G and VT")
            .put("hpc", "HPC")
            .put("inf", "Inf")
            .put("p", "P")
            .put("trn", "Trn")
            .put("u", "High Memory")
            .put("x", "X")
            .buildOrThrow();

    static VcpuQuota of(String type, Market market) {
        int end = 0;
        while (end < type.length() && Character.isLetter(type.charAt(end))) {
            end++;
        }
        @Nullable String other = OTHERS.get(type.substring(0, end));
        return new VcpuQuota(other == null ? STANDARD : other, market);
    }

    String text() {
        return (market == Market.SPOT ? "All " : "Running On-Demand ")
                + families
                + (market == Market.SPOT ? " Spot Instance Requests" : " instances");
    }
}
