package dev.kip.sim.faults;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** What EC2 answers and does on a bad day. */
final class CloudFaults {

    private CloudFaults() {}

    static ImmutableList<FaultKind> all() {
        return ImmutableList.<FaultKind>builder()
                .add(new LaunchReplyLost(), new LaunchRequestLost(), new TokenMismatch(), new TokenOfEnded())
                .add(new NoCapacity(), new NoCapacityInAZone())
                .add(new VcpuLimit(), new NoAddresses(), new InterfaceLimit())
                .add(new ImageGone(), new Unsupported())
                .add(new DescribeHides(), new DescribeGoesBack())
                .add(new SmallPages(), new EmptyPage(), new PageTokenExpired())
                .add(new RequestLimit(), new CloudUnavailable(), new CloudInternalError())
                .add(new EndingIgnored(), new EndingForbidden())
                .add(new DiesWhilePending(), new PermissionMissing(), new CredentialsExpired(), new SignatureRefused())
                .add(new AddressLate(), new Stopped(), new EndedByHand(), new TagsEdited(), new TagsCopied())
                .add(new TakenBack())
                .build();
    }

    static final class LaunchReplyLost extends FaultKind {
        LaunchReplyLost() {
            super(
                    "F56",
                    "launch-reply-lost",
                    Area.CLOUD,
                    "Instances run that nobody was told of; only the token of the call leads back to them.");
        }

        @Override
        int times() {
            return 2;
        }

        @Override
        void strike(Strike strike) {
            strike.fate(strike.toEc2("RunInstances").or(strike.toEc2("CreateFleet")), Fate.REPLY_LOST);
        }
    }

    static final class LaunchRequestLost extends FaultKind {
        LaunchRequestLost() {
            super("F56", "launch-request-lost", Area.CLOUD, "The same to the sender, and nothing runs.");
        }

        @Override
        int times() {
            return 2;
        }

        @Override
        void strike(Strike strike) {
            strike.fate(strike.toEc2("RunInstances").or(strike.toEc2("CreateFleet")), Fate.SILENCE);
        }
    }

    /** Some or all calls of an action fail. */
    private abstract static class Failing extends FaultKind {

        private final String action;
        private final int status;
        private final String code;
        private final String message;

        Failing(String id, String word, String action, int status, String code, String message, String why) {
            super(id, word, Area.CLOUD, why);
            this.action = action;
            this.status = status;
            this.code = code;
            this.message = message;
        }

        @Override
        void strike(Strike strike) {
            strike.ec2Error(action, status, code, message);
        }
    }

    static final class TokenMismatch extends Failing {
        TokenMismatch() {
            super(
                    "F57",
                    "launch-token-mismatch",
                    "RunInstances",
                    400,
                    "IdempotentParameterMismatch",
                    "The client token you have provided is associated with another request",
                    "A token was used with other parameters before: it can never succeed again.");
        }

        @Override
        int times() {
            return 1;
        }
    }

    static final class TokenOfEnded extends Failing {
        TokenOfEnded() {
            super(
                    "F57",
                    "launch-token-of-ended",
                    "RunInstances",
                    400,
                    "IdempotentInstanceTerminated",
                    "The instances of this client token have been terminated",
                    "What a token launched has ended meanwhile: asking again with it brings nothing back.");
        }

        @Override
        int times() {
            return 1;
        }
    }

    static final class NoCapacity extends FaultKind {
        NoCapacity() {
            super(
                    "F58",
                    "no-capacity",
                    Area.CLOUD,
                    "There is room for nothing, of no type and in no zone, for minutes.");
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(5);
        }

        @Override
        void strike(Strike strike) {
            strike.hit("no room");
            strike.site().ec2().capacity().leave("*", "*", "*", 0);
            strike.later(strike.length(), () -> strike.site().ec2().capacity().restore());
        }
    }

    static final class NoCapacityInAZone extends FaultKind {
        NoCapacityInAZone() {
            super(
                    "F58",
                    "no-capacity-of-a-type",
                    Area.CLOUD,
                    "The best type has run out; the next one costs more and is there.");
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(30);
        }

        @Override
        void strike(Strike strike) {
            strike.hit("no room for small types");
            for (String type : ImmutableList.of("m7a.medium", "t3a.nano", "t3.nano", "m6a.medium", "c7a.medium")) {
                strike.site().ec2().capacity().leave(type, "*", "*", 0);
            }
            strike.later(strike.length(), () -> strike.site().ec2().capacity().restore());
        }
    }

