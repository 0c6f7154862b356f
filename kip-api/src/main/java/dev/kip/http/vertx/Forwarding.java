package dev.kip.http.vertx;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.http.Forwarder.Forwarded;
import dev.kip.http.Forwarder.Onward;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.impl.HttpClientConnection;
import io.vertx.core.internal.net.NetSocketInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** One call handed on. Confined to the thread of the client's socket, but for {@link #abort} and what ends it. */
final class Forwarding implements Forwarded {

    /** Of one connection, not of the message; and what would tell the other server the client's secret. */
    private static final ImmutableSet<String> OWN = ImmutableSet.of(
            "host",
            "authorization",
            "connection",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "content-length",
            "upgrade");

    private static final Optional<String> PLAIN = Optional.of("text/plain; charset=utf-8");
    private static final int LONGEST_PROBLEM = 64 << 10;

    private final VertxCall call;
    private final HttpServerRequest request;
    private final Onward onward;
    private final VertxForwarder.Settings settings;
    private final Vertx vertx;
    private final HttpClient client;
    private final Runnable ended;
    private final boolean upgrade;
    private final List<Runnable> cuts = new ArrayList<>();
    private Optional<SpliceSide> far = Optional.empty();
    private Optional<Splice> spliced = Optional.empty();
    private boolean passing;
    private boolean over;

    Forwarding(
            VertxCall call,
            Onward onward,
            VertxForwarder.Settings settings,
            Vertx vertx,
            HttpClient client,
            Runnable ended) {
        this.call = call;
        this.request = call.request();
        this.onward = onward;
        this.settings = settings;
        this.vertx = vertx;
        this.client = client;
        this.ended = ended;
        this.upgrade = request.headers().contains("upgrade");
    }

    /** On the client's socket's thread. */
    void begin() {
        if (request.canUpgradeToWebSocket()) {
            request.resume();
        }
        if (request.response().closed()) {
            end();
            return;
        }
        request.response().exceptionHandler(broken -> {}); // the close handler follows
        request.response().closeHandler(left -> leave());
        RequestOptions options = new RequestOptions()
                .setHost(onward.host())
                .setPort(onward.port())
                .setMethod(upgrade ? HttpMethod.GET : request.method())
                .setURI(onward.uri())
                .setConnectTimeout(settings.connectTimeout().toMillis());
        client.request(options).onComplete(this::send, this::missed);
    }

    @Override
    public void abort() {
        call.context().runOnContext(on -> {
            if (spliced.isPresent()) {
                spliced.get().lose();
            } else if (passing) {
                ImmutableList.copyOf(cuts).forEach(Runnable::run); // the pipe breaks, and says so
            } else {
                ImmutableList<Runnable> under = ImmutableList.copyOf(cuts);
                refuse(502, PLAIN, lost() + "\n");
                under.forEach(Runnable::run);
            }
        });
    }

    private String lost() {
        return "the connection to " + onward.who() + " was lost";
    }

    private void send(HttpClientRequest out) {
        out.exceptionHandler(broken -> {}); // what it was sent for tells
        if (over) {
            out.reset();
            return;
        }
        cuts.add(out::reset);
        for (Map.Entry<String, String> header : request.headers()) {
            if (!OWN.contains(header.getKey().toLowerCase(Locale.ROOT)) && !PostedUpgrades.isOwn(header.getKey())) {
                out.headers().add(header.getKey(), header.getValue());
            }
        }
        onward.authorization().ifPresent(value -> out.putHeader("authorization", value));
        if (upgrade) {
            out.putHeader("connection", "Upgrade");
            out.putHeader("upgrade", request.getHeader("upgrade"));
            far = Optional.of(SpliceSide.awaiting(((HttpClientConnection) out.connection()).channelHandlerContext()));
            out.connect().onComplete(this::answered, this::missed);
        } else {
            out.send(Buffer.buffer(call.body())).onComplete(this::answered, this::missed);
        }
    }

