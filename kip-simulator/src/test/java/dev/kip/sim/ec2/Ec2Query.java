package dev.kip.sim.ec2;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One request in the EC2 Query protocol, straight into the service. */
final class Ec2Query implements HttpCall {

    private final String form;
    private int status;
    private String answer = "";

    private Ec2Query(String form) {
        this.form = form;
    }

    /** @param parameters names and values in turn */
    static Ec2Query send(SimEc2 ec2, String action, String... parameters) {
        StringBuilder form = new StringBuilder("Action=" + action + "&Version=2016-11-15");
        for (int i = 0; i < parameters.length; i += 2) {
            form.append('&')
                    .append(parameters[i])
                    .append('=')
                    .append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
        }
        Ec2Query query = new Ec2Query(form.toString());
        ec2.handle(query);
        return query;
    }

    Ec2Query ok() {
        assertThat(status).as(answer).isEqualTo(200);
        return this;
    }

    /** The error code of a refusal. */
    String code() {
        assertThat(status).as(answer).isGreaterThanOrEqualTo(400);
        return first("Code");
    }

    int status() {
        return status;
    }

    String first(String element) {
        return all(element).get(0);
    }

    List<String> all(String element) {
        Matcher matcher =
                Pattern.compile("<" + element + ">([^<]*)</" + element + ">").matcher(answer);
        List<String> found = new ArrayList<>();
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    String answer() {
        return answer;
    }

    @Override
    public String method() {
        return "POST";
    }

    @Override
    public String rawPath() {
        return "/";
    }

    @Override
    public ImmutableListMultimap<String, String> query() {
        return ImmutableListMultimap.of();
    }

    @Override
    public ImmutableListMultimap<String, String> headers() {
        return ImmutableListMultimap.of();
    }

    @Override
    public byte[] body() {
        return form.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Optional<String> peer() {
        return Optional.empty();
    }

    @Override
    public void respond(int code, ImmutableMap<String, String> headers, byte[] body) {
        status = code;
        answer = new String(body, StandardCharsets.UTF_8);
    }

    @Override
    public ResponseStream stream(int code, ImmutableMap<String, String> headers) {
        throw new UnsupportedOperationException();
    }

    @Override
    public WebSocketPeer upgradeToWebSocket(Optional<String> subprotocol, WebSocketHandler handler) {
        throw new UnsupportedOperationException();
    }
}
