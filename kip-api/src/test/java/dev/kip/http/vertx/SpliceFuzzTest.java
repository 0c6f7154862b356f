package dev.kip.http.vertx;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A hundred sessions at once, by a seed: slow readers, half-closes, clients that leave, connections that break, cuts. With
 * {@code -Dkip.seeds=N} so many seeds, with {@code -Dkip.seed=S} that one.
 */
class SpliceFuzzTest {

    private static final int SESSIONS = 100;
    private static final int STEPS = 12_000;
    private static final int MOST = 256 << 10;

    /** Of one read: what comes once more than {@link #MOST} is under way. */
    private static final int BATCH = 3 * (16 << 10);

    private static final Duration IDLE = Duration.ofMinutes(10);

    /** One spliced pair. */
    private static final class Session {
        final PaperSocket near;
        final PaperSocket far;
        final Splice splice;
        int ended;
        boolean cut;
        boolean broken;

        Session(Timers timers, int number) {
            near = new PaperSocket(2 * number);
            far = new PaperSocket(2 * number + 1);
            splice = Splice.join(timers, near.side(), far.side(), Epilogue.NONE, IDLE, () -> ended++);
            settle();
        }

        void settle() {
            near.runPendingTasks();
            far.runPendingTasks();
            near.tellEnd();
            far.tellEnd();
            assertThat(near.underway()).isLessThanOrEqualTo(MOST + BATCH);
            assertThat(far.underway()).isLessThanOrEqualTo(MOST + BATCH);
        }

        void step(Random random, int number) {
            boolean atNear = random.nextBoolean();
            PaperSocket peer = atNear ? near : far;
            int other = atNear ? 2 * number + 1 : 2 * number;
            int dice = random.nextInt(1000);
            if (dice < 560) {
                int[] lengths = new int[1 + random.nextInt(3)];
                for (int at = 0; at < lengths.length; at++) {
                    lengths[at] = 1 + random.nextInt(random.nextInt(20) == 0 ? 16 << 10 : 600);
                }
                peer.send(lengths);
            } else if (dice < 970) {
                peer.take(other);
            } else if (dice < 985) {
                peer.sayLast();
            } else if (dice < 992) {
                peer.leave();
                broken = true;
            } else if (dice < 997) {
                peer.reset();
                broken = true;
            } else {
                splice.cut();
                cut = true;
            }
            settle();
        }

        /** Both say their last, and read all there is. */
        void windUp(int number) {
            near.sayLast();
            far.sayLast();
            settle();
            while (near.underway() > 0 || far.underway() > 0) {
                near.take(2 * number + 1);
                far.take(2 * number);
                settle();
            }
            settle();
        }
    }

    private static void run(long seed) {
        Random random = new Random(seed);
        PaperTimers timers = new PaperTimers();
        List<Session> sessions = new ArrayList<>();
        for (int number = 0; number < SESSIONS; number++) {
            sessions.add(new Session(timers, number));
        }
        for (int step = 0; step < STEPS; step++) {
            int number = random.nextInt(SESSIONS);
            sessions.get(number).step(random, number);
            if (random.nextInt(50) == 0) { // never as long as a half-closed stream may be silent
                timers.pass(Duration.ofMillis(random.nextInt(150)));
            }
        }
        for (int number = 0; number < SESSIONS; number++) {
            sessions.get(number).windUp(number);
        }
        timers.pass(IDLE.multipliedBy(2));
        for (Session session : sessions) {
            session.settle();
            assertThat(session.ended).as("told of its end").isEqualTo(1);
            assertThat(session.near.open() || session.far.open())
                    .as("left open")
                    .isFalse();
            session.near.nothingIsKept();
            session.far.nothingIsKept();
            if (!session.cut && !session.broken) {
                assertThat(session.near.received).isEqualTo(session.far.sent);
                assertThat(session.far.received).isEqualTo(session.near.sent);
                assertThat(session.near.sawEnd() && session.far.sawEnd()).isTrue();
            }
        }
        assertThat(timers.open()).as("timers left").isZero();
    }

    @Test
    void whatever_happens_bytes_arrive_in_order_and_nothing_is_left() {
        Long one = Long.getLong("kip.seed");
        if (one != null) {
            run(one);
            return;
        }
        int seeds = Integer.getInteger("kip.seeds", 5);
        for (long seed = 1; seed <= seeds; seed++) {
            try {
                run(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": -Dkip.seed=" + seed, e);
            }
        }
    }

    @Test
    void a_side_that_neither_reads_nor_ends_is_cut_after_its_time() {
        PaperTimers timers = new PaperTimers();
        Session session = new Session(timers, 0);
        session.near.send(1000);
        timers.pass(IDLE.multipliedBy(6).dividedBy(5));
        session.settle();

        assertThat(session.ended).isEqualTo(1);
        session.near.nothingIsKept();
    }

    @Test
    void when_one_has_ended_and_the_other_is_silent_a_minute_is_enough() {
        PaperTimers timers = new PaperTimers();
        Session session = new Session(timers, 0);
        session.near.sayLast();
        session.settle();
        assertThat(session.far.sawEnd()).isTrue();
        timers.pass(Duration.ofSeconds(50));
        assertThat(session.ended).isZero();
        timers.pass(Duration.ofSeconds(30));
        session.settle();

        assertThat(session.ended).isEqualTo(1);
    }
}