    static final class VcpuLimit extends Failing {
        VcpuLimit() {
            super(
                    "F59",
                    "quota-vcpu",
                    "RunInstances",
                    400,
                    "VcpuLimitExceeded",
                    "You have requested more vCPU capacity than your current vCPU limit of 32 allows",
                    "The account's quota is used up, by whomever: other types of the family do not help.");
        }
    }

    static final class NoAddresses extends Failing {
        NoAddresses() {
            super(
                    "F59",
                    "quota-addresses",
                    "RunInstances",
                    400,
                    "InsufficientFreeAddressesInSubnet",
                    "There are not enough free addresses in subnet to satisfy the requested number of instances",
                    "A subnet is full; another one may not be.");
        }
    }

    static final class InterfaceLimit extends Failing {
        InterfaceLimit() {
            super(
                    "F59",
                    "quota-interfaces",
                    "RunInstances",
                    400,
                    "NetworkInterfaceLimitExceeded",
                    "You have reached your limit of network interfaces",
                    "A quota that nobody looks at until it is reached.");
        }
    }

    static final class ImageGone extends Failing {
        ImageGone() {
            super(
                    "F60",
                    "image-gone",
                    "RunInstances",
                    400,
                    "InvalidAMIID.NotFound",
                    "The image id does not exist",
                    "An image is deregistered while it is in use: what was found an hour ago must be looked for again.");
        }

        @Override
        int times() {
            return 3;
        }
    }

    static final class Unsupported extends Failing {
        Unsupported() {
            super(
                    "F60",
                    "launch-unsupported",
                    "RunInstances",
                    400,
                    "Unsupported",
                    "Your requested instance type is not supported in your requested Availability Zone",
                    "Offerings differ by zone, and what describes them lags.");
        }

        @Override
        int times() {
            return 3;
        }
    }

    static final class DescribeHides extends FaultKind {
        DescribeHides() {
            super(
                    "F61",
                    "describe-lags",
                    Area.CLOUD,
                    "A list of instances does not show new ones for a minute: absence proves nothing.");
        }

        @Override
        void strike(Strike strike) {
            Set<String> known = new LinkedHashSet<>();
            strike.site().ec2().instances().forEach(one -> known.add(one.id()));
            strike.rewrite(strike.toEc2("DescribeInstances"), body -> Reservations.keep(body, known::contains));
        }
    }

    static final class DescribeGoesBack extends FaultKind {
        DescribeGoesBack() {
            super("F62", "describe-goes-back", Area.CLOUD, "A second look shows an older state than the first one.");
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(3);
        }

        @Override
        void strike(Strike strike) {
            Map<String, String> older = new LinkedHashMap<>();
            strike.serve(strike.toEc2("DescribeInstances"), (call, http, service) -> {
                String asked = new String(http.body(), StandardCharsets.UTF_8);
                service.handle(new Passing(http) {
                    @Override
                    public void respond(int status, ImmutableMap<String, String> headers, byte[] body) {
                        String fresh = new String(body, StandardCharsets.UTF_8);
                        String before = older.remove(asked);
                        if (before == null) {
                            older.put(asked, fresh);
                        }
                        String told = before == null ? fresh : before;
                        super.respond(status, headers, told.getBytes(StandardCharsets.UTF_8));
                    }
                });
            });
        }
    }

    static final class SmallPages extends FaultKind {
        SmallPages() {
            super("F63", "pages-are-small", Area.CLOUD, "A service may give fewer on a page than were asked for.");
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(5);
        }

        @Override
        void strike(Strike strike) {
            strike.serve(
                    strike.toEc2("Describe*"),
                    (call, http, service) ->
                            service.handle(withBody(http, text(http).replaceAll("MaxResults=\\d+", "MaxResults=5"))));
        }
    }

    static final class EmptyPage extends FaultKind {
        private static final String TOKEN = "an-empty-page-came-before";

        EmptyPage() {
            super("F63", "page-is-empty", Area.CLOUD, "A page may be empty and not be the last one.");
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(5);
        }

