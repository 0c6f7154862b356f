package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.embedded.PrivateFiles;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.wall.HttpFraming.Message;
import dev.kip.sim.wall.Way.Passage;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;

/** One controller by its name: a process, begun anew at each start, and its ways to the servers, which live on. */
final class Replica implements AutoCloseable {

    private final String name;
    private final Path folder;
    private final Plane plane;
    private final TrustedTls tls;
    private final Way kubernetes;
    private final Way cloud;
    private Optional<Program> program = Optional.empty();
    private boolean stopping;

    /** @param died told when the controller died of a request of its own */
    Replica(
            String name,
            Path folder,
            Plane plane,
            TrustedTls tls,
            URI ec2,
            Traffic traffic,
            CloudGate gate,
            Runnable died)
            throws IOException {
        this.name = name;
        this.folder = folder;
        this.plane = plane;
        this.tls = tls;
        boolean secure = plane.server().getScheme().equals("https");
        this.kubernetes = new Way(
                plane.server(),
                secure ? tls.context().getSocketFactory() : SocketFactory.getDefault(),
                tls.context().getServerSocketFactory(),
                true,
                new Passing(died) {
                    @Override
                    public Passage judge(Message request) {
                        Call call = Traffic.kubernetes(name, request);
                        return Passage.of(traffic.passes(call), request);
                    }
                },
                plane.socketsOnly() ? Optional.of(new WatchBridge(plane.server())) : Optional.empty());
        this.cloud = new Way(
                ec2,
                SocketFactory.getDefault(),
                ServerSocketFactory.getDefault(),
                false,
                new Passing(died) {
                    @Override
                    public Passage judge(Message request) {
                        Call call = Traffic.cloud(name, request);
                        Fate fate = traffic.passes(call);
                        return gate.judge(call, Passage.of(fate, request));
                    }
                },
                Optional.empty());
    }

    private abstract class Passing implements Way.Gate {

        private final Runnable died;

        Passing(Runnable died) {
            this.died = died;
        }

        @Override
        public void kill() {
            kill9();
            died.run();
        }
    }

    /** Where the controller reaches EC2. */
    URI cloudAddress() {
        return cloud.address();
    }

    /**
     * Starts the process; nothing if it runs. One that was told to stop is waited for.
     *
     * @param config its provider.yaml
     */
    synchronized void start(String config) {
        if (stopping) {
            program.ifPresent(Program::awaitEnd);
        }
        if (isAlive()) {
            return;
        }
        stopping = false;
        Path file = folder.resolve("provider.yaml");
        Path kubeconfig = folder.resolve("kubeconfig");
        try {
            Kubeconfig.write(kubeconfig, kubernetes.address(), tls, plane.token());
            PrivateFiles.write(file, config);
        } catch (IOException e) {
            throw new IllegalStateException("the folder of controller " + name + " cannot be written", e);
        }
        program = Optional.of(Program.start(
                name,
                folder.resolve("log"),
                ImmutableMap.of(
                        "POD_NAME",
                        identity(name),
                        "POD_IP",
                        "127.0.0.1",
                        "AWS_ACCESS_KEY_ID",
                        Cloud.KEY,
                        "AWS_SECRET_ACCESS_KEY",
                        Cloud.KEY),
                ImmutableList.of(
                        Path.of(System.getProperty("java.home", ""), "bin", "java")
                                .toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xshare:auto",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path", ""),
                        "dev.kip.controller.cli.Kip",
                        "run",
                        "--config",
                        file.toString(),
                        "--kubeconfig",
                        kubeconfig.toString(),
                        "--health-port",
                        "0",
                        "--metrics-port",
                        "0",
                        "--log-format",
                        "text")));
    }

    /** What the process calls itself: {@code kip-1} of {@code kip-1@west}. */
    static String identity(String name) {
        int at = name.indexOf('@');
        return at < 0 ? name : name.substring(0, at);
    }

    synchronized void kill9() {
        program.ifPresent(Program::close);
    }

    /** SIGTERM; does not wait. */
    synchronized void stop() {
        stopping = true;
        program.ifPresent(Program::askToEnd);
    }

    void pause(Duration length) {
        program.ifPresent(one -> one.pause(length));
    }

    boolean isAlive() {
        return program.map(Program::isAlive).orElse(false);
    }

    Way kubernetes() {
        return kubernetes;
    }

    Way cloud() {
        return cloud;
    }

    String lastWords() {
        return program.map(Program::lastWords).orElse(name + " was never started");
    }

    @Override
    public void close() {
        kill9();
        kubernetes.close();
        cloud.close();
    }
}
