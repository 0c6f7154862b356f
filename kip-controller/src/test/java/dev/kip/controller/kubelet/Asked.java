package dev.kip.controller.kubelet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import java.util.Optional;

/** A call, and what it was answered. */
final class Asked implements HttpCall {

    private final String method;
    private final String path;
    private final ImmutableListMultimap<String, String> query;
    private final ImmutableListMultimap<String, String> headers;
    private final Optional<String> peer;
    private final ImmutableList<String> groups;
    private Optional<String> answer = Optional.empty();

    private Asked(
            String method,
            String path,
            ImmutableListMultimap<String, String> query,
            ImmutableListMultimap<String, String> headers,
            Optional<String> peer,
            ImmutableList<String> groups) {
        this.method = method;
        this.path = path;
        this.query = query;
        this.headers = headers;
        this.peer = peer;
        this.groups = groups;
    }

    static Asked by(String peer, String method, String path, String... groups) {
        return new Asked(
                method,
                path,
                ImmutableListMultimap.of(),
                ImmutableListMultimap.of(),
                Optional.of(peer),
                ImmutableList.copyOf(groups));
    }

    static Asked withHeader(String authorization, String path) {
        return new Asked(
                "GET",
                path,
                ImmutableListMultimap.of(),
                ImmutableListMultimap.of("authorization", authorization),
                Optional.empty(),
                ImmutableList.of());
    }

    static Asked anonymously(String path) {
        return new Asked(
                "GET",
                path,
                ImmutableListMultimap.of(),
                ImmutableListMultimap.of(),
                Optional.empty(),
                ImmutableList.of());
    }

    Asked query(ImmutableListMultimap<String, String> parameters) {
        return new Asked(method, path, parameters, headers, peer, groups);
    }

    /** Status and body; empty until it is answered. */
    Optional<String> answer() {
        return answer;
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String rawPath() {
        return path;
    }

    @Override
    public ImmutableListMultimap<String, String> query() {
        return query;
    }

    @Override
    public ImmutableListMultimap<String, String> headers() {
        return headers;
    }

    @Override
    public byte[] body() {
        return new byte[0];
    }

    @Override
    public Optional<String> peer() {
        return peer;
    }

    @Override
    public ImmutableList<String> peerGroups() {
        return groups;
    }

    @Override
    public void respond(int status, ImmutableMap<String, String> responseHeaders, byte[] body) {
        assertThat(answer).as("answered once").isEmpty();
        answer = Optional.of(status + " " + new String(body, UTF_8));
    }

    @Override
    public ResponseStream stream(int status, ImmutableMap<String, String> responseHeaders) {
        throw new AssertionError("not asked for");
    }

    @Override
    public WebSocketPeer upgradeToWebSocket(Optional<String> subprotocol, WebSocketHandler handler) {
        throw new AssertionError("not asked for");
    }
}
