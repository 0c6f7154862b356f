package dev.kip.sim.cell;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpCall.WebSocketHandler;
import dev.kip.http.HttpCall.WebSocketPeer;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The kubelet API of a simulated cell, for its one pod. Logs tell what the simulated containers did. They run no programs:
 * exec and attach say so over the protocol that was asked for, and end as a program does that cannot be run. Confined to
 * the cell's loop.
 */
final class KubeletFace implements HttpService {

    /** What a shell returns for a command that it cannot run. */
    private static final int CANNOT_RUN = 126;

    private static final byte STDOUT = 1;
    private static final byte STDERR = 2;
    private static final byte ERROR = 3;
    private static final int CLOSE_NORMALLY = 1000;
    private static final ImmutableMap<String, String> TEXT =
            ImmutableMap.of("content-type", "text/plain; charset=utf-8");

    /** The newest first: what kubelets and API servers speak over WebSocket. */
    private static final ImmutableList<String> PROTOCOLS = ImmutableList.of("v5.channel.k8s.io", "v4.channel.k8s.io");

    private final Loop loop;
    private final Supplier<Optional<Held>> held;
    private final Set<Follower> followers = new LinkedHashSet<>();

    /**
     * The pod that the cell holds.
     *
     * @param name what this kubelet calls it
     */
    record Held(String name, String namespace, ImmutableList<ContainerRun> containers) {

        Optional<ContainerRun> container(String wanted) {
            return containers.stream()
                    .filter(container -> container.name().equals(wanted))
                    .findFirst();
        }
    }

    KubeletFace(Loop loop, Supplier<Optional<Held>> held) {
        this.loop = loop;
        this.held = held;
    }

    /** Something of the pod is different: who follows a log is told. */
    void changed() {
        ImmutableList.copyOf(followers).forEach(Follower::look);
    }

    @Override
    public void handle(HttpCall call) {
        ImmutableList<String> path =
                ImmutableList.copyOf(call.rawPath().substring(1).split("/", -1));
        switch (path.get(0) + path.size()) {
            case "healthz1" -> call.respond(200, TEXT, "ok".getBytes(UTF_8));
            case "stats2" -> {
                if (path.get(1).equals("summary")) {
                    call.respond(
                            200,
                            ImmutableMap.of("content-type", "application/json"),
                            PodUse.summary(held.get(), loop.now()).toString().getBytes(UTF_8));
                } else {
                    refuse(call, 404, "404 page not found");
                }
            }
            case "containerLogs4" -> logs(call, path);
            case "exec4", "exec5", "attach4", "attach5" -> stream(call, path);
            case "portForward3", "portForward4" ->
                refuse(
                        call,
                        501,
                        "this cell is simulated: its containers run no programs, so no port of theirs answers");
            default -> refuse(call, 404, "404 page not found");
        }
    }

    private static void refuse(HttpCall call, int status, String message) {
        call.respond(status, TEXT, (message + "\n").getBytes(UTF_8));
    }

    private Optional<Held> pod(ImmutableList<String> path) {
        return held.get()
                .filter(pod -> pod.namespace().equals(path.get(1)) && pod.name().equals(path.get(2)));
    }

    private void logs(HttpCall call, ImmutableList<String> path) {
        Optional<Held> pod = pod(path);
        if (pod.isEmpty()) {
            refuse(call, 404, "pod \"" + path.get(2) + "\" not found");
            return;
        }
        Optional<ContainerRun> container = pod.get().container(path.get(3));
        if (container.isEmpty()) {
            refuse(call, 404, "container \"" + path.get(3) + "\" not found in pod \"" + path.get(2) + "\"");
            return;
        }
        LogOptions options;
        try {
            options = LogOptions.of(call.query());
        } catch (IllegalArgumentException e) {
            refuse(call, 422, String.valueOf(e.getMessage()));
            return;
        }
        ContainerLog log = new ContainerLog(container.get());
        Optional<ContainerLog.Run> run = log.run(options.previous());
        if (run.isEmpty()) {
            refuse(
                    call,
                    400,
                    options.previous()
                            ? "previous terminated container \"" + path.get(3) + "\" in pod \"" + path.get(2)
                                    + "\" not found"
                            : "container \"" + path.get(3) + "\" in pod \"" + path.get(2)
                                    + "\" is waiting to start: "
                                    + log.waitingFor());
            return;
        }
        HttpCall.ResponseStream stream = call.stream(200, TEXT);
        new Follower(stream, log, run.get(), options).begin();
    }

    /** One answer of a log; it goes on while it follows and the container runs. */
    private final class Follower {
        private final HttpCall.ResponseStream stream;
        private final ContainerLog log;
        private final ContainerLog.Run run;
        private final LogOptions options;
        private Optional<Instant> told = Optional.empty();
        private long budget;
        private Optional<Loop.Timer> timer = Optional.empty();
        private boolean over;

        Follower(HttpCall.ResponseStream stream, ContainerLog log, ContainerLog.Run run, LogOptions options) {
            this.stream = stream;
            this.log = log;
            this.run = run;
            this.options = options;
            this.budget = options.limitBytes().orElse(Long.MAX_VALUE);
        }