    private void answered(HttpClientResponse in) {
        in.exceptionHandler(broken -> {}); // pipes and bodies tell
        if (over) {
            in.request().reset();
        } else if (in.statusCode() == 101) {
            join(in);
        } else if (in.statusCode() >= 400) {
            refuse(in);
        } else {
            pass(in);
        }
    }

    private void join(HttpClientResponse in) {
        HttpServerResponse out = request.response();
        out.closeHandler(null);
        for (Map.Entry<String, String> header : in.headers()) {
            out.headers().add(header.getKey(), header.getValue());
        }
        out.setStatusCode(101);
        request.toNetSocket()
                .onComplete(
                        near -> splice((NetSocketInternal) near, far.orElseThrow(), Epilogues.of(in, lost())), gone -> {
                            leave();
                            request.connection().close();
                        });
    }

    private void splice(NetSocketInternal near, SpliceSide other, Epilogue epilogue) {
        if (over) {
            other.close();
            near.close();
            return;
        }
        cuts.clear();
        Splice splice = Splice.join(
                Timers.of(vertx),
                SpliceSide.upgraded(near.channelHandlerContext()),
                other,
                epilogue,
                settings.idle(),
                () -> call.context().runOnContext(on -> end()));
        spliced = Optional.of(splice);
        cuts.add(splice::cut);
    }

    private void refuse(HttpClientResponse in) {
        in.body()
                .onComplete(
                        body -> refuse(
                                in.statusCode(),
                                Optional.ofNullable(in.getHeader("content-type")),
                                body.getString(0, Math.min(body.length(), LONGEST_PROBLEM), "UTF-8")),
                        this::missed);
    }

    private void refuse(int status, Optional<String> type, String text) {
        String worded = onward.problems().word(status, text);
        answer(status, onward.problems().contentType().or(() -> type), worded.getBytes(UTF_8));
    }

    private void pass(HttpClientResponse in) {
        in.pause();
        passing = true;
        HttpServerResponse out = request.response();
        out.setStatusCode(in.statusCode());
        for (Map.Entry<String, String> header : in.headers()) {
            if (!OWN.contains(header.getKey().toLowerCase(Locale.ROOT))) {
                out.headers().add(header.getKey(), header.getValue());
            }
        }
        String length = in.getHeader("content-length");
        if (length == null) {
            out.setChunked(true);
        } else {
            out.putHeader("content-length", length);
        }
        out.writeHead(); // a client that follows waits for it
        // What is cut must not look whole: the client's connection is cut as well.
        in.pipe().endOnFailure(false).to(out).onComplete(done -> end(), broken -> breakOff(length == null));
    }

    /** @param says a line of its own ends what has no length that was promised, as a kubelet ends logs it cannot follow */
    private void breakOff(boolean says) {
        if (over || !says || request.response().closed()) {
            leave();
            request.connection().close();
            return;
        }
        request.response().write("\n" + lost() + "\n").onComplete(told -> {
            leave();
            request.connection().close();
        });
    }

    private void missed(Throwable why) {
        refuse(502, PLAIN, onward.who() + " does not answer: " + reason(why) + "\n");
    }

    private static String reason(Throwable why) {
        Throwable root = why;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root == why ? why.getMessage() : why.getMessage() + ": " + root.getMessage());
    }

    private void answer(int status, Optional<String> type, byte[] body) {
        HttpServerResponse out = request.response();
        if (!over && !out.closed() && !out.headWritten()) {
            out.setStatusCode(status);
            type.ifPresent(value -> out.putHeader("content-type", value));
            out.end(Buffer.buffer(body));
        }
        end();
    }

    private void leave() {
        if (!over) {
            ImmutableList.copyOf(cuts).forEach(Runnable::run); // one of them may end it
            end();
        }
    }

    private void end() {
        if (!over) {
            over = true;
            cuts.clear();
            call.loop().post(ended);
        }
    }
}