        @Override
        void strike(Strike strike) {
            strike.serve(strike.toEc2("DescribeInstances"), (call, http, service) -> {
                String asked = text(http);
                if (asked.contains("NextToken=" + TOKEN)) {
                    service.handle(withBody(http, asked.replaceAll("&?NextToken=" + TOKEN, "")));
                } else if (asked.contains("NextToken=") || asked.contains("InstanceId.1=")) {
                    service.handle(http);
                } else {
                    http.respond(
                            200,
                            ImmutableMap.of("Content-Type", "text/xml;charset=UTF-8"),
                            ("<DescribeInstancesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">"
                                            + "<requestId>0</requestId><reservationSet/><nextToken>" + TOKEN
                                            + "</nextToken></DescribeInstancesResponse>")
                                    .getBytes(StandardCharsets.UTF_8));
                }
            });
        }
    }

    static final class PageTokenExpired extends FaultKind {
        PageTokenExpired() {
            super(
                    "F63",
                    "page-token-expired",
                    Area.CLOUD,
                    "The rest of a list cannot be had: what is known of it is a part.");
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(3);
        }

        @Override
        void strike(Strike strike) {
            strike.serve(strike.toEc2("DescribeInstances"), (call, http, service) -> {
                String asked = text(http);
                if (asked.contains("NextToken=")) {
                    http.respond(
                            400,
                            ImmutableMap.of("Content-Type", "text/xml;charset=UTF-8"),
                            "<Response><Errors><Error><Code>InvalidNextToken</Code><Message>expired</Message></Error></Errors><RequestID>0</RequestID></Response>"
                                    .getBytes(StandardCharsets.UTF_8));
                } else {
                    service.handle(new Passing(http) {
                        @Override
                        public void respond(int status, ImmutableMap<String, String> headers, byte[] body) {
                            super.respond(
                                    status,
                                    headers,
                                    new String(body, StandardCharsets.UTF_8)
                                            .replace(
                                                    "</DescribeInstancesResponse>",
                                                    "<nextToken>soon-over</nextToken></DescribeInstancesResponse>")
                                            .getBytes(StandardCharsets.UTF_8));
                        }
                    });
                }
            });
        }
    }

    static final class RequestLimit extends Failing {
        RequestLimit() {
            super(
                    "F64",
                    "cloud-throttles",
                    "*",
                    503,
                    "RequestLimitExceeded",
                    "Request limit exceeded.",
                    "Somebody else in the account has used up its rate: asking more often makes it worse.");
        }
    }

    static final class CloudUnavailable extends Failing {
        CloudUnavailable() {
            super(
                    "F64",
                    "cloud-unavailable",
                    "*",
                    503,
                    "Unavailable",
                    "The service is unavailable. Please try again shortly.",
                    "EC2's control plane is down, and instances run on.");
        }

        @Override
        Moment moment() {
            return Moment.ENDING;
        }
    }

    static final class CloudInternalError extends Failing {
        CloudInternalError() {
            super(
                    "F64",
                    "cloud-internal-error",
                    "*",
                    500,
                    "InternalError",
                    "An internal error has occurred",
                    "It may have been done or not: nobody says.");
        }

        @Override
        int times() {
            return 6;
        }
    }

    static final class EndingIgnored extends FaultKind {
        EndingIgnored() {
            super("F65", "ending-ignored", Area.CLOUD, "Terminate is answered with success, and the instance runs on.");
        }

        @Override
        Moment moment() {
            return Moment.ENDING;
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(3);
        }

        @Override
        int times() {
            return 2;
        }

        @Override
        void strike(Strike strike) {
            strike.answer(
                    strike.toEc2("TerminateInstances"),
                    200,
                    "text/xml;charset=UTF-8",
                    "<TerminateInstancesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>0</requestId><instancesSet/></TerminateInstancesResponse>");
        }
    }

    static final class EndingForbidden extends Failing {
        EndingForbidden() {
            super(
                    "F65",
                    "ending-protected",
                    "TerminateInstances",
                    400,
                    "OperationNotPermitted",
                    "The instance may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.",
                    "Somebody protects an instance against being ended.");
        }

        @Override
        Moment moment() {
            return Moment.ENDING;
        }

        @Override
        Duration length() {
            return Duration.ofMinutes(3);
        }
    }

    static final class DiesWhilePending extends FaultKind {
        DiesWhilePending() {
            super(
                    "F66",
                    "instance-dies-at-birth",
                    Area.CLOUD,
                    "A volume that cannot be had ends an instance before it ran.");
        }

        @Override
        int times() {
            return 2;
        }

