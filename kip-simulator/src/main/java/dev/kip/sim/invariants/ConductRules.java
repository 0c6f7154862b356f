package dev.kip.sim.invariants;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.controller.launch.Tags;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** What must hold of what controllers ask for, and of who they say they are. */
final class ConductRules {

    private ConductRules() {}

    static ImmutableList<Invariant> all(Eyes eyes) {
        return ImmutableList.of(
                new EpochsRise(),
                new RecordedEpochNeverFalls(),
                new IdentityIsKept(),
                new BornWithProof(),
                new BornUnderItsEpoch(),
                new FollowersKeepStill(eyes),
                new SpotOnlyWhenAsked(eyes),
                new LaunchesNoMoreThanAsked(eyes),
                new OnlyOwnKinds(eyes),
                new KeysStayInside(eyes),
                new NoHotLoop(eyes),
                new CloudIsNotHammered(eyes));
    }

    static final class EpochsRise extends Invariant {

        private final Map<String, Eyes.Sender> last = new LinkedHashMap<>();

        EpochsRise() {
            super(
                    "I31 epochs rise",
                    "Who takes over has a number of its own: with an old one it cannot be told from its predecessor.");
        }

        @Override
        void leads(Eyes.Sender sender) {
            String shard = sender.cluster() + " " + sender.shard();
            Eyes.Sender before = last.put(shard, sender);
            if (before != null
                    && !sender.installation().isEmpty()
                    && before.installation().equals(sender.installation())
                    && (sender.epoch() < before.epoch()
                            || (sender.epoch() == before.epoch()
                                    && !sender.process().equals(before.process())))) {
                violate(sender.process() + " leads under epoch " + sender.epoch() + ", after " + before.process()
                        + " under " + before.epoch());
            }
        }

        @Override
        void replaced(String cluster) {
            last.clear();
        }
    }

    /** Looks at the record of the installation as controllers write it. */
    private abstract static class OfRecord extends Invariant {

        private final Map<String, ObjectNode> records = new LinkedHashMap<>();

        OfRecord(String name, String why) {
            super(name, why);
        }

        @Override
        final void changed(String cluster, String event, String kind, ObjectNode object) {
            if (!kind.equals("installation")) {
                return;
            }
            if (event.equals("DELETED")) {
                records.remove(cluster);
                return;
            }
            ObjectNode before = records.put(cluster, object);
            if (before != null) {
                rewritten(before, object);
            }
        }

        @Override
        final void replaced(String cluster) {
            records.clear();
        }

        abstract void rewritten(ObjectNode before, ObjectNode now);
    }

    static final class RecordedEpochNeverFalls extends OfRecord {
        RecordedEpochNeverFalls() {
            super("I32 the recorded epoch never falls", "An epoch that comes twice fences nobody off.");
        }

        @Override
        void rewritten(ObjectNode before, ObjectNode now) {
            long was = before.at("/spec/epoch").asLong(0);
            long is = now.at("/spec/epoch").asLong(0);
            if (is < was) {
                violate("the record says epoch " + is + ", and said " + was);
            }
        }
    }

    static final class IdentityIsKept extends OfRecord {
        IdentityIsKept() {
            super("I33 identity is kept", "Whatever was launched under the old id belongs to nobody once it changes.");
        }

        @Override
        void rewritten(ObjectNode before, ObjectNode now) {
            String was = before.at("/spec/installationID").asString("");
            String is = now.at("/spec/installationID").asString("");
            if (!was.equals(is) && isTakeover(before, now)) {
                violate("the installation is " + is + ", and was " + was);
            }
        }
    }

    /** Whoever leads next writes its epoch; a hand that edits the id leaves the rest as it is. */
    private static boolean isTakeover(ObjectNode before, ObjectNode now) {
        return !now.at("/spec/epoch").equals(before.at("/spec/epoch"))
                || !now.at("/spec/holder").equals(before.at("/spec/holder"));
    }

    static final class BornWithProof extends Invariant {
        private static final ImmutableList<String> PROOF =
                ImmutableList.of(Tags.INSTALLATION, Tags.MAC, Tags.BATCH, Tags.EPOCH, Tags.NODE);

        BornWithProof() {
            super(
                    "I34 born with its proof",
                    "Tags that are added after the launch are missing when the controller dies in between: nobody may end it then.");
        }

