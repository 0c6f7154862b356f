package dev.kip.controller.gc;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.controller.gc.Claims.Read;
import dev.kip.controller.gc.Claims.Source;
import java.util.Optional;

/** G2: the cloud's list first, then the journal, then Kubernetes, past every cache. */
final class OrderGate implements Gate {

    private static final ImmutableList<Read> WANTED = ImmutableList.of(
            new Read(Source.CLOUD, true), new Read(Source.JOURNAL, true), new Read(Source.KUBERNETES, true));

    @Override
    public String name() {
        return "G2";
    }

    @Override
    public String why() {
        return "A claim is written before or after the instance shows, never before it is launched: in any other order, or from"
                + " a cache, a claim made in between is missed.";
    }

    @Override
    public Stage stage() {
        return Stage.CLAIMS;
    }

    @Override
    public ImmutableSet<Reading> needs() {
        return ImmutableSet.of(Reading.CLAIMS);
    }

    @Override
    public Optional<String> objection(Evidence evidence) {
        return evidence.claims().map(Claims::order).filter(WANTED::equals).isPresent()
                ? Optional.empty()
                : Optional.of("cloud, journal and Kubernetes were not read anew in this order");
    }
}
