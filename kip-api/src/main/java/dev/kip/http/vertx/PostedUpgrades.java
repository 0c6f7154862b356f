package dev.kip.http.vertx;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;

/**
 * Kubernetes upgrades POSTs as well as GETs; Vert.x lets go of the connection of a GET only. So a POST that asks for an
 * upgrade, and has no body, comes as a GET that remembers what it was.
 */
final class PostedUpgrades extends ChannelInboundHandlerAdapter {

    private static final String WAS_POST = "x-kip-was-post";

    /** On a new connection, before its first request. */
    static void accept(HttpConnection connection) {
        if (connection instanceof HttpServerConnection served) {
            ChannelHandlerContext last = served.channelHandlerContext();
            last.pipeline().addBefore(last.name(), "postedUpgrades", new PostedUpgrades());
        }
    }

    /** As the client sent it. */
    static String method(HttpServerRequest request) {
        return request.headers().contains(WAS_POST) ? "POST" : request.method().name();
    }

    static boolean isOwn(String header) {
        return header.equalsIgnoreCase(WAS_POST);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest request) {
            HttpHeaders headers = request.headers();
            headers.remove(WAS_POST);
            boolean upgrade = headers.containsValue(HttpHeaderNames.CONNECTION, "upgrade", true)
                    && headers.contains(HttpHeaderNames.UPGRADE)
                    && !headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
                    && headers.get(HttpHeaderNames.CONTENT_LENGTH, "0").equals("0");
            if (upgrade && request.method().equals(HttpMethod.POST)) {
                request.setMethod(HttpMethod.GET);
                headers.set(WAS_POST, "true");
            }
        }
        context.fireChannelRead(message);
    }
}
