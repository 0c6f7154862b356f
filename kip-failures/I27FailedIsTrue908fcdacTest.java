import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.sim.replay.Replay;
import org.junit.jupiter.api.Test;

/** I27 Failed is true: default/w1 is called Failed, and main runs on i-0cf4df067632b8fee. */
class I27FailedIsTrue908fcdacTest {

    @Test
    void the_story_ends_well() throws Exception {
        Replay replay = Replay.read("I27FailedIsTrue908fcdacTest.yaml", """
                scenario: a drawn history of ownership
                because: goal B11
                steps:
                  - wait: 1s
                  - kill: {controller: kip-0}
                  - start: {controller: kip-2}
                  - wait: 5s
                  - apply: {pod: w1}
                  - wait: 12633ms
                  - wait: 10s
                  - wait: 16842ms
                  - kill: {controller: kip-2}
                  - delete: {node: virtual-kubelet}
                  - wait: 2m
                replay:
                  seed: 5103
                  fails: I27 Failed is true
                  says: default/w1 is called Failed, and main runs on i-0cf4df067632b8fee
                """);
        assertThat(replay.tell(false).problems()).isEmpty();
    }
}