        @Override
        void strike(Strike strike) {
            strike.every(Duration.ofMillis(500), () -> {
                for (SimEc2.Sight one : strike.launched()) {
                    if (one.state().equals("pending") && strike.hits() < times()) {
                        strike.hit(one.id() + " ends while it is pending");
                        strike.site().ec2().endFromOutside(one.id());
                    }
                }
            });
        }
    }

    static final class PermissionMissing extends Failing {
        PermissionMissing() {
            super(
                    "F71",
                    "permission-missing",
                    "CreateTags",
                    403,
                    "UnauthorizedOperation",
                    "You are not authorized to perform this operation.",
                    "One permission of many was taken away; here that to launch with a role.");
        }

        @Override
        void strike(Strike strike) {
            strike.ec2Error(
                    "RunInstances", 403, "UnauthorizedOperation", "You are not authorized to perform: iam:PassRole");
        }
    }

    static final class CredentialsExpired extends Failing {
        CredentialsExpired() {
            super(
                    "F71",
                    "credentials-expired",
                    "*",
                    400,
                    "RequestExpired",
                    "Request has expired.",
                    "A role's session is over, and the next one is late.");
        }
    }

    static final class SignatureRefused extends Failing {
        SignatureRefused() {
            super(
                    "F71",
                    "signature-refused",
                    "*",
                    401,
                    "AuthFailure",
                    "AWS was not able to validate the provided access credentials",
                    "With a clock that is wrong by more than minutes no signature is accepted.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }
    }

    static final class AddressLate extends FaultKind {
        AddressLate() {
            super("F72", "address-late", Area.CLOUD, "An instance is shown running before its address is.");
        }

        @Override
        void strike(Strike strike) {
            strike.rewrite(
                    strike.toEc2("DescribeInstances").or(strike.toEc2("RunInstances")),
                    body -> body.replaceAll("<privateIpAddress>[^<]*</privateIpAddress>", ""));
        }
    }

    static final class Stopped extends FaultKind {
        Stopped() {
            super(
                    "F69",
                    "instance-stopped",
                    Area.CLOUD,
                    "A host is retired, or somebody saves money: the instance stops and keeps its disk.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            strike.onFirstRunning(one -> strike.world().stop(one.id()));
        }
    }

    static final class EndedByHand extends FaultKind {
        EndedByHand() {
            super("F70", "instance-ended-by-hand", Area.CLOUD, "Somebody ends it in the console.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            strike.onFirstRunning(one -> strike.world().terminate(one.id()));
        }
    }

    static final class TagsEdited extends FaultKind {
        TagsEdited() {
            super(
                    "F70",
                    "tags-stripped",
                    Area.CLOUD,
                    "A bot that tidies up takes all tags off: what is ours no longer says so.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            strike.onFirstRunning(one -> strike.world()
                    .tag(one.id(), ImmutableMap.of(), one.tags().keySet().asList()));
        }
    }

    static final class TagsCopied extends FaultKind {
        TagsCopied() {
            super(
                    "F70",
                    "tags-copied",
                    Area.CLOUD,
                    "Somebody launches \"one more like this\": a stranger with all of our tags.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        public java.util.Optional<String> tellsApart() {
            return java.util.Optional.of("without-g1");
        }

        @Override
        void strike(Strike strike) {
            strike.onFirstRunning(one -> strike.world().launchStrangers(1, own(one.tags())));
        }
    }

    static final class TakenBack extends FaultKind {
        TakenBack() {
            super(
                    "F68",
                    "spot-taken-back",
                    Area.CLOUD,
                    "EC2 takes a spot instance back, without the two minutes that it promises.");
        }

        @Override
        Moment moment() {
            return Moment.RUNNING;
        }

        @Override
        void strike(Strike strike) {
            strike.onFirstRunning(one -> strike.site().ec2().reclaim(one.id()));
        }
    }

    /** Nobody can set those of AWS itself. */
    private static ImmutableMap<String, String> own(Map<String, String> tags) {
        return tags.entrySet().stream()
                .filter(tag -> !tag.getKey().startsWith("aws:"))
                .collect(ImmutableMap.toImmutableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static String text(HttpCall http) {
        return new String(http.body(), StandardCharsets.UTF_8);
    }

    private static HttpCall withBody(HttpCall http, String body) {
        return new Passing(http) {
            @Override
            public byte[] body() {
                return body.getBytes(StandardCharsets.UTF_8);
            }
        };
    }
}
