package dev.kip.sim.faults;

import dev.kip.sim.faults.FaultKind.Moment;
import java.time.Duration;
import java.util.Locale;

/**
 * The story in which a kind of fault shows: pods come, one more comes, and all go, and the fault begins at the moment that
 * it is made for. Whatever it is, everything must be well again after it.
 */
public final class FaultStory {

    private FaultStory() {}

    /** Its scenario file. */
    public static String of(FaultKind kind) {
        return text(kind, true);
    }

    /** The same without the fault. */
    public static String twin(FaultKind kind) {
        return text(kind, false);
    }

    private static String text(FaultKind kind, boolean strikes) {
        return String.format(
                Locale.ROOT,
                """
                scenario: %s
                because: %s
                given: %s
                steps:
                  - until: {controller: kip-*, is: leading, within: 60s}
                %s  - apply: {deployment: nginx, replicas: 2}
                  - until: {cells: 2, within: 45m}
                  - until: {unready: none, within: 45m}
                %s  - wait: 500ms
                  - scale: {deployment: nginx, replicas: 3}
                  - wait: %ds
                  - until: {unready: none, within: 45m}
                  - until: {cells: 3, within: 45m}
                %s  - delete: {deployment: nginx}
                  - wait: %ds
                  - until: {pod: default/nginx-*, is: gone, within: 45m}
                  - until: {cells: none, within: 45m}
                  - until: {unaccounted: none, within: 60m}
                  - until: {launchBatches: none, within: 30m}
                expect:
                  - unaccounted: none
                """,
                strikes ? "what happens under " + kind.word() : "nothing fails",
                strikes ? kind.id() : "what faults are compared with",
                kind.given(),
                step(kind, Moment.LAUNCHING, strikes),
                step(kind, Moment.RUNNING, strikes),
                wait(kind, Moment.RUNNING),
                step(kind, Moment.ENDING, strikes),
                wait(kind, Moment.ENDING));
    }

    private static String step(FaultKind kind, Moment here, boolean strikes) {
        return kind.moment() == here && strikes ? "  - inject: {fault: " + kind.word() + "}\n" : "";
    }

    private static long wait(FaultKind kind, Moment here) {
        return kind.moment() == here
                ? kind.length().plus(Duration.ofSeconds(30)).toSeconds()
                : 1;
    }
}
