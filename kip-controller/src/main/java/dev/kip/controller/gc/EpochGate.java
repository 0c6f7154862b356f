package dev.kip.controller.gc;

import com.google.common.collect.ImmutableSet;
import dev.kip.controller.gc.Evidence.Incumbency;
import java.util.Optional;

/** G5: the record still names our epoch, read just before, and the lease lasts. */
final class EpochGate implements Gate {

    @Override
    public String name() {
        return "G5";
    }

    @Override
    public String why() {
        return "A leader that was paused, or that another has replaced, must not end what its successor owns.";
    }

    @Override
    public Stage stage() {
        return Stage.END;
    }

    @Override
    public ImmutableSet<Reading> needs() {
        return ImmutableSet.of(Reading.RECORD);
    }

    @Override
    public Optional<String> objection(Evidence evidence) {
        if (evidence.incumbency().isEmpty() || !evidence.incumbency().get().read()) {
            return Optional.of("the Installation could not be read");
        }
        Incumbency found = evidence.incumbency().get();
        if (!found.recorded().equals(Optional.of(found.epoch()))) {
            return Optional.of("the Installation names epoch "
                    + found.recorded().map(String::valueOf).orElse("none") + ", ours is " + found.epoch());
        }
        return found.leaseLeft().isNegative() ? Optional.of("the lease is over") : Optional.empty();
    }
}
