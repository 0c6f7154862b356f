package dev.kip.sim.invariants;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.cell.GroundTruth;
import dev.kip.sim.ec2.SimEc2;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** What must hold of Cells, as they are written, and of what is granted by them. */
final class CellRules {

    private CellRules() {}

    static ImmutableList<Invariant> all(Eyes eyes) {
        return ImmutableList.of(
                new OneCellPerInstance(),
                new NamedForItsPod(),
                new TellsItsAddress(eyes),
                new NamesWhatWasLaunched(eyes),
                new AttemptsCountUp(),
                new BoundBeforeGranted(eyes));
    }

    /** Looks at Cells as controllers first write them: what hands do to them later is no controller's fault. */
    private abstract static class OfNewCells extends Invariant {

        OfNewCells(String name, String why) {
            super(name, why);
        }

        @Override
        final void changed(String cluster, String event, String kind, ObjectNode object) {
            if (kind.equals("cell") && event.equals("ADDED")) {
                written(cluster, object);
            } else if (kind.equals("cell") && event.equals("MODIFIED")) {
                edited(cluster, object);
            } else if (kind.equals("cell") && event.equals("DELETED")) {
                removed(cluster, object);
            }
        }

        abstract void written(String cluster, ObjectNode cell);

        void edited(String cluster, ObjectNode cell) {}

        void removed(String cluster, ObjectNode cell) {}

        static String name(ObjectNode cell) {
            return cell.at("/metadata/name").asString("");
        }

        static String instance(ObjectNode cell) {
            return cell.at("/status/instanceID").asString("");
        }
    }

    static final class OneCellPerInstance extends OfNewCells {

        private final Map<String, String> cellByInstance = new LinkedHashMap<>();

        OneCellPerInstance() {
            super(
                    "I15 one Cell per instance",
                    "An instance that two Cells name is ended when the first of their pods goes.");
        }

        @Override
        void written(String cluster, ObjectNode cell) {
            String key = cluster + "/" + instance(cell);
            String other = cellByInstance.putIfAbsent(key, name(cell));
            if (other != null && !other.equals(name(cell))) {
                violate("Cells " + other + " and " + name(cell) + " both name " + instance(cell));
            }
        }

        /** What a hand made of it names the old instance no more. */
        @Override
        void edited(String cluster, ObjectNode cell) {
            if (!name(cell).equals(cellByInstance.get(cluster + "/" + instance(cell)))) {
                removed(cluster, cell);
            }
        }

        @Override
        void removed(String cluster, ObjectNode cell) {
            cellByInstance.values().removeIf(name(cell)::equals);
        }

        @Override
        void replaced(String cluster) {
            cellByInstance.clear();
        }
    }

    static final class NamedForItsPod extends OfNewCells {
        NamedForItsPod() {
            super(
                    "I16 Cells are named for their pods",
                    "Only a name made of the pod's uid makes the API server refuse a second Cell, and never takes a namesake for the pod.");
        }

        @Override
        void written(String cluster, ObjectNode cell) {
            String wanted = cell.at("/status/podUID").asString("") + "-"
                    + cell.at("/status/attempt").asInt(0);
            if (!name(cell).equals(wanted)) {
                violate("Cell " + name(cell) + " is of " + wanted);
            }
        }
    }

    static final class TellsItsAddress extends OfNewCells {

        private final Eyes eyes;

        TellsItsAddress(Eyes eyes) {
            super(
                    "I17 Cells tell their address",
                    "Who reads the Cell goes to that address, and must not meet somebody else there.");
            this.eyes = eyes;
        }

        @Override
        void written(String cluster, ObjectNode cell) {
            String told = cell.at("/status/ip").asString("");
            for (SimEc2.Sight one : eyes.instances()) {
                if (one.id().equals(instance(cell)) && !told.isEmpty() && !told.equals(one.privateIp())) {
                    violate("Cell " + name(cell) + " says " + told + ", and " + one.id() + " is at " + one.privateIp());
                }
            }
        }
    }

    static final class NamesWhatWasLaunched extends OfNewCells {

        private final Eyes eyes;

        NamesWhatWasLaunched(Eyes eyes) {
            super(
                    "I18 Cells name what was launched",
                    "A Cell for an instance that nobody launched, or that somebody else did, makes its pod wait for ever.");
            this.eyes = eyes;
        }

        @Override
        void written(String cluster, ObjectNode cell) {
            if (eyes.instances().stream().noneMatch(one -> one.id().equals(instance(cell)) && eyes.isCell(one))) {
                violate("Cell " + name(cell) + " names " + instance(cell) + ", which no controller launched");
            }
        }
    }

    static final class AttemptsCountUp extends OfNewCells {

        private final Set<String> seen = new LinkedHashSet<>();
        private boolean rewritten;

        AttemptsCountUp() {
            super(
                    "I19 attempts count up",
                    "A number that is left out or used again takes the meaning from \"once per attempt\".");
        }

        @Override
        void written(String cluster, ObjectNode cell) {
            int attempt = cell.at("/status/attempt").asInt(0);
            String pod = cell.at("/status/podUID").asString("") + " ";
            seen.add(pod + attempt);
            if (attempt > 0 && !rewritten && !seen.contains(pod + (attempt - 1))) {
                violate("Cell " + name(cell) + " is attempt " + attempt + ", and there was no attempt "
                        + (attempt - 1));
            }
        }

        @Override
        void replaced(String cluster) {
            rewritten = true;
        }
    }

    static final class BoundBeforeGranted extends Invariant {

        private final Eyes eyes;
        private final Set<String> bound = new LinkedHashSet<>();
        private int seen;
        private boolean rewritten;

        BoundBeforeGranted(Eyes eyes) {
            super(
                    "I20 bound before granted",
                    "What a cell runs must be written down before it runs: else a crash leaves a pod that nobody knows of.");
            this.eyes = eyes;
        }

        @Override
        void changed(String cluster, String event, String kind, ObjectNode object) {
            if (kind.equals("cell")) {
                bound.add(object.at("/metadata/name").asString("") + " "
                        + object.at("/status/instanceID").asString(""));
            }
        }

        @Override
        void replaced(String cluster) {
            rewritten = true;
        }

        @Override
        void look() {
            int count = eyes.truth().grantCount();
            if (count == seen) {
                return;
            }
            for (GroundTruth.Granting grant : eyes.truth().grantsFrom(seen)) {
                String cell = grant.podUid() + "-" + grant.attempt();
                if (!rewritten && !bound.contains(cell + " " + grant.instanceId())) {
                    violate(grant.instanceId() + " was granted " + cell + ", and no Cell says so");
                }
            }
            seen = count;
        }
    }

    /** The run of any container of that pod that goes on now, where somebody can know of it. */
    static Optional<GroundTruth.Run> running(Eyes eyes, String podUid) {
        return eyes.truth().running().stream()
                .filter(run -> run.podUid().equals(podUid))
                .filter(run -> !eyes.truth().isUntraceable(run.instanceId()))
                .findFirst();
    }
}
