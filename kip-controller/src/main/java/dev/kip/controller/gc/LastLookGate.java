package dev.kip.controller.gc;

import com.google.common.collect.ImmutableSet;
import dev.kip.cell.CellReport.PodReport;
import java.time.Duration;
import java.util.Optional;

/** G7: a last look at the instance itself, by its id and by its agent. */
final class LastLookGate implements Gate {

    /** From the order to end a pod of which nobody knows the grace any more. */
    static final Duration GRACE = Duration.ofSeconds(30);

    /** Beyond it. */
    static final Duration MARGIN = Duration.ofSeconds(30);

    @Override
    public String name() {
        return "G7";
    }

    @Override
    public String why() {
        return "Records can be lost or edited; what runs a pod that still exists shows by itself, and is never ended.";
    }

    @Override
    public Stage stage() {
        return Stage.END;
    }

    @Override
    public ImmutableSet<Reading> needs() {
        return ImmutableSet.of(Reading.LAST_LOOK);
    }

    @Override
    public Optional<String> objection(Evidence evidence) {
        if (evidence.look().isEmpty() || evidence.look().get().described().isEmpty()) {
            return Optional.of("the cloud did not describe it by its id");
        }
        if (evidence.instance().state().ended()) {
            return Optional.of("it has ended by itself");
        }
        LastLook look = evidence.look().get();
        if (look.report().isEmpty()) {
            return evidence.sighting().unclaimedFor().compareTo(look.patience()) >= 0
                    ? Optional.empty()
                    : Optional.of("its agent is silent, and is waited for: "
                            + look.silence().orElse("no answer"));
        }
        return look.report().get().pod().filter(pod -> !pod.ended()).flatMap(pod -> runs(pod, evidence, look));
    }

    private static Optional<String> runs(PodReport pod, Evidence evidence, LastLook look) {
        if (holdsLivePod(pod, evidence)) {
            return Optional.of("it runs pod " + pod.uid() + ", which exists");
        }
        boolean overdue = look.ending()
                .filter(since -> since.compareTo(GRACE.plus(MARGIN)) >= 0)
                .isPresent();
        return overdue ? Optional.empty() : Optional.of("its pod " + pod.uid() + " is gone and is ended with grace");
    }

    /** Whether the pod exists and is this instance's as far as anybody knows. */
    static boolean holdsLivePod(PodReport pod, Evidence evidence) {
        return evidence.claims()
                .filter(claims -> claims.podExists(pod.uid())
                        && !claims.boundElsewhere(pod.uid(), evidence.instance().id()))
                .isPresent();
    }
}
