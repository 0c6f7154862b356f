package dev.kip.cell.wire;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cell.CellReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.wire.Problem.Reason;
import dev.kip.cell.wire.Wire.GrantRequest;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * An agent's end of the protocol: reads requests, keeps fenced controllers out, holds long polls until something has
 * changed. What an order does is the {@link Agent}'s. Confined to the loop.
 */
public final class AgentEndpoint implements HttpService {

    private static final ImmutableMap<String, String> JSON_HEADERS = ImmutableMap.of("content-type", Wire.CONTENT_TYPE);

    private final Loop loop;
    private final Agent agent;
    private final Map<Long, Waiter> waiters = new LinkedHashMap<>();
    private long waiterIds;

    /** A long poll that waits for a change. */
    private record Waiter(HttpCall call, Loop.Timer timer) {}

    /** What is behind the protocol. Its methods return what has to be refused, or nothing when the order is carried out. */
    public interface Agent {

        String instanceId();

        /** Of {@link #report}. */
        long sequence();

        /** As it stands now. */
        CellReport report();

        /** @param nonce 32 hex digits */
        Identity identity(String nonce);

        /** The installation's controller has spoken, and is not fenced. */
        void contact();

        long highestEpoch();

        /** A higher epoch has come; it is kept before anything else is done. */
        Optional<Problem> raiseEpoch(long epoch);

        /** Not fenced. */
        Optional<Problem> grant(GrantRequest request);

        /** Not fenced. */
        Optional<Problem> end(EndOrder order);
    }

    public AgentEndpoint(Loop loop, Agent agent) {
        this.loop = loop;
        this.agent = agent;
    }

    /** The report's sequence has grown: who waits is answered. */
    public void changed() {
        ImmutableList<Waiter> waiting = ImmutableList.copyOf(waiters.values());
        waiters.clear();
        for (Waiter waiter : waiting) {
            waiter.timer().cancel();
            report(waiter.call());
        }
    }

    @Override
    public void handle(HttpCall call) {
        try {
            switch (call.rawPath()) {
                case Wire.IDENTITY -> only("GET", call, () -> identity(call));
                case Wire.STATE -> only("GET", call, () -> state(call));
                case Wire.POD ->
                    only("PUT", call, () -> {
                        GrantRequest request = Wire.decodeGrant(call.body());
                        order(call, request.grant().epoch(), () -> agent.grant(request));
                    });
                case Wire.END ->
                    only("POST", call, () -> {
                        EndOrder order = Wire.decodeEnd(call.body());
                        order(call, order.epoch(), () -> agent.end(order));
                    });
                default -> refuse(call, Reason.NOT_FOUND, "no such path: " + call.rawPath());
            }
        } catch (IllegalArgumentException e) {
            refuse(call, Reason.BAD_REQUEST, String.valueOf(e.getMessage()));
        }
    }

    private void only(String method, HttpCall call, Runnable action) {
        if (!call.method().equals(method)) {
            refuse(call, Reason.METHOD_NOT_ALLOWED, call.rawPath() + " is for " + method);
        } else if (!call.rawPath().equals(Wire.IDENTITY)
                && !call.parameter(Wire.INSTANCE).equals(Optional.of(agent.instanceId()))) {
            refuse(
                    call,
                    Reason.OTHER_CELL,
                    "this is " + agent.instanceId() + ", the request is for "
                            + call.parameter(Wire.INSTANCE).orElse("no instance"));
        } else {
            action.run();
        }
    }

    private void identity(HttpCall call) {
        String nonce = call.parameter(Wire.NONCE)
                .filter(text -> text.matches("[0-9a-f]{32}"))
                .orElseThrow(() -> new IllegalArgumentException("nonce: wanted 32 hex digits"));
        call.respond(200, JSON_HEADERS, Wire.encode(agent.identity(nonce)));
    }

    private void state(HttpCall call) {
        agent.contact();
        long seen = number(call, Wire.SEEN);
        Duration wait = Duration.ofSeconds(Math.min(number(call, Wire.WAIT), Wire.MAX_WAIT.toSeconds()));
        if (seen != agent.sequence() || wait.isZero()) {
            report(call);
            return;
        }
        long id = waiterIds++;
        waiters.put(id, new Waiter(call, loop.after(wait, () -> {
            waiters.remove(id);
            report(call);
        })));
    }

    private static long number(HttpCall call, String name) {
        String text = call.parameter(name).orElse("0");
        if (!text.matches("\\d{1,18}")) {
            throw new IllegalArgumentException(name + ": wanted a number, found \"" + text + "\"");
        }
        return Long.parseLong(text);
    }

    /** What is to be done, unless the order is fenced. */
    private interface Action {
        Optional<Problem> run();
    }

    private void order(HttpCall call, long epoch, Action action) {
        if (epoch < agent.highestEpoch()) {
            refuse(call, Reason.FENCED, "epoch " + epoch + " is over: " + agent.highestEpoch() + " has been here");
            return;
        }
        agent.contact();
        Optional<Problem> problem = epoch > agent.highestEpoch() ? agent.raiseEpoch(epoch) : Optional.empty();
        problem.or(action::run).ifPresentOrElse(found -> answer(call, found), () -> report(call));
    }

    private void refuse(HttpCall call, Reason reason, String message) {
        answer(call, new Problem(reason, message, agent.highestEpoch()));
    }

    private static void answer(HttpCall call, Problem problem) {
        call.respond(problem.reason().status(), JSON_HEADERS, Wire.encode(problem));
    }

    private void report(HttpCall call) {
        call.respond(200, JSON_HEADERS, Wire.encode(agent.report()));
    }
}
