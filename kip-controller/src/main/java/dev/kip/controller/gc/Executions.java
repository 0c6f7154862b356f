package dev.kip.controller.gc;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.launch.Terminations;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.kube.ObjectRef;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what every gate has agreed on. It is written down in the record before the calls, and told when they are accepted;
 * what an incarnation could not tell any more is told by the next one. Confined to the loop.
 */
final class Executions {

    private static final Logger LOG = LoggerFactory.getLogger(Executions.class);

    /** An API server keeps an event for longer than this. */
    static final Duration TOLD_AGAIN = Duration.ofMinutes(30);

    private final Collector.Room room;
    private final String installation;
    private final Ledger ledger;
    private final Breaker breaker;
    private final Sightings sightings;
    private final Audit audit;
    private final ImmutableList<String> gates;
    private final Predicate<Evidence> claimed;
    private boolean retold;

    /** @param claimed whether it has an owner after all, and is given to it */
    Executions(
            Collector.Room room,
            String installation,
            Ledger ledger,
            Breaker breaker,
            Sightings sightings,
            Audit audit,
            Gates gates,
            Predicate<Evidence> claimed) {
        this.room = room;
        this.installation = installation;
        this.ledger = ledger;
        this.breaker = breaker;
        this.sightings = sightings;
        this.audit = audit;
        this.gates = gates.names();
        this.claimed = claimed;
        breaker.remember(
                ledger.entries().stream()
                        .map(entry -> entry.age(room.loop().now()))
                        .collect(ImmutableList.toImmutableList()),
                room.loop().nanos());
    }

    /**
     * Tells once what an earlier incarnation has ended, or was about to end as it died. What lives of these is found again by
     * itself.
     */
    void tellAgain() {
        if (retold) {
            return;
        }
        retold = true;
        for (Ledger.Entry entry : ledger.entries()) {
            if (entry.age(room.loop().now()).compareTo(TOLD_AGAIN) < 0) {
                room.cloud()
                        .describeOne(
                                entry.instance(),
                                instance -> {
                                    if (instance.state().ended()) {
                                        audit.endedEarlier(entry);
                                    }
                                },
                                () -> audit.endedEarlier(entry));
            }
        }
    }

    /**
     * A record that another has written meanwhile is read again before anything is ended.
     *
     * @param condemned already counted by the breaker
     * @param record as it was just read; empty if no gate needs it
     * @param done told when the calls are under way, or will not be made
     */
    void end(ImmutableList<Evidence> condemned, Optional<Installation> record, Runnable done) {
        if (condemned.isEmpty() || record.isEmpty()) {
            done.run();
            condemned.forEach(this::end);
            return;
        }
        ImmutableList<String> ids =
                condemned.stream().map(evidence -> evidence.instance().id()).collect(ImmutableList.toImmutableList());
        room.calls()
                .on(
                        "kube",
                        "replace installations",
                        room.kube()
                                .replace(
                                        CrdKinds.INSTALLATIONS,
                                        ObjectRef.cluster(installation),
                                        ledger.with(
                                                record.get(), ids, room.loop().now())),
                        written -> {
                            done.run();
                            condemned.forEach(this::end);
                        },
                        error -> {
                            done.run();
                            condemned.forEach(evidence -> breaker.refund());
                            LOG.info("{} are not ended: {}", ids, error.message());
                            room.hurry().run();
                        });
    }

    private void end(Evidence evidence) {
        String id = evidence.instance().id();
        if (claimed.test(evidence)) {
            breaker.refund();
            return;
        }
        audit.ending(evidence, gates);
        room.terminations().end(id, new Terminations.Ending() {
            @Override
            public void accepted() {
                sightings.forget(id);
                audit.ended(evidence, gates);
            }

            @Override
            public void unknown() {
                sightings.forget(id);
                breaker.refund();
            }

            @Override
            public void undone() {
                breaker.refund();
                LOG.warn("instance {} was not ended; it is considered again", id);
            }
        });
    }
}
