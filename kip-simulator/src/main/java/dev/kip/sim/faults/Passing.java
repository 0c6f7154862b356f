package dev.kip.sim.faults;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import java.util.Optional;

/** A call that is passed on as it is; a fault overrides what it changes. */
public class Passing implements HttpCall {

    private final HttpCall real;

    public Passing(HttpCall real) {
        this.real = real;
    }

    @Override
    public String method() {
        return real.method();
    }

    @Override
    public String rawPath() {
        return real.rawPath();
    }

    @Override
    public ImmutableListMultimap<String, String> query() {
        return real.query();
    }

    @Override
    public ImmutableListMultimap<String, String> headers() {
        return real.headers();
    }

    @Override
    public byte[] body() {
        return real.body();
    }

    @Override
    public Optional<String> peer() {
        return real.peer();
    }

    @Override
    public ImmutableList<String> peerGroups() {
        return real.peerGroups();
    }

    @Override
    public void respond(int status, ImmutableMap<String, String> headers, byte[] body) {
        real.respond(status, headers, body);
    }

    @Override
    public ResponseStream stream(int status, ImmutableMap<String, String> headers) {
        return real.stream(status, headers);
    }

    @Override
    public WebSocketPeer upgradeToWebSocket(Optional<String> subprotocol, WebSocketHandler handler) {
        return real.upgradeToWebSocket(subprotocol, handler);
    }

    /** Does what is asked and answers nobody. */
    public static HttpCall intoTheVoid(HttpCall real) {
        return new Passing(real) {
            @Override
            public void respond(int status, ImmutableMap<String, String> headers, byte[] body) {
                // nobody hears it
            }

            @Override
            public ResponseStream stream(int status, ImmutableMap<String, String> headers) {
                return new ResponseStream() {
                    @Override
                    public void write(byte[] piece) {
                        // nobody hears it
                    }

                    @Override
                    public void end() {
                        // nobody hears it
                    }

                    @Override
                    public void abort() {
                        // nobody hears it
                    }

                    @Override
                    public void onClose(Runnable task) {
                        task.run();
                    }
                };
            }
        };
    }
}
