package dev.kip.sim.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kip.sim.Programs;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From kubectl over the API server and the controller's kubelet API to the cell's kubelet, and back. */
class KubectlLogsTest {

    @TempDir
    private static Path data;

    @Test
    void logs_and_exec_reach_the_cell() throws IOException, InterruptedException {
        assumeTrue(Programs.find("kubectl").isPresent(), "skipped: kubectl is not on PATH");
        try (EmbeddedWorld world =
                EmbeddedWorld.start(new EmbeddedWorld.Wish(data.resolve("world"), 0, false, false), doing -> {})) {
            Path config = world.kubeconfig();
            KubectlRun.kubectl(config, "run", "web", "--image=nginx", "--annotations=sim.kip.elotl.co/cpu.web=250m");
            KubectlRun.kubectl(config, "wait", "--for=condition=Ready", "pod/web", "--timeout=120s");

            assertThat(KubectlRun.kubectl(config, "logs", "web"))
                    .startsWith("simulated container web started, image nginx\n");
            assertThat(KubectlRun.kubectl(config, "logs", "web", "--timestamps"))
                    .containsPattern("^\\d{4}-\\d\\d-\\d\\dT\\S+Z simulated container web started");
            assertThat(KubectlRun.kubectl(config, "logs", "web", "--tail=0")).isEmpty();

            KubectlRun.Ended previous = KubectlRun.run(config, "logs", "web", "--previous");
            assertThat(previous.code()).isEqualTo(1);
            assertThat(previous.text()).contains("previous terminated container \"web\" in pod \"web\" not found");

            KubectlRun.Ended exec = KubectlRun.run(config, "exec", "web", "--", "ls");
            assertThat(exec.text()).contains("is simulated: it runs no programs");
            assertThat(exec.code()).isEqualTo(126);

            KubectlRun.Ended forward = KubectlRun.run(config, "port-forward", "pod/web", ":80");
            assertThat(forward.code()).isEqualTo(1);
            assertThat(forward.text()).contains("this cell is simulated");

            assertThat(KubectlRun.until(config, 60, "top", "pod", "--containers", "--no-headers"))
                    .containsPattern("web +web +25[01]m +8Mi");
        }
    }
}
