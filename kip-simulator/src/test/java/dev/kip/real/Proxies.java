package dev.kip.real;

import com.google.common.collect.ImmutableList;
import dev.kip.real.CallCounter.Call;
import dev.kip.sim.wall.HttpFraming.Message;
import dev.kip.sim.wall.Way;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;

/** A counting proxy before each of the two servers that the controller changes things on. */
final class Proxies implements AutoCloseable {
    private static final Pattern EC2_ACTION = Pattern.compile("(?:^|&)Action=([A-Za-z]+)");
    private static final Pattern EC2_READING = Pattern.compile("Describe.*|Get.*");
    private static final Pattern OBJECT_NAME = Pattern.compile("\"name\":\"([^\"]+)\"");

    /** Megabytes that moto takes seconds to say, the same each time. */
    private static final ImmutableList<String> CONSTANT = ImmutableList.of("DescribeInstanceTypes", "DescribeImages");

    private final CallCounter counter;
    private final Way kubernetes;
    private final Way ec2;

    Proxies(RealCluster cluster, CallCounter counter) throws IOException {
        this.counter = counter;
        this.kubernetes = new Way(
                cluster.kubernetes(),
                Tls.client(cluster.certificateAuthority()).getSocketFactory(),
                Tls.server(
                                cluster.directory().resolve("pki/server.crt"),
                                cluster.directory().resolve("pki/server.key"))
                        .getServerSocketFactory(),
                true,
                new CountingGate(counter, Proxies::changesKubernetes, request -> false),
                Optional.empty());
        this.ec2 = new Way(
                cluster.ec2(),
                SocketFactory.getDefault(),
                ServerSocketFactory.getDefault(),
                false,
                new CountingGate(
                        counter,
                        Proxies::changesEc2,
                        request -> action(request).filter(CONSTANT::contains).isPresent()),
                Optional.empty());
    }

    URI kubernetes() {
        return kubernetes.address();
    }

    URI ec2() {
        return ec2.address();
    }

    /** Counting begins anew; the k-th call kills the controller and cuts all its connections. */
    void arm(int k, CallCounter.Death death, ControllerProcess controller) {
        counter.arm(k, death, () -> {
            controller.kill9();
            kubernetes.drop();
            ec2.drop();
        });
    }

    /** Renewals of leases come by the clock, not by the story: they do not count. */
    private static Optional<Call> changesKubernetes(Message request) {
        String path = request.target().replaceFirst("\\?.*", "");
        boolean renewal = path.contains("/leases/") && !request.method().equals("DELETE");
        return request.method().equals("GET") || renewal
                ? Optional.empty()
                : Optional.of(new Call("kubernetes", request.method(), what(path, request)));
    }

    private static String what(String path, Message request) {
        String place = path.replaceFirst("^/apis?/(?:[^/]+/)?v[0-9a-z]+/", "");
        Matcher name = OBJECT_NAME.matcher(request.content());
        return request.method().equals("POST") && name.find() ? place + " " + name.group(1) : place;
    }

    private static Optional<Call> changesEc2(Message request) {
        return action(request)
                .filter(action -> !EC2_READING.matcher(action).matches())
                .map(action -> new Call("ec2", request.method(), action));
    }

    private static Optional<String> action(Message request) {
        Matcher action = EC2_ACTION.matcher(URLDecoder.decode(request.content(), StandardCharsets.UTF_8));
        return action.find() ? Optional.of(action.group(1)) : Optional.empty();
    }

    @Override
    public void close() {
        kubernetes.close();
        ec2.close();
    }
}
