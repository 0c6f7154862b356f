package dev.kip.sim.faults;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;
import java.util.Optional;

/** What the cluster remembers is lost, set back, edited or doubled. */
final class StateFaults {

    private static final String BACKUP = "before the fault";

    private StateFaults() {}

    static ImmutableList<FaultKind> all() {
        return ImmutableList.of(
                new KeysLost(),
                new JournalLost(),
                new EtcdRestored(),
                new ClusterCloned(),
                new CellsDeleted(),
                new LeaseDeleted(),
                new NodeDeleted());
    }

    private abstract static class Lost extends FaultKind {
        Lost(String id, String word, String why) {
            super(id, word, Area.STATE, why);
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }
    }

    private static void restart(Strike strike, ImmutableMap<String, String> config, Runnable meanwhile) {
        strike.world().killController("kip-*");
        strike.later(Duration.ofSeconds(2), meanwhile);
        strike.later(Duration.ofSeconds(5), () -> strike.world().startController("kip-0", config));
    }

    private static void deleteAll(Strike strike, String kind, String namespace) {
        strike.world().objects(kind).forEach(object -> {
            strike.hit(kind + " " + object.at("/metadata/name").asString("") + " is deleted");
            var bare = object.deepCopy();
            ((tools.jackson.databind.node.ObjectNode) bare.path("metadata")).putArray("finalizers");
            if (!object.at("/metadata/finalizers").isEmpty()) {
                strike.world().update("a", kind, bare);
            }
            strike.world()
                    .delete("a", kind, namespace, object.at("/metadata/name").asString(""), Optional.empty());
        });
    }

    static final class KeysLost extends Lost {
        KeysLost() {
            super(
                    "F11",
                    "keys-lost",
                    "What the original kept on a volume, Kip keeps in a Secret, and that can be deleted.");
        }

        @Override
        void strike(Strike strike) {
            restart(strike, ImmutableMap.of("ownership.onLostKeys", "rekey"), () -> {
                strike.hit("the Secret with the keys is deleted");
                strike.world().delete("a", "secret", "kube-system", "kip-installation", Optional.empty());
            });
        }
    }

    static final class JournalLost extends Lost {
        @Override
        int times() {
            return 1;
        }

        JournalLost() {
            super(
                    "F12",
                    "journal-lost",
                    "Somebody deletes the record of a launch, and the controller dies before the launch is answered.");
        }

        @Override
        Moment moment() {
            return Moment.LAUNCHING;
        }

        @Override
        void strike(Strike strike) {
            strike.fate(strike.toEc2("RunInstances"), Fate.SENDER_DIES_AFTER);
            strike.every(Duration.ofMillis(200), () -> {
                if (strike.hits() == 1) {
                    restart(strike, ImmutableMap.of(), () -> {});
                    deleteAll(strike, "launchbatch", "");
                }
            });
        }
    }

    static final class EtcdRestored extends Lost {
        EtcdRestored() {
            super(
                    "F24",
                    "etcd-restored",
                    "etcd comes back from a backup: the API knows less than the cloud and the cells.");
        }

        @Override
        void strike(Strike strike) {
            strike.hit("a backup is taken, and taken back a minute later");
            strike.world().backup("a", BACKUP);
            strike.later(strike.length(), () -> {
                strike.world().restore("a", BACKUP);
                strike.world().scale("a", "deployment", "default", "nginx", 3);
            });
        }
    }

    static final class ClusterCloned extends Lost {
        ClusterCloned() {
            super("F13", "cluster-cloned", "A second cluster starts with a copy of everything, ids and keys too.");
        }

        @Override
        String given() {
            return "{controllers: 1, anchor: s3}";
        }

        @Override
        void strike(Strike strike) {
            strike.hit("a second cluster starts from this one's backup");
            strike.world().cloneCluster("a", "b");
            strike.world().startController("b/kip-0", ImmutableMap.of());
            strike.later(strike.length(), () -> strike.world().destroy("b"));
        }
    }

    static final class CellsDeleted extends Lost {
        CellsDeleted() {
            super(
                    "F44",
                    "cells-deleted-by-hand",
                    "Somebody deletes our objects, finalizers and all, while nobody looks.");
        }

        @Override
        void strike(Strike strike) {
            restart(strike, ImmutableMap.of(), () -> deleteAll(strike, "cell", ""));
        }
    }

    static final class LeaseDeleted extends Lost {
        LeaseDeleted() {
            super("F44", "lease-deleted-by-hand", "Somebody deletes the lease to \"unblock\" a controller that works.");
        }

        @Override
        String given() {
            return "{controllers: 2}";
        }

        @Override
        void strike(Strike strike) {
            strike.hit("the lease is deleted");
            strike.world().delete("a", "lease", "kube-system", "kip-virtual-kubelet", Optional.empty());
        }
    }

    static final class NodeDeleted extends Lost {
        NodeDeleted() {
            super(
                    "F44",
                    "node-deleted-by-hand",
                    "Somebody deletes the virtual node, and the cluster evicts what ran there.");
        }

        @Override
        void strike(Strike strike) {
            strike.hit("the virtual node is deleted");
            strike.world().delete("a", "node", "", "virtual-kubelet", Optional.empty());
        }
    }
}