        void begin() {
            stream.onClose(this::leave);
            write(options.select(log.lines(run, loop.now()), loop.now()));
            told = Optional.of(loop.now());
            if (options.follow() && !over) {
                followers.add(this);
                look();
            } else {
                end();
            }
        }

        /** What came since the last look; a run that is not the container's any more has ended. */
        void look() {
            if (over) {
                return;
            }
            timer.ifPresent(Loop.Timer::cancel);
            Instant now = loop.now();
            Optional<ContainerLog.Run> ended = log.ended(run);
            write(log.lines(ended.orElse(run), now).stream()
                    .filter(line -> line.at().isAfter(told.orElse(Instant.MIN)))
                    .collect(ImmutableList.toImmutableList()));
            told = Optional.of(now);
            if (ended.isPresent()) {
                end();
            } else if (!over) {
                timer = Optional.of(
                        loop.after(Duration.between(now, log.nextLine(run, now)).plusMillis(1), this::look));
            }
        }

        private void write(ImmutableList<ContainerLog.Line> lines) {
            for (ContainerLog.Line line : lines) {
                byte[] text = line.text(options.timestamps()).getBytes(UTF_8);
                if (over) {
                    return;
                }
                if (text.length >= budget) {
                    stream.write(Arrays.copyOf(text, (int) budget));
                    end();
                    return;
                }
                budget -= text.length;
                stream.write(text);
            }
        }

        private void end() {
            if (!over) {
                leave();
                stream.end();
            }
        }

        private void leave() {
            over = true;
            followers.remove(this);
            timer.ifPresent(Loop.Timer::cancel);
        }
    }

    private void stream(HttpCall call, ImmutableList<String> path) {
        Optional<ContainerRun> container = pod(path).flatMap(pod -> pod.container(path.get(path.size() - 1)));
        if (pod(path).isEmpty()) {
            refuse(call, 404, "pod does not exist");
        } else if (container.isEmpty() || !container.get().running()) {
            refuse(call, 404, "container not found (\"" + path.get(path.size() - 1) + "\")");
        } else if (!wants(call, "input") && !wants(call, "output") && !wants(call, "error")) {
            refuse(call, 400, "you must specify at least 1 of stdin, stdout, stderr");
        } else if (!call.header("upgrade").orElse("").equalsIgnoreCase("websocket")) {
            refuse(
                    call,
                    400,
                    "this cell is simulated: it speaks WebSocket and no SPDY, and its containers run no programs");
        } else {
            Optional<String> protocol = protocol(call);
            if (protocol.isEmpty()) {
                refuse(call, 400, "this cell is simulated: of WebSocket it speaks " + String.join(" and ", PROTOCOLS));
            } else {
                answer(call, protocol.get(), path.get(0), container.get());
            }
        }
    }

    private static Optional<String> protocol(HttpCall call) {
        ImmutableList<String> offered = call.headers().get("sec-websocket-protocol").stream()
                .flatMap(value -> Arrays.stream(value.split(",", -1)))
                .map(String::trim)
                .collect(ImmutableList.toImmutableList());
        return PROTOCOLS.stream().filter(offered::contains).findFirst();
    }

    private static void answer(HttpCall call, String protocol, String what, ContainerRun container) {
        WebSocketPeer peer = call.upgradeToWebSocket(Optional.of(protocol), new Deaf());
        String sorry =
                "container \"" + container.name() + "\" is simulated: it runs no programs, so there is nothing to "
                        + (what.equals("exec") ? "execute" : "attach to");
        // With a terminal there is no stderr.
        boolean terminal = wants(call, "tty");
        peer.sendBinary(framed(terminal ? STDOUT : STDERR, sorry + (terminal ? "\r\n" : "\n")));
        peer.sendBinary(framed(ERROR, cannotRun().toString()));
        peer.close(CLOSE_NORMALLY, "");
    }

    private static boolean wants(HttpCall call, String stream) {
        return call.parameter(stream)
                .filter(value -> value.equals("1") || value.equals("true"))
                .isPresent();
    }

    /** As a kubelet says that a command ended with an exit code. */
    private static JsonNode cannotRun() {
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        status.putObject("metadata");
        status.put("status", "Failure");
        status.put("message", "command terminated with non-zero exit code: exit status " + CANNOT_RUN);
        status.put("reason", "NonZeroExitCode");
        ObjectNode cause = status.putObject("details").putArray("causes").addObject();
        cause.put("reason", "ExitCode");
        cause.put("message", Integer.toString(CANNOT_RUN));
        return status;
    }

    private static byte[] framed(byte channel, String text) {
        byte[] body = text.getBytes(UTF_8);
        byte[] framed = new byte[body.length + 1];
        framed[0] = channel;
        System.arraycopy(body, 0, framed, 1, body.length);
        return framed;
    }

    /** Nobody reads what is typed. */
    private static final class Deaf implements WebSocketHandler {

        @Override
        public void text(String text) {}

        @Override
        public void binary(byte[] data) {}

        @Override
        public void closed() {}
    }
}