        @Override
        void born(Eyes.Sender sender, SimEc2.Sight instance) {
            for (String tag : PROOF) {
                if (instance.tags().getOrDefault(tag, "").isEmpty()) {
                    violate(instance.id() + " was launched by " + sender.process() + " without the tag " + tag);
                    return;
                }
            }
        }
    }

    static final class BornUnderItsEpoch extends Invariant {
        BornUnderItsEpoch() {
            super("I35 born under its epoch", "By that tag a later incarnation knows what an earlier one launched.");
        }

        @Override
        void born(Eyes.Sender sender, SimEc2.Sight instance) {
            String tag = instance.tags().getOrDefault(Tags.EPOCH, "");
            if (!tag.isEmpty() && !tag.equals("" + sender.epoch())) {
                violate(instance.id() + " carries epoch " + tag + "; " + sender.process() + " launched it under "
                        + sender.epoch());
            }
        }
    }

    static final class FollowersKeepStill extends Invariant {

        private final Eyes eyes;

        FollowersKeepStill(Eyes eyes) {
            super("I36 followers keep still", "Who has never led changes nothing in the cloud or on a cell.");
            this.eyes = eyes;
        }

        @Override
        void sent(Call call, Fate fate) {
            if (!call.mutating() || !(call.to().equals("ec2") || call.to().startsWith("cell/"))) {
                return;
            }
            eyes.sender(call.from())
                    .filter(sender -> sender.epoch() == 0)
                    .ifPresent(sender -> violate(sender.process() + " has never led, and sends " + call.action()));
        }
    }

    static final class SpotOnlyWhenAsked extends Invariant {

        private static final String ASKED = "pod.elotl.co/launch-type";

        private final Eyes eyes;

        SpotOnlyWhenAsked(Eyes eyes) {
            super(
                    "I37 spot only when asked",
                    "A spot instance may be taken back: nobody's pod is put on one unasked, and no warm pool has any that is not"
                            + " to be of spot instances.");
            this.eyes = eyes;
        }

        @Override
        void born(Eyes.Sender sender, SimEc2.Sight instance) {
            if (!instance.spot()) {
                return;
            }
            boolean asked = eyes.objects(sender.cluster(), "pod").stream()
                    .anyMatch(
                            pod -> !pod.at("/metadata/annotations").path(ASKED).isMissingNode()
                                    || pod.path("spec").toString().contains("capacity-type")
                                    || pod.path("spec").toString().contains("spot"));
            if (!asked && !forWarmPool(sender, instance)) {
                violate(instance.id() + " is a spot instance, and no pod asks for one");
            }
        }

        private boolean forWarmPool(Eyes.Sender sender, SimEc2.Sight instance) {
            String batch = instance.tags().getOrDefault(Tags.BATCH, "");
            return eyes.objects(sender.cluster(), "launchbatch").stream()
                    .filter(one -> one.at("/metadata/name").asString("").equals(batch))
                    .map(one -> one.at("/spec/pods/0"))
                    .anyMatch(place -> place.path("namespace").asString("").isEmpty()
                            && place.path("name").asString("").endsWith(" spot"));
        }
    }

    static final class LaunchesNoMoreThanAsked extends Invariant {

        private final Eyes eyes;

        LaunchesNoMoreThanAsked(Eyes eyes) {
            super(
                    "I38 no more than asked",
                    "A launch for more instances than its batch has pods pays for machines that nobody wants.");
            this.eyes = eyes;
        }

        @Override
        void born(Eyes.Sender sender, SimEc2.Sight instance) {
            String batch = instance.tags().getOrDefault(Tags.BATCH, "");
            for (ObjectNode one : eyes.objects(sender.cluster(), "launchbatch")) {
                if (one.at("/metadata/name").asString("").equals(batch)
                        && instance.launchIndex() >= one.at("/spec/pods").size()) {
                    violate(instance.id() + " is number " + (instance.launchIndex() + 1) + " of batch " + batch
                            + ", which has " + one.at("/spec/pods").size() + " pods");
                }
            }
        }
    }

    static final class OnlyOwnKinds extends Invariant {

