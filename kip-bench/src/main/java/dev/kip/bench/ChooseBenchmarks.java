package dev.kip.bench;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.cloud.aws.InstanceTypes;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.launch.Avoided;
import dev.kip.controller.launch.Catalogue;
import dev.kip.controller.launch.LaunchPlan;
import dev.kip.controller.launch.NeedsReader;
import dev.kip.controller.launch.PodNeeds;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;
import tools.jackson.databind.json.JsonMapper;

/**
 * Choosing instances for 1,000 pods, all unlike: from every type of the price table, on both markets, in six subnets. One
 * in three has a node affinity.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ChooseBenchmarks {

    private static final int PODS = 1_000;
    private static final ImmutableList<String> ZONES = ImmutableList.of("a", "b", "c", "d", "e", "f");

    private final LaunchPlan plan = new LaunchPlan(new LaunchSettings(
            "us-east-1",
            Optional.empty(),
            Optional.empty(),
            ImmutableMap.of(),
            "t3.nano",
            false,
            5,
            false,
            ImmutableList.of(),
            ImmutableList.of(),
            Optional.empty(),
            Optional.empty()));
    private final Catalogue catalogue = Catalogue.of(
            InstanceTypes.table().types().values(),
            ImmutableList.of(image("x86_64"), image("arm64")),
            ZONES.stream().map(ChooseBenchmarks::subnet).toList(),
            ImmutableList.of(),
            Catalogue.Places.UNKNOWN);
    private final Avoided avoided = new Avoided();
    private final List<PodNeeds> pods = new ArrayList<>();

    public ChooseBenchmarks() {
        for (int i = 0; i < PODS; i++) {
            PodNeeds needs = NeedsReader.read(JsonMapper.shared().readTree(pod(i)));
            if (!(plan.choose(needs, catalogue, avoided, 0) instanceof LaunchPlan.Choice.Launch)) {
                throw new IllegalStateException("not what is to be measured: nothing is launched for " + pod(i));
            }
            pods.add(needs);
        }
    }

    private static ImageFacts image(String architecture) {
        return new ImageFacts("ami-" + architecture, "kip", architecture, Instant.EPOCH, Optional.empty(), 2);
    }

    private static SubnetFacts subnet(String zone) {
        return new SubnetFacts("subnet-" + zone, "vpc-1", "10.0.0.0/16", "us-east-1" + zone, 100, true);
    }

    private static String pod(int number) {
        String affinity = number % 3 == 0
                ? ", \"affinity\": {\"nodeAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\": {"
                        + "\"nodeSelectorTerms\": [{\"matchExpressions\": ["
                        + "{\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"us-east-1"
                        + ZONES.get(number % ZONES.size()) + "\"]},"
                        + "{\"key\": \"karpenter.k8s.aws/instance-generation\", \"operator\": \"Gt\", \"values\": [\"4\"]}"
                        + "]}]}}}"
                : "";
        return "{\"spec\": {\"containers\": [{\"name\": \"a\", \"resources\": {\"requests\": {\"cpu\": \""
                + (100 + number * 61 % 60_000) + "m\", \"memory\": \"" + (64 + number * 97 % 100_000) + "Mi\"}}}]"
                + affinity + "}}";
    }

    @Benchmark
    public void choose1000(Blackhole sink) {
        for (PodNeeds needs : pods) {
            sink.consume(plan.choose(needs, catalogue, avoided, 0));
        }
    }
}
