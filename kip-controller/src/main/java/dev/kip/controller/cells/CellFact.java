package dev.kip.controller.cells;

import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.CellReport.PodReport;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.cells.Bound.Ending;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.podstatus.StatusView;
import dev.kip.controller.store.PodFacts;
import dev.kip.controller.store.Versions;
import dev.kip.crd.Cell;
import java.time.Duration;
import java.util.Optional;

/** Something that was learnt of one pod or its cell, and what is known once it is. Pure. */
public sealed interface CellFact {

    /** @return {@code before} itself if nothing changed */
    CellFacts after(CellFacts before, Policy policy, long now);

    /** The API server has the pod, like this. */
    record PodSeen(PodFacts pod) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            PodFacts next = before.pod().map(pod::after).orElse(pod);
            if (before.pod().isPresent() && before.pod().get().equals(next)) {
                return before;
            }
            CellFacts cell = before.withPod(Optional.of(next));
            boolean otherWishes =
                    before.pod().isPresent() && !before.pod().get().needs().equals(next.needs());
            if (otherWishes && cell.phase() instanceof Wanted) {
                cell = cell.with(Wanted.AT_ONCE);
            }
            if (before.pod().isPresent() && cell.phase() instanceof Bound bound) {
                cell = cell.with(bound.with(bound.mirror().seen(before.pod().get(), next, now)));
            }
            return endingBegun(cell, now);
        }
    }

    /** The API server has the pod no longer. */
    record PodGone() implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            return before.withPod(Optional.empty());
        }
    }

    /** An intent was handed out. */
    record Begun(Errand errand) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            CellFacts cell = before.with(before.errands().begun(errand));
            if (errand == Errand.GRANT
                    && cell.phase() instanceof Bound bound
                    && cell.pod().isPresent()) {
                return cell.with(bound.with(new Handed(true, cell.pod().get().content(), now)));
            }
            return cell;
        }
    }

    /** What the cell has is no longer what the pod is made of: a mounted object has changed, or a token grown old. */
    record ContentChanged() implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            return before.phase() instanceof Bound bound
                    ? before.with(bound.with(new Handed(
                            bound.handed().maybe(), "", bound.handed().at())))
                    : before;
        }
    }

    /** What was asked for is done. */
    record Done(Errand errand) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            return before.with(before.errands().done(errand));
        }
    }

    /**
     * It was not done, or it is not known whether it was; asked again after a while.
     *
     * @param certainlyNot it had no effect
     */
    record Undone(Errand errand, Duration first, Duration most, boolean certainlyNot) implements CellFact {

        private static final Duration FIRST = Duration.ofSeconds(1);
        private static final Duration MOST = Duration.ofSeconds(30);

        public static Undone of(Errand errand) {
            return new Undone(errand, FIRST, MOST, false);
        }

        public static Undone certainly(Errand errand) {
            return new Undone(errand, FIRST, MOST, true);
        }

        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            CellFacts cell = before.with(before.errands().failed(errand, now, first, most));
            if (errand == Errand.GRANT && cell.phase() instanceof Bound bound) {
                if (bound.news().pod().isPresent()) {
                    return new ContentChanged().after(cell, policy, now); // it is still to be handed over
                }
                return certainlyNot ? cell.with(bound.with(Handed.NOTHING)) : cell;
            }
            return cell;
        }
    }

    /** It was refused here: the lease, less the time that the call may take, is over. */
    record Expired(Errand errand) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            return Undone.certainly(errand).after(before, policy, now);
        }
    }

    /** {@code next} was decided. */
    record Became(CellPhase next) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            boolean another = before.phase() instanceof Leaving leaving && leaving.tryAgain() && next instanceof Wanted;
            CellFacts cell = before.with(next).with(before.errands().only(Errand.REMOVE_POD));
            return another ? cell.withAttempt(before.attempt() + 1) : cell;
        }
    }

    /** No instance for now, and why. */
    record NotLaunched(Problem problem, Duration pause) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            return before.phase() instanceof Bound || before.phase() instanceof Leaving
                    ? before
                    : before.with(before.errands().done(Errand.LAUNCH))
                            .with(new Wanted(Optional.of(problem), now + pause.toNanos()));
        }
    }

    /** The pod is part of this launch call. */
    record JoinedBatch(String batch, int attempt) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            return before.phase() instanceof Wanted
                    ? before.with(before.errands().done(Errand.LAUNCH))
                            .with(new Launching(batch, Optional.empty()))
                            .withAttempt(attempt)
                    : before;
        }
    }

    /** This instance of the launch call is for the pod. */
    record Assigned(String batch, InstanceFacts instance) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            return before.phase() instanceof Launching launching
                            && launching.batch().equals(batch)
                            && launching.assigned().isEmpty()
                    ? before.with(new Launching(batch, Optional.of(instance)))
                    : before;
        }
    }

    /** The launch call has no instance for the pod. */
    record LeftOut(String batch) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            return before.phase() instanceof Launching launching
                            && launching.batch().equals(batch)
                    ? before.with(Wanted.AT_ONCE)
                    : before;
        }
    }

    /** There is a Cell object for the pod: that instance is the pod's. */
    record CellSeen(Cell cell) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            Binding binding = Binding.of(cell);
            if (before.phase() instanceof Bound bound) {
                return bound.binding().name().equals(binding.name())
                        ? before.with(bound.with(bound.binding().after(binding)))
                                .with(before.errands().done(Errand.BIND))
                        : before;
            }
            if (before.phase() instanceof Leaving leaving) {
                return leaving.binding().name().equals(binding.name())
                                && leaving.binding().recorded()
                        ? before.with(leaving.with(leaving.binding().after(binding)))
                        : before;
            }
            String ip = cell.status().ip();
            if (before.phase() instanceof Launching launching
                    && launching.assigned().isPresent()
                    && launching.assigned().get().id().equals(binding.instanceId())) {
                ip = launching.assigned().get().privateIp().orElse(ip);
            }
            Bound bound = Bound.found(binding, ip, before, policy, now);
            return endingBegun(
                    before.with(bound)
                            .withAttempt(cell.status().attempt())
                            .with(before.errands().only(Errand.REMOVE_POD)),
                    now);
        }
    }

    /** The Cell object of that name does not say the truth: the pod is bound to nothing. */
    record Disproved(String name) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            return before.phase() instanceof Bound bound
                            && bound.binding().name().equals(name)
                    ? before.with(Wanted.AT_ONCE).with(before.errands().only(Errand.REMOVE_POD))
                    : before;
        }
    }

    /** The Cell object of that name is gone. */
    record CellGone(String name, String uid) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            if (before.phase() instanceof Bound bound && bound.binding().is(name, uid)) {
                return before.with(bound.with(bound.binding().unrecorded()));
            }
            if (before.phase() instanceof Leaving leaving && leaving.binding().is(name, uid)) {
                return before.with(leaving.with(leaving.binding().unrecorded()))
                        .with(before.errands().done(Errand.REMOVE_CELL));
            }
            return before;
        }
    }

    /** EC2 shows the instance like this. */
    record InstanceSeen(InstanceFacts instance) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            if (before.phase() instanceof Bound bound
                    && bound.binding().instanceId().equals(instance.id())) {
                Sight sight = bound.sight().seen(instance, now);
                return sight.equals(bound.sight()) ? before : before.with(bound.with(sight));
            }
            if (before.phase() instanceof Leaving leaving
                    && leaving.binding().instanceId().equals(instance.id())
                    && instance.state().ended()
                    && !leaving.terminated()) {
                return before.with(leaving.gone()).with(before.errands().done(Errand.TERMINATE));
            }
            return before;
        }
    }

    /** A full list of instances lacks it. */
    record InstanceMissing(String instanceId) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            if (before.phase() instanceof Bound bound
                    && bound.binding().instanceId().equals(instanceId)) {
                Sight sight = bound.sight().missing(now);
                return sight.equals(bound.sight()) ? before : before.with(bound.with(sight));
            }
            return before;
        }
    }

    /** EC2 has accepted that the instance ends. */
    record Terminated(String instanceId) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            return before.phase() instanceof Leaving leaving
                            && leaving.binding().instanceId().equals(instanceId)
                    ? before.with(leaving.gone()).with(before.errands().done(Errand.TERMINATE))
                    : before;
        }
    }

    /**
     * EC2 does not know the instance. Right after a launch that says nothing; later it is gone
     * (cloudpilot-ai/karpenter-provider-gcp issue 242).
     */
    record UnknownToCloud(String instanceId) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            if (!(before.phase() instanceof Leaving leaving)
                    || !leaving.binding().instanceId().equals(instanceId)) {
                return before;
            }
            return now - leaving.since() >= policy.timing().cloudConsistency().toNanos()
                    ? before.with(leaving.gone()).with(before.errands().done(Errand.TERMINATE))
                    : before.with(before.errands()
                            .failed(Errand.TERMINATE, now, Duration.ofSeconds(2), Duration.ofSeconds(30)));
        }
    }

    /** The agent says this. It answers watches, grants and end orders alike. */
    record Reported(CellReport report) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            if (!(before.phase() instanceof Bound bound)
                    || report.sequence() <= bound.news().sequence()
                    || !report.instanceId().equals(bound.binding().instanceId())) {
                return before;
            }
            Optional<PodReport> pod = report.pod();
            boolean foreign = pod.isPresent()
                    && (!pod.get().uid().equals(before.podUid()) || pod.get().attempt() != before.attempt());
            if (foreign) {
                return before.with(
                        bound.with(new News(report.sequence(), true, Optional.empty(), Optional.empty(), now)));
            }
            String ip = bound.sight().ip();
            Optional<StatusView> view = pod.flatMap(
                    p -> StatusView.of(p.status(), ip, policy.hostIp().orElse(ip)));
            boolean same = view.isPresent()
                    && bound.news().view().isPresent()
                    && bound.news().view().get().digest().equals(view.get().digest());
            News news = new News(
                    report.sequence(), false, pod, view, same ? bound.news().since() : now);
            Bound next = bound.with(news);
            if (pod.isPresent()) {
                // An earlier incarnation handed it over: it is the cell that knows what.
                Optional<String> content = bound.news().answered()
                        ? Optional.empty()
                        : Origin.parse(pod.get().origin()).map(Origin::content);
                Handed handed = bound.handed();
                next = next.with(new Handed(true, content.orElse(handed.content()), handed.at()));
            }
            return before.with(next);
        }
    }

    /** The way to the agent failed, or it refused. */
    record CellFailed(Errand errand, CellError error) implements CellFact {

        private static final Duration FIRST = Duration.ofSeconds(1);
        private static final Duration MOST = Duration.ofSeconds(5);

        /** While the instance boots: its pod waits for nothing else. */
        private static final Duration MOST_AT_BOOT = Duration.ofSeconds(2);

        private static final Duration BOOT = Duration.ofMinutes(2);

        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            boolean boots = before.phase() instanceof Bound booting
                    && !booting.news().answered()
                    && now - booting.since() < BOOT.toNanos();
            boolean refused = error instanceof CellError.Refused;
            CellFacts cell = new Undone(
                            errand, FIRST, refused ? Duration.ofMinutes(1) : boots ? MOST_AT_BOOT : MOST, refused)
                    .after(before, policy, now);
            if (errand == Errand.END
                    && refused
                    && cell.phase() instanceof Bound bound
                    && bound.ending().isPresent()) {
                Ending ending = bound.ending().get();
                return cell.with(bound.with(new Ending(ending.since(), ending.told(), true)));
            }
            return cell;
        }
    }

    /** The cell has accepted to end the pod within this grace. */
    record EndTold(Duration grace) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            CellFacts cell = before.with(before.errands().done(Errand.END));
            return cell.phase() instanceof Bound bound && bound.ending().isPresent()
                    ? cell.with(bound.with(new Ending(bound.ending().get().since(), Optional.of(grace), false)))
                    : cell;
        }
    }

    /**
     * The API server has the status that we sent.
     *
     * @param pod as the answer had it; the watch may have told of a later one meanwhile
     */
    record StatusWritten(String digest, PodFacts pod) implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            CellFacts cell = before.with(before.errands().done(Errand.STATUS));
            if (cell.phase() instanceof Bound bound) {
                cell = cell.with(bound.with(bound.mirror().after(digest, pod, now)));
            }
            boolean news = cell.pod().isPresent()
                    && !Versions.earlier(pod.version(), cell.pod().get().version());
            return news ? new PodSeen(pod).after(cell, policy, now) : cell;
        }
    }

    /** The API server removes the pod. Finalizers may keep it for a while. */
    record PodRemoved() implements CellFact {
        @Override
        public CellFacts after(CellFacts before, Policy policy, long now) {
            return before.with(before.errands().done(Errand.REMOVE_POD)).withPodRemoved();
        }
    }

    private static CellFacts endingBegun(CellFacts cell, long now) {
        return cell.terminating()
                        && cell.phase() instanceof Bound bound
                        && bound.ending().isEmpty()
                ? cell.with(bound.with(new Ending(now, Optional.empty(), false)))
                : cell;
    }
}
