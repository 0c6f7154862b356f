package dev.kip.sim.faults;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The faults that a world has suffered through {@code inject}. */
public final class Strikes {

    private final Site site;
    private final List<Strike> all = new ArrayList<>();

    public Strikes(Site site) {
        this.site = site;
        site.network().filter(site.watches());
    }

    /**
     * Begins one.
     *
     * @param controllers whose; a star stands for anything
     * @param length the kind's own if empty
     * @param times as many requests at most, the kind's own if empty; 0 for all while it lasts
     */
    public void begin(String word, String controllers, Optional<Duration> length, Optional<Integer> times) {
        FaultKind kind = FaultCatalogue.find(word)
                .orElseThrow(() -> new IllegalStateException("there is no kind of fault \"" + word + "\""));
        Strike strike = new Strike(site, kind, controllers, length.orElse(kind.length()), times.orElse(kind.times()));
        all.add(strike);
        kind.strike(strike);
    }

    public ImmutableList<Strike> all() {
        return ImmutableList.copyOf(all);
    }

    /** Words of those that never hit anything. */
    public ImmutableList<String> missed() {
        return all.stream()
                .filter(strike -> strike.hits() == 0)
                .map(strike -> strike.kind().word())
                .collect(ImmutableList.toImmutableList());
    }
}
