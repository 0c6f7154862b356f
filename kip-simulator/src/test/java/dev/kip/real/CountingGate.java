package dev.kip.real;

import dev.kip.real.CallCounter.Call;
import dev.kip.real.CallCounter.Death;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.wall.Answers;
import dev.kip.sim.wall.HttpFraming.Message;
import dev.kip.sim.wall.Way;
import dev.kip.sim.wall.Way.Passage;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** Counts what changes something, and ends the sender at the call that it is to die of. */
final class CountingGate implements Way.Gate {
    private final CallCounter counter;
    private final Function<Message, Optional<Call>> mutating;
    private final Predicate<Message> constant;
    private final Answers answers = new Answers();

    /**
     * @param mutating the call that a request is, empty when it changes nothing
     * @param constant whether the answer to a request never changes, so that the server need be asked only once
     */
    CountingGate(CallCounter counter, Function<Message, Optional<Call>> mutating, Predicate<Message> constant) {
        this.counter = counter;
        this.mutating = mutating;
        this.constant = constant;
    }

    @Override
    public Passage judge(Message request) {
        Optional<Death> death = mutating.apply(request).flatMap(counter::count);
        if (death.isPresent()) {
            return switch (death.get()) {
                case BEFORE -> Passage.orphaned(request);
                case AFTER -> Passage.of(Fate.SENDER_DIES_AFTER, request);
                case INSTEAD -> Passage.of(Fate.SENDER_DIES_BEFORE, request);
            };
        }
        Passage arrives = Passage.of(Fate.ARRIVES, request);
        return constant.test(request) ? answers.passage(request.target() + "\n" + request.content(), arrives) : arrives;
    }

    @Override
    public void kill() {
        counter.kill();
    }
}