        private static final ImmutableSet<String> OWN = ImmutableSet.of(
                "pods",
                "pods/status",
                "pods/eviction",
                "cells",
                "cells/status",
                "launchbatches",
                "launchbatches/status",
                "installations",
                "installations/status",
                "nodes",
                "nodes/status",
                "leases",
                "events",
                "secrets",
                "serviceaccounts/token",
                "subjectaccessreviews",
                "tokenreviews",
                "certificatesigningrequests");

        private final Eyes eyes;

        OnlyOwnKinds(Eyes eyes) {
            super(
                    "I39 only its own kinds",
                    "A controller that makes pods, or writes what it has no right to, works only for an administrator.");
            this.eyes = eyes;
        }

        @Override
        void sent(Call call, Fate fate) {
            if (!call.to().endsWith("kubernetes")
                    || call.action().startsWith("GET")
                    || eyes.sender(call.from()).isEmpty()) {
                return;
            }
            String kind = call.action().substring(call.action().indexOf(' ') + 1);
            if (!OWN.contains(kind)
                    || call.action().equals("POST pods")
                    || call.action().equals("PUT pods")) {
                violate(call.from() + " sends " + call.action() + " " + call.target());
            }
        }
    }

    static final class KeysStayInside extends Invariant {

        private static final int SHORTEST = 12;

        private final Eyes eyes;

        KeysStayInside(Eyes eyes) {
            super(
                    "I41 keys stay inside",
                    "Tags are read by everybody in the account: a key in one proves nothing any more.");
            this.eyes = eyes;
        }

        @Override
        void born(Eyes.Sender sender, SimEc2.Sight instance) {
            for (ObjectNode secret : eyes.objects(sender.cluster(), "secret")) {
                if (!secret.at("/metadata/name").asString("").startsWith("kip-")) {
                    continue;
                }
                secret.path("data").forEach(value -> {
                    String text = value.asString("");
                    if (text.length() >= SHORTEST && instance.tags().containsValue(text)) {
                        violate(instance.id() + " carries what is in Secret "
                                + secret.at("/metadata/name").asString("") + " as a tag");
                    }
                });
            }
        }
    }

    /** Counts requests in a window that moves on. */
    private abstract static class Paced extends Invariant {

        private final Eyes eyes;
        private final Duration window;
        private final int most;
        private final Map<String, Deque<Duration>> times = new LinkedHashMap<>();

        Paced(Eyes eyes, String name, String why, Duration window, int most) {
            super(name, why);
            this.eyes = eyes;
            this.window = window;
            this.most = most;
        }

        abstract Optional<String> what(Call call);

        @Override
        final void sent(Call call, Fate fate) {
            Optional<String> what = what(call);
            if (what.isEmpty() || eyes.sender(call.from()).isEmpty()) {
                return;
            }
            String key = call.from() + " sends " + what.get();
            Deque<Duration> recent = times.computeIfAbsent(key, any -> new ArrayDeque<>());
            Duration now = eyes.elapsed();
            recent.addLast(now);
            while (now.minus(recent.getFirst()).compareTo(window) > 0) {
                recent.removeFirst();
            }
            if (recent.size() > most) {
                violate(key + " for the " + recent.size() + ". time within " + window.toSeconds() + " s");
                recent.clear();
            }
        }
    }

    static final class NoHotLoop extends Paced {
        NoHotLoop(Eyes eyes) {
            super(
                    eyes,
                    "I42 no hot loop",
                    "One change of one object that is asked for again and again is a loop without a pause.",
                    Duration.ofSeconds(30),
                    40);
        }

        @Override
        Optional<String> what(Call call) {
            return call.mutating() && !call.target().isEmpty() && !call.target().endsWith("/")
                    ? Optional.of(call.action() + " "
                            + Splitter.on(' ').splitToList(call.target()).get(0))
                    : Optional.empty();
        }
    }

    static final class CloudIsNotHammered extends Paced {
        CloudIsNotHammered(Eyes eyes) {
            super(
                    eyes,
                    "I43 the cloud is not hammered",
                    "An account's rate is everybody's: a controller that asks without a pause stops all others too.",
                    Duration.ofSeconds(30),
                    120);
        }

        @Override
        Optional<String> what(Call call) {
            return call.to().equals("ec2") && call.action().startsWith("Describe")
                    ? Optional.of(call.action())
                    : Optional.empty();
        }
    }
}
