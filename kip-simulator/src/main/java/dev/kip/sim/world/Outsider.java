package dev.kip.sim.world;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.sim.ec2.SimEc2;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/** Someone else with credentials of the account: a person, a bot, another tool. Its calls are answered at once. */
final class Outsider {

    private static final String TOKEN = "outsider-";

    private final SimEc2 ec2;
    private int launches;

    Outsider(SimEc2 ec2) {
        this.ec2 = ec2;
    }

    void tag(String resource, Map<String, String> tags) {
        StringBuilder form = new StringBuilder("Action=CreateTags&ResourceId.1=" + resource);
        int n = 0;
        for (Map.Entry<String, String> tag : tags.entrySet()) {
            n++;
            form.append(parameter("Tag." + n + ".Key", tag.getKey()))
                    .append(parameter("Tag." + n + ".Value", tag.getValue()));
        }
        if (n > 0) {
            send(form.toString());
        }
    }

    void untag(String resource, Iterable<String> keys) {
        StringBuilder form = new StringBuilder("Action=DeleteTags&ResourceId.1=" + resource);
        int n = 0;
        for (String key : keys) {
            n++;
            form.append(parameter("Tag." + n + ".Key", key));
        }
        if (n > 0) {
            send(form.toString());
        }
    }

    /** Instances that are no cells. */
    void launch(int count, Map<String, String> tags) {
        StringBuilder form = new StringBuilder("Action=RunInstances&ImageId=ami-0a1b2c3d4e5f60003&InstanceType=t3.micro"
                + "&ClientToken=" + TOKEN + launches++ + "&MinCount=" + count + "&MaxCount=" + count
                + "&TagSpecification.1.ResourceType=instance");
        int n = 0;
        for (Map.Entry<String, String> tag : tags.entrySet()) {
            n++;
            form.append(parameter("TagSpecification.1.Tag." + n + ".Key", tag.getKey()))
                    .append(parameter("TagSpecification.1.Tag." + n + ".Value", tag.getValue()));
        }
        send(form.toString());
    }

    /** Whether the instance with this token is of its making. */
    boolean launched(String clientToken) {
        return clientToken.startsWith(TOKEN);
    }

    private static String parameter(String name, String value) {
        return "&" + name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private void send(String form) {
        Form call = new Form(form);
        ec2.handle(call);
        if (call.status != 200 && !call.answer.contains("InvalidInstanceID.NotFound")) {
            throw new IllegalStateException("the cloud refused an outsider: " + call.answer + " to " + form);
        }
    }

    private static final class Form implements HttpCall {

        private final String form;
        private int status;
        private String answer = "";

        Form(String form) {
            this.form = form + "&Version=2016-11-15";
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
            throw new UnsupportedOperationException("EC2 answers as a whole");
        }

        @Override
        public WebSocketPeer upgradeToWebSocket(Optional<String> subprotocol, WebSocketHandler handler) {
            throw new UnsupportedOperationException("EC2 knows no WebSockets");
        }
    }
}
