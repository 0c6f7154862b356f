package dev.kip.controller.cells;

import com.google.common.collect.ImmutableList;
import dev.kip.cell.CellAddress;
import dev.kip.cell.EndOrder;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.podstatus.StatusPatch;
import dev.kip.controller.podstatus.StatusView;
import dev.kip.controller.store.PodFacts;
import java.time.Duration;
import java.util.Optional;

/**
 * The instance is this pod attempt's, and no other's. The agent is watched, the pod handed over, its status mirrored; and
 * when the pod ends, or the instance does, the cell leaves.
 *
 * @param since when it was bound, or found, by this incarnation
 * @param mirror what became of the status that was written
 * @param ending when the pod's end was asked for, and the grace that the cell was told
 */
record Bound(Binding binding, long since, Sight sight, News news, Handed handed, Mirror mirror, Optional<Ending> ending)
        implements CellPhase {

    /** A start that goes well is one write: what is on the way to Ready is written only if it lasts. */
    static final Duration RUNNING_SETTLES = Duration.ofSeconds(1);

    static final Duration PENDING_SETTLES = Duration.ofSeconds(10);

    /** Beyond the pod's grace, before the instance is ended without the pod's end having been seen. */
    static final Duration END_MARGIN = Duration.ofSeconds(30);

    /** As long as Kubernetes leaves pods on a node that cannot be reached. */
    static final Duration STOPPED_GRACE = Duration.ofMinutes(5);

    /** Tokens live an hour at least. */
    static final Duration RENEWAL = Duration.ofMinutes(40);

    /** A status that is refused so often in a row is not worth more: the pod is failed plainly. */
    private static final int REFUSALS = 3;

    private static final String STOPPED = "InstanceStopped";

    /** A binding that is on record, of which nothing else is known yet. */
    static Bound found(Binding binding, String ip, CellFacts cell, Policy policy, long now) {
        // One of an earlier incarnation: what it ran is to end with grace even if it does not answer.
        boolean mayHaveBeenGranted = binding.status().epoch() < policy.epoch()
                && cell.pod().map(PodFacts::started).orElse(false);
        return new Bound(
                binding,
                now,
                Sight.of(ip),
                News.NONE,
                new Handed(mayHaveBeenGranted, cell.pod().map(PodFacts::content).orElse(""), now),
                Mirror.BLANK,
                Optional.empty());
    }

    /** @param told the grace; empty until the cell has accepted the order */
    record Ending(long since, Optional<Duration> told, boolean refused) {}

    @Override
    public ImmutableList<Intent> next(CellFacts cell, Policy policy, long now) {
        if (cell.pod().isEmpty() || cell.pod().get().finished()) {
            return leave(false, now);
        }
        PodFacts pod = cell.pod().get();
        if (sight.gone(policy.timing().cloudConsistency(), now)) {
            return lost(cell, pod, policy, "EC2 says that instance " + binding.instanceId() + " has ended", now);
        }
        if (news.ended()) {
            return ended(cell, pod, now);
        }
        if (pod.terminating()) {
            return ending(cell, pod, policy, now);
        }
        if (news.foreign()) {
            return lost(cell, pod, policy, "instance " + binding.instanceId() + " holds another pod", now);
        }
        if (sight.stoppedSince().isPresent()) {
            return stopped(cell, pod, policy, now);
        }
        if (neverAnswered(pod) && now - since >= policy.timing().bootDeadline().toNanos()) {
            return lost(
                    cell,
                    pod,
                    policy,
                    "instance " + binding.instanceId() + " has not answered at " + sight.ip() + " within "
                            + policy.timing().bootDeadline().toSeconds() + " s",
                    now);
        }
        return running(cell, pod, policy, now);
    }

    private ImmutableList<Intent> running(CellFacts cell, PodFacts pod, Policy policy, long now) {
        boolean watch = watchable(cell, now);
        boolean bind = !binding.recorded() && cell.errands().free(Errand.BIND, now);
        // Who comes after us must find the Cell of what we hand over.
        boolean grant =
                binding.recorded() && grantIsDue(pod, now) && cell.errands().free(Errand.GRANT, now);
        boolean write = statusIsDue(pod, now) && cell.errands().free(Errand.STATUS, now);
        if (!watch && !bind && !grant && !write) {
            return NOTHING;
        }
        ImmutableList.Builder<Intent> intents = ImmutableList.builder();
        if (bind) {
            intents.add(new Intent.BindCell(binding.name(), binding.status()));
        }
        if (grant) {
            long generation = news.pod().map(report -> report.generation() + 1).orElse(1L);
            intents.add(new Intent.GrantPod(pod, address(policy), cell.attempt(), generation));
        }
        if (write) {
            StatusView view = news.view().orElseThrow();
            intents.add(new Intent.PatchPodStatus(pod, StatusPatch.reported(pod, view), view.digest()));
            if (view.started() && !pod.started()) {
                intents.add(new Intent.Tell(pod, false, "Started", "Running on instance " + binding.instanceId()));
            }
        }
        if (watch) {
            intents.add(new Intent.WatchCell(address(policy), news.sequence()));
        }
        return intents.build();
    }

    /** Nobody starts it for us: who stopped it may do so. What ran comes back with it. */
    private ImmutableList<Intent> stopped(CellFacts cell, PodFacts pod, Policy policy, long now) {
        if (sight.stoppedFor(STOPPED_GRACE, now)) {
            String why = "somebody stopped instance " + binding.instanceId() + ", and it was not started within "
                    + STOPPED_GRACE.toSeconds() + " s";
            return lost(cell, pod, policy, new Problem(STOPPED, why), now);
        }
        Problem problem = new Problem(
                STOPPED,
                "somebody stopped instance " + binding.instanceId() + ": if it is not started within "
                        + STOPPED_GRACE.toSeconds() + " s, the pod fails and the instance is ended");
        return Wanted.isExplained(pod, problem) || !cell.errands().free(Errand.EXPLAIN, now)
                ? NOTHING
                : ImmutableList.of(new Intent.Explain(pod, problem));
    }

    private ImmutableList<Intent> ending(CellFacts cell, PodFacts pod, Policy policy, long now) {
        boolean holds = handed.maybe() || news.pod().isPresent();
        if (!holds || ending.isEmpty() || ending.get().refused() || now - endsAt(pod, ending.get()) >= 0) {
            return leave(false, now);
        }
        Optional<Duration> told = ending.get().told();
        boolean order = (told.isEmpty() || told.get().compareTo(pod.grace()) > 0)
                && cell.errands().free(Errand.END, now)
                && !sight.ip().isEmpty();
        boolean watch = watchable(cell, now);
        if (!order && !watch) {
            return NOTHING;
        }
        ImmutableList.Builder<Intent> intents = ImmutableList.builder();
        if (order) {
            intents.add(new Intent.EndPod(address(policy), new EndOrder(policy.epoch(), pod.uid(), pod.grace())));
        }
        if (watch) {
            intents.add(new Intent.WatchCell(address(policy), news.sequence()));
        }
        return intents.build();
    }

    /** Every container has ended and none will start again. */
    private ImmutableList<Intent> ended(CellFacts cell, PodFacts pod, long now) {
        boolean unwritten = news.view().isEmpty() || !mirror.shows(news.view().get(), pod);
        int refused = cell.errands().failures(Errand.STATUS);
        if (pod.terminating() && (!pod.finalizers() || !unwritten || refused > 0)) {
            return leave(false, now); // nobody is left to read it
        }
        if (!cell.errands().free(Errand.STATUS, now)) {
            return NOTHING;
        }
        Optional<StatusView> last = news.view().filter(view -> isFinal(view.phase()));
        if (last.isEmpty() || refused >= REFUSALS) {
            return ImmutableList.of(new Intent.FailPod(
                    pod, new Problem("CellEnded", "instance " + binding.instanceId() + " ended the pod")));
        }
        return ImmutableList.of(new Intent.PatchPodStatus(
                pod, StatusPatch.reported(pod, last.get()), last.get().digest()));
    }

    /**
     * The cell is gone. What may have run must not run twice: the pod fails and its owner replaces it. A pod of which no
     * container ever started is tried again.
     */
    private ImmutableList<Intent> lost(CellFacts cell, PodFacts pod, Policy policy, String why, long now) {
        return lost(cell, pod, policy, new Problem("CellLost", why), now);
    }

    private ImmutableList<Intent> lost(CellFacts cell, PodFacts pod, Policy policy, Problem problem, long now) {
        if (pod.terminating()) {
            return leave(false, now);
        }
        if (pod.started() || news.started() || handed.maybe() || untold(policy)) {
            return cell.errands().free(Errand.STATUS, now)
                    ? ImmutableList.of(new Intent.FailPod(pod, problem))
                    : NOTHING;
        }
        return ImmutableList.of(
                new Intent.Tell(pod, true, problem.reason(), problem.message() + "; the pod gets another"),
                new Intent.Become(leaving(true, now)));
    }

    /** An earlier incarnation may have handed the pod over, and the cell has not told this one. */
    private boolean untold(Policy policy) {
        return binding.status().epoch() < policy.epoch() && !news.answered();
    }

    private ImmutableList<Intent> leave(boolean tryAgain, long now) {
        return ImmutableList.of(new Intent.Become(leaving(tryAgain, now)));
    }

    private Leaving leaving(boolean tryAgain, long now) {
        return new Leaving(
                binding, tryAgain, sight.ended(), sight.missingSince().orElse(now));
    }

    private boolean grantIsDue(PodFacts pod, long now) {
        if (news.inert()) {
            return true;
        }
        return news.pod().isPresent()
                && (!handed.content().equals(pod.content()) || now - handed.at() >= RENEWAL.toNanos());
    }

    private boolean statusIsDue(PodFacts pod, long now) {
        if (news.view().isEmpty()) {
            return false;
        }
        StatusView view = news.view().get();
        if (mirror.shows(view, pod)
                || (view.phase().equals("Pending") && !pod.phase().equals("Pending"))) {
            return false;
        }
        return now - statusDue(view, pod) >= 0;
    }

    private long statusDue(StatusView view, PodFacts pod) {
        if (mirror.overwritten(view, pod)) {
            return mirror.dueAnew();
        }
        if (view.telling()) {
            return news.since();
        }
        Duration settles = view.phase().equals("Pending") ? PENDING_SETTLES : RUNNING_SETTLES;
        return news.since() + settles.toNanos();
    }

    private boolean neverAnswered(PodFacts pod) {
        return !news.answered() && !pod.started() && !handed.maybe();
    }

    private boolean watchable(CellFacts cell, long now) {
        return !sight.ip().isEmpty() && cell.errands().free(Errand.WATCH, now);
    }

    private long endsAt(PodFacts pod, Ending order) {
        return order.since() + pod.grace().plus(END_MARGIN).toNanos();
    }

    private CellAddress address(Policy policy) {
        return new CellAddress(binding.instanceId(), sight.ip(), policy.agentPort());
    }

    private static boolean isFinal(String phase) {
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    @Override
    public long due(CellFacts cell, Policy policy, long now) {
        long due = NEVER;
        if (sight.missingSince().isPresent()) {
            long gone = sight.missingSince().get()
                    + policy.timing().cloudConsistency().toNanos();
            due = CellPhase.earlier(due, gone, now);
        }
        if (sight.stoppedSince().isPresent()) {
            due = CellPhase.earlier(due, sight.stoppedSince().get() + STOPPED_GRACE.toNanos(), now);
        }
        if (cell.pod().isEmpty()) {
            return due;
        }
        PodFacts pod = cell.pod().get();
        if (pod.terminating() && ending.isPresent()) {
            due = CellPhase.earlier(due, endsAt(pod, ending.get()), now);
        } else if (neverAnswered(pod)) {
            due = CellPhase.earlier(due, since + policy.timing().bootDeadline().toNanos(), now);
        }
        if (news.pod().isPresent()) {
            due = CellPhase.earlier(due, handed.at() + RENEWAL.toNanos(), now);
        }
        if (news.view().isPresent() && !mirror.shows(news.view().get(), pod)) {
            due = CellPhase.earlier(due, statusDue(news.view().get(), pod), now);
        }
        return due;
    }

    /** Whether the answer to the question how the instance is would be welcome soon. */
    boolean unsettled(CellFacts cell) {
        return !news.answered()
                || sight.missingSince().isPresent()
                || sight.stoppedSince().isPresent()
                || cell.errands().failures(Errand.WATCH) > 0;
    }

    Bound with(Binding next) {
        return new Bound(next, since, sight, news, handed, mirror, ending);
    }

    Bound with(Sight next) {
        return new Bound(binding, since, next, news, handed, mirror, ending);
    }

    Bound with(News next) {
        return new Bound(binding, since, sight, next, handed, mirror, ending);
    }

    Bound with(Handed next) {
        return new Bound(binding, since, sight, news, next, mirror, ending);
    }

    Bound with(Ending next) {
        return new Bound(binding, since, sight, news, handed, mirror, Optional.of(next));
    }

    Bound with(Mirror next) {
        return new Bound(binding, since, sight, news, handed, next, ending);
    }

    @Override
    public String name() {
        return "Bound";
    }
}
