package dev.kip.sim.faults;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.scenario.Globs;
import dev.kip.sim.scenario.World;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Predicate;

/** One fault while it lasts: what it may do to the world, and how often it hit. */
public final class Strike {

    /** An answer is this long at most before packets no longer fit into one. */
    static final int MTU = 1_400;

    private final Site site;
    private final FaultKind kind;
    private final String controllers;
    private final Duration length;
    private final int times;
    private final Duration until;
    private int hits;

    /**
     * @param controllers whose requests are struck; a star stands for anything
     * @param times how many requests at most; 0 for all while it lasts
     */
    Strike(Site site, FaultKind kind, String controllers, Duration length, int times) {
        this.site = site;
        this.kind = kind;
        this.controllers = controllers;
        this.length = length;
        this.times = times;
        this.until = site.kernel().elapsed().plus(length);
    }

    public FaultKind kind() {
        return kind;
    }

    /** How often it has hit so far. */
    public int hits() {
        return hits;
    }

    Duration length() {
        return length;
    }

    String controllers() {
        return controllers;
    }

    World world() {
        return site.world();
    }

    Site site() {
        return site;
    }

    /** The probe: it has struck something. */
    void hit(String what) {
        hits++;
        site.kernel().trace().line(site.kernel().elapsed(), "fault", kind.word() + ": " + what);
    }

    boolean lasts() {
        return site.kernel().elapsed().compareTo(until) < 0;
    }

    /** Whether it strikes once more; counts. */
    private boolean strikes(Call call) {
        if (!lasts() || (times > 0 && hits >= times)) {
            return false;
        }
        hit(call.from() + " -> " + call.to() + " " + call.action() + " " + call.target());
        return true;
    }

    void later(Duration delay, Runnable task) {
        site.kernel().schedule(delay, task);
    }

    /** Again and again while it lasts, the first time at once. */
    void every(Duration pause, Runnable task) {
        if (lasts()) {
            task.run();
            later(pause, () -> every(pause, task));
        }
    }

    /** Requests of the controllers that are meant to an API server. */
    Predicate<Call> toKubernetes() {
        return call -> Globs.matches(controllers, call.from()) && call.to().endsWith("kubernetes");
    }

    /** Those that change something there, leases and events too. */
    Predicate<Call> writes() {
        return toKubernetes().and(call -> !call.action().startsWith("GET"));
    }

    Predicate<Call> toEc2(String action) {
        return call -> Globs.matches(controllers, call.from())
                && call.to().equals("ec2")
                && Globs.matches(action, call.action());
    }

    Predicate<Call> toCells() {
        return call -> Globs.matches(controllers, call.from()) && call.to().startsWith("cell/");
    }

    /** This becomes of such requests. */
    void fate(Predicate<Call> which, Fate fate) {
        Runnable back = site.fates().add(call -> which.test(call) && strikes(call), fate);
        later(length, back);
    }

    /** Such requests are served by this in place of the service, or before it. */
    void serve(Predicate<Call> which, SimNetwork.Filter by) {
        Runnable back = site.network().filter((call, http, service) -> {
            if (which.test(call) && strikes(call)) {
                by.serve(call, http, service);
            } else {
                service.handle(http);
            }
        });
        later(length, back);
    }

    /** Such requests are answered like this, and do nothing. */
    void answer(Predicate<Call> which, int status, String contentType, String body) {
        answer(which, status, ImmutableMap.of("content-type", contentType), body);
    }

    void answer(Predicate<Call> which, int status, ImmutableMap<String, String> headers, String body) {
        serve(which, (call, http, service) -> http.respond(status, headers, body.getBytes(StandardCharsets.UTF_8)));
    }

    /** Such requests get a Status of this code and reason. */
    void status(Predicate<Call> which, int code, String reason, String message) {
        answer(which, code, "application/json", statusText(code, reason, message));
    }

    static String statusText(int code, String reason, String message) {
        return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\""
                + message + "\",\"reason\":\"" + reason + "\",\"code\":" + code + "}";
    }

    /** Such calls of EC2 fail like this, and do nothing. */
    void ec2Error(String action, int status, String code, String message) {
        answer(
                toEc2(action),
                status,
                "text/xml;charset=UTF-8",
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Errors><Error><Code>" + code
                        + "</Code><Message>"
                        + message + "</Message></Error></Errors><RequestID>5b1f3d6e-0000-4000-8000-000000000000"
                        + "</RequestID></Response>");
    }

    /** Such requests are carried out; what is answered goes through this first. */
    void rewrite(Predicate<Call> which, Rewriting rewriting) {
        serve(which, (call, http, service) -> rewritten(http, service, rewriting));
    }

    private static void rewritten(HttpCall http, HttpService service, Rewriting rewriting) {
        service.handle(new Passing(http) {
            @Override
            public void respond(int status, ImmutableMap<String, String> headers, byte[] body) {
                super.respond(
                        status,
                        headers,
                        rewriting
                                .rewrite(new String(body, StandardCharsets.UTF_8))
                                .getBytes(StandardCharsets.UTF_8));
            }
        });
    }

    /** Changes the text of an answer. */
    interface Rewriting {
        String rewrite(String body);
    }

    /** Instances that a controller launched and that live, in the order of launches. */
    ImmutableList<SimEc2.Sight> launched() {
        return site.ec2().instances().stream()
                .filter(one -> one.state().equals("pending") || one.state().equals("running"))
                .filter(one -> one.tags().containsKey("KipControllerID"))
                .collect(ImmutableList.toImmutableList());
    }

    /** The first such instance that runs, if there is one. */
    void onFirstRunning(java.util.function.Consumer<SimEc2.Sight> what) {
        launched().stream()
                .filter(one -> one.state().equals("running"))
                .findFirst()
                .ifPresent(one -> {
                    hit(one.id());
                    what.accept(one);
                });
    }
}
