package dev.kip.sim.faults;

import com.google.common.collect.ImmutableList;
import dev.kip.http.HttpCall;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;
import java.util.Optional;

/** Ways that lose, delay or misdirect; clocks that are wrong. */
final class NetworkFaults {

    private NetworkFaults() {}

    static ImmutableList<FaultKind> all() {
        return ImmutableList.of(
                new RequestsVanish(),
                new AnswersVanish(),
                new CloudCutOff(),
                new CellsCutOff(),
                new KubernetesCutOff(),
                new HalfOpen(),
                new NoNames(),
                new BlackHole(),
                new CertificateChanged(),
                new ClockAhead(),
                new ClockBehind(),
                new Suspended());
    }

    static final class RequestsVanish extends FaultKind {
        RequestsVanish() {
            super(
                    "F47",
                    "network-requests-vanish",
                    Area.NETWORK,
                    "One direction is gone: watches still tell everything, and nothing can be written.");
        }

        @Override
        void strike(Strike strike) {
            strike.fate(strike.toKubernetes(), Fate.SILENCE);
        }
    }

    static final class AnswersVanish extends FaultKind {
        AnswersVanish() {
            super(
                    "F47",
                    "network-answers-vanish",
                    Area.NETWORK,
                    "The other direction: all is done, and nothing is heard of it.");
        }

        @Override
        Duration length() {
            return Duration.ofSeconds(40);
        }

        @Override
        void strike(Strike strike) {
            strike.serve(strike.writes(), (call, http, service) -> service.handle(Passing.intoTheVoid(http)));
        }
    }

    /** Nothing passes between the controllers and a part of the world. */
    private abstract static class CutOff extends FaultKind {

        private final String from;

        CutOff(String word, String from, String why) {
            super("F48", word, Area.NETWORK, why);
            this.from = from;
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(3);
        }

        @Override
        void strike(Strike strike) {
            strike.hit("the way to " + from + " is cut");
            strike.world().cut("kip-*", from);
            strike.later(strike.length(), () -> strike.world().heal());
        }
    }

    static final class CloudCutOff extends CutOff {
        CloudCutOff() {
            super(
                    "network-cloud-cut-off",
                    "ec2",
                    "An endpoint policy or a NAT that is gone: Kubernetes answers, EC2 does not.");
        }
    }

    static final class CellsCutOff extends CutOff {
        CellsCutOff() {
            super("network-cells-cut-off", "cell/*", "A security group was edited: the cells run, and nobody sees it.");
        }
    }

    static final class KubernetesCutOff extends CutOff {
        KubernetesCutOff() {
            super(
                    "network-kubernetes-cut-off",
                    "kubernetes",
                    "The controller can end instances and can no longer know which.");
        }
    }

    static final class HalfOpen extends FaultKind {
        HalfOpen() {
            super(
                    "F49",
                    "network-half-open",
                    Area.NETWORK,
                    "The other end lost its power: no packet says so, and a connection that is waited on waits for ever.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(4);
        }

        @Override
        void strike(Strike strike) {
            strike.onFirstRunning(one -> {
                strike.world().cut("kip-*", "cell/" + one.id());
                strike.later(Duration.ofSeconds(20), () -> strike.site().cells().reboot(one.id()));
                strike.later(strike.length(), () -> strike.world().heal());
            });
        }
    }

    static final class NoNames extends FaultKind {
        NoNames() {
            super("F50", "network-no-names", Area.NETWORK, "DNS does not answer: a connection cannot even be tried.");
        }

        @Override
        void strike(Strike strike) {
            strike.fate(strike.toEc2("*"), Fate.REQUEST_LOST);
        }
    }

    static final class BlackHole extends FaultKind {
        BlackHole() {
            super(
                    "F51",
                    "network-large-packets-lost",
                    Area.NETWORK,
                    "A wrong MTU: small requests pass, a launch with its user data or a grant does not.");
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(4);
        }

        @Override
        void strike(Strike strike) {
            strike.site().network().filter((call, http, service) -> {
                boolean swallowed = strike.toCells().or(strike.toEc2("*")).test(call)
                        && http.body().length > Strike.MTU
                        && strike.lasts();
                if (swallowed) {
                    strike.hit(call.action() + " of " + http.body().length + " bytes");
                } else {
                    service.handle(http);
                }
            });
        }
    }

    static final class CertificateChanged extends FaultKind {
        CertificateChanged() {
            super(
                    "F46",
                    "network-certificate-changed",
                    Area.NETWORK,
                    "The API server shows another certificate before its authority is known everywhere: no handshake ends well.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            strike.fate(strike.toKubernetes(), Fate.REQUEST_LOST);
            strike.site().watches().open(strike.toKubernetes()).forEach(HttpCall.ResponseStream::abort);
        }
    }

    /** The wall clock of the controller's machine is wrong. */
    private abstract static class Skewed extends FaultKind {

        private final Duration by;

        Skewed(String word, Duration by, String why) {
            super("F53", word, Area.CLOCK, why);
            this.by = by;
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        String given() {
            return "{controllers: 2}";
        }

        @Override
        public Optional<String> tellsApart() {
            return Optional.of("wall-clock-ages");
        }

        @Override
        void strike(Strike strike) {
            strike.hit("the clocks step by " + by);
            strike.world().skewClock("kip-*", by);
            strike.later(strike.length(), () -> strike.world().skewClock("kip-*", Duration.ZERO));
        }
    }

    static final class ClockAhead extends Skewed {
        ClockAhead() {
            super(
                    "clock-ahead",
                    Duration.ofDays(365),
                    "Before NTP has spoken the clock is anywhere: here a year ahead, and back.");
        }
    }

    static final class ClockBehind extends Skewed {
        ClockBehind() {
            super("clock-behind", Duration.ofHours(-2), "It jumps back over every deadline that was reckoned with it.");
        }
    }

    static final class Suspended extends FaultKind {
        Suspended() {
            super(
                    "F54",
                    "machine-suspended",
                    Area.CLOCK,
                    "A machine that sleeps: its monotonic clock stands still, and the lease is over without it.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        String given() {
            return "{controllers: 2}";
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(3);
        }

        @Override
        void strike(Strike strike) {
            for (String leader : strike.world().leaders()) {
                strike.hit(leader + " is suspended");
                strike.world().suspendController(leader, strike.length());
            }
        }
    }
}
