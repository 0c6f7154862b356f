package dev.kip.sim.planted;

import com.google.common.collect.ImmutableList;
import dev.kip.cell.CellApi;
import dev.kip.cloud.AnchorStore;
import dev.kip.controller.gc.Gate;
import dev.kip.controller.gc.Gates;
import dev.kip.kube.KubeApi;
import dev.kip.loop.Loop;
import dev.kip.sim.world.Parts;
import java.util.Optional;
import java.util.function.Function;

/** The registry of planted bugs. */
public final class Plants {

    private static final ImmutableList<PlantedBug> ALL = ImmutableList.<PlantedBug>builder()
            .add(new PlantedBug(
                    "identity-in-process",
                    "elotl/kip#44, #131",
                    "identity and keys live in the process; each start mints new ones, and nothing is adopted",
                    "KubeApi: Installations and Secrets are kept in memory",
                    "nginx-redeploy-leaves-nothing",
                    "step",
                    () -> kube(KeptInProcess::new)))
            .add(new PlantedBug(
                    "no-write-ahead",
                    "ORPH-01 kubernetes-sigs/karpenter#1448",
                    "RunInstances is sent before anything says so in the API",
                    "KubeApi: LaunchBatches are taken for written",
                    "pod-to-gone",
                    "I9",
                    () -> kube(NoWriteAhead::new)))
            .add(new PlantedBug(
                    "epoch-not-raised",
                    "LE-02 fabric8io/kubernetes-client#7350, peers 4.4 start-up 3",
                    "taking over does not raise the epoch",
                    "KubeApi: replacing the Installation is taken for done, with epoch 1",
                    "two-leaders",
                    "step",
                    () -> kube(EpochNotRaised::new)))
            .add(new PlantedBug(
                    "adoption-ends-pods",
                    "kip.md: pods caught in dispatching at a restart are failed",
                    "a pod that is adopted is ended to be started afresh",
                    "CellApi: the first meeting with a running pod ends it",
                    "controller-restarts",
                    "I5",
                    () -> cells(EndsWhatItAdopts::new)))
            .add(new PlantedBug(
                    "wall-clock-ages",
                    "LE-04 kubernetes/kubernetes#120824, peers 4.5 row 17",
                    "ages and leases are judged by the wall clock",
                    "Loop: nanos() is the wall clock",
                    "clock-an-hour-wrong",
                    "step",
                    () -> loop(WallClock::new)))
            .add(new PlantedBug(
                    "anchor-ignored",
                    "peers 4.5 row 7",
                    "the anchor is configured and never asked: two clones both mutate",
                    "AnchorStore: none is handed to the controller",
                    "cluster-cloned",
                    "I",
                    () -> new Parts() {
                        @Override
                        public Optional<AnchorStore> anchor(Optional<AnchorStore> real) {
                            return Optional.empty();
                        }
                    }))
            .add(gate("G1", "copied-tags", "I2"))
            .add(gate("G2", "gc-reads-anew", "I2"))
            .add(gate("G3", "gc-half-a-list", "I2"))
            .add(gate("G4", "gc-two-sightings", "I2"))
            .add(gate("G5", "gc-suspended-leader", "I4"))
            .add(gate("G6", "gc-budget", "I7"))
            .add(gate("G7", "gc-last-look", "I2"))
            .addAll(WireBugs.all())
            .addAll(NodeBugs.all())
            .build();

    private Plants() {}

    public static ImmutableList<PlantedBug> all() {
        return ALL;
    }

    public static Optional<PlantedBug> find(String name) {
        return ALL.stream().filter(bug -> bug.name().equals(name)).findFirst();
    }

    private static PlantedBug gate(String name, String scenario, String caughtBy) {
        Gate gate = Gates.standard().all().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        return new PlantedBug(
                "without-" + name.toLowerCase(java.util.Locale.ROOT),
                "peers 4.4, " + name,
                "garbage collection without gate " + name + ". " + gate.why(),
                "Gates: all but " + name,
                scenario,
                caughtBy,
                () -> new Parts() {
                    @Override
                    public Gates gates() {
                        return new Gates(Gates.standard().all().stream()
                                .filter(one -> !one.name().equals(name))
                                .collect(ImmutableList.toImmutableList()));
                    }
                });
    }

    private static Parts kube(Function<KubeApi, KubeApi> bug) {
        return new Parts() {
            @Override
            public KubeApi kube(KubeApi real, Loop loop) {
                return bug.apply(real);
            }
        };
    }

    private static Parts cells(Function<CellApi, CellApi> bug) {
        return new Parts() {
            @Override
            public CellApi cells(CellApi real) {
                return bug.apply(real);
            }
        };
    }

    private static Parts loop(Function<Loop, Loop> bug) {
        return new Parts() {
            @Override
            public Loop loop(Loop process) {
                return bug.apply(process);
            }
        };
    }
}
