package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.wall.HttpFraming.Message;
import dev.kip.sim.wall.Way.Passage;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the story lets the cloud refuse, and what an emulator of EC2 lacks: moto launches MinCount of MaxCount instances and
 * knows no client tokens, both of which AWS documents. Shared by all controllers; any thread.
 */
final class CloudGate {

    /** Megabytes that moto takes seconds to say, the same each time. */
    private static final ImmutableList<String> CONSTANT = ImmutableList.of(
            "DescribeInstanceTypes", "DescribeImages", "DescribeInstanceTypeOfferings", "DescribeSpotPriceHistory");

    private static final Pattern MAX_COUNT = Pattern.compile("(?:^|&)MaxCount=(\\d+)");
    private static final Pattern MIN_COUNT = Pattern.compile("(^|&)MinCount=\\d+");
    private static final Pattern WHEN = Pattern.compile("&(?:StartTime|EndTime)=[^&]*");
    private static final Pattern TOKEN = Pattern.compile("(?:^|&)ClientToken=([^&]+)");

    private final Set<String> denied = new LinkedHashSet<>();
    /** Of a launch with a client token. */
    private final Answers launches = new Answers();

    private final Answers constants;
    private boolean noRoom;

    /** @param constants what the cloud says the same each time */
    CloudGate(Answers constants) {
        this.constants = constants;
    }

    synchronized void deny(String action) {
        denied.add(action);
    }

    synchronized void noRoom() {
        noRoom = true;
    }

    synchronized void heal() {
        denied.clear();
        noRoom = false;
    }

    /** @param arrives as the story's faults have it */
    synchronized Passage judge(Call call, Passage arrives) {
        if (!call.to().equals("ec2")) {
            return arrives;
        }
        Message request = arrives.request();
        if (denied.contains(call.action())) {
            return Passage.answered(
                    request,
                    failure(
                            "403 Forbidden",
                            "UnauthorizedOperation",
                            "You are not authorized to perform this operation."));
        }
        if (call.action().equals("RunInstances")) {
            return launch(arrives);
        }
        if (CONSTANT.contains(call.action())) {
            return constants.passage(question(request), arrives);
        }
        return arrives;
    }

    private Passage launch(Passage arrives) {
        if (noRoom) {
            return Passage.answered(
                    arrives.request(),
                    failure(
                            "500 Internal Server Error",
                            "InsufficientInstanceCapacity",
                            "We currently do not have sufficient capacity in the Availability Zone you requested."));
        }
        String body = arrives.request().content();
        Matcher most = MAX_COUNT.matcher(body);
        String whole = most.find() ? MIN_COUNT.matcher(body).replaceFirst("$1MinCount=" + most.group(1)) : body;
        Passage asked = arrives.with(withBody(arrives.request(), whole));
        Matcher token = TOKEN.matcher(body);
        return token.find()
                ? launches.passage("token " + URLDecoder.decode(token.group(1), StandardCharsets.UTF_8), asked)
                : asked;
    }

    /** Without what says when it is asked. */
    private static String question(Message request) {
        return WHEN.matcher(request.content()).replaceAll("");
    }

    private static Message withBody(Message request, String body) {
        StringBuilder head = new StringBuilder();
        request.head()
                .lines()
                .filter(line -> !line.isBlank() && !line.regionMatches(true, 0, "Content-Length:", 0, 15))
                .filter(line -> !line.regionMatches(true, 0, "Transfer-Encoding:", 0, 18))
                .forEach(line -> head.append(line).append("\r\n"));
        head.append("Content-Length: ").append(body.length()).append("\r\n\r\n");
        return new Message(head.toString(), head + body, body);
    }

    private static String failure(String status, String code, String message) {
        String body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Errors><Error><Code>" + code
                + "</Code><Message>" + message + "</Message></Error></Errors><RequestID>"
                + "00000000-0000-0000-0000-000000000000</RequestID></Response>";
        return "HTTP/1.1 " + status + "\r\nContent-Type: text/xml\r\nContent-Length: " + body.length() + "\r\n\r\n"
                + body;
    }
}
