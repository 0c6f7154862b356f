package dev.kip.controller.gc;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Optional;

/**
 * Counts what was ended, and says when to stop: at the budget's end, when Kubernetes shows no pods where there were some,
 * while the installation is being reconciled. It closes by itself when the reason is gone; an operator may lift budget and
 * suspicion once. Confined to the loop.
 */
final class Breaker {

    private final GcSettings settings;
    private final Deque<Long> ended = new ArrayDeque<>();
    private Optional<String> approved = Optional.empty();
    private Optional<Integer> podsLifted = Optional.empty();
    private boolean approvalsKnown;

    Breaker(GcSettings settings) {
        this.settings = settings;
    }

    /** What was ended before this incarnation began counts, too. Called before anything is spent. */
    void remember(ImmutableList<Duration> ages, long now) {
        ages.stream().sorted(Comparator.reverseOrder()).forEach(age -> ended.addLast(now - age.toNanos()));
    }

    /**
     * Takes in the annotation by which an operator lets collection go on. One that was there when this incarnation began
     * has been used.
     *
     * @return whether what was ended before counts no more
     */
    boolean approval(Optional<String> token, int podsThereWere) {
        boolean lifts = approvalsKnown && token.isPresent() && !token.equals(approved);
        if (lifts) {
            ended.clear();
            podsLifted = Optional.of(podsThereWere);
        }
        approvalsKnown = true;
        approved = token;
        return lifts;
    }

    /**
     * Why nothing may be ended now; empty if one instance may.
     *
     * @param cells of this node that have an instance
     * @param podsListed as the API server just showed
     * @param podsThereWere as was known before
     */
    Optional<String> reason(int cells, int podsListed, int podsThereWere, Optional<String> reconciling, long now) {
        if (reconciling.isPresent()) {
            return Optional.of("the installation is being reconciled: " + reconciling.get());
        }
        if (podsListed > 0) {
            podsLifted = Optional.empty();
        } else if (podsThereWere > 0 && !podsLifted.equals(Optional.of(podsThereWere))) {
            return Optional.of("Kubernetes shows no pods where there were " + podsThereWere);
        }
        long horizon = now - settings.window().toNanos();
        while (!ended.isEmpty() && ended.peekFirst() - horizon < 0) {
            ended.removeFirst();
        }
        int most = allowance(cells);
        return ended.size() < most
                ? Optional.empty()
                : Optional.of("the budget is used up: " + ended.size() + " of " + most + " instances ended within "
                        + words(settings.window()) + " (gc.maxCount, gc.maxPercent, gc.window)");
    }

    int allowance(int cells) {
        return Math.max(settings.maxCount(), (int) ((long) cells * settings.maxPercent() / 100));
    }

    void spend(long now) {
        ended.addLast(now);
    }

    /** It was not ended after all. */
    void refund() {
        ended.pollLast();
    }

    private static String words(Duration window) {
        return window.toSeconds() + " s";
    }
}
