package dev.kip.http.vertx;

import io.netty.buffer.ByteBuf;
import java.util.Optional;

/**
 * What is still said to a client whose server falls silent in the middle of an upgraded stream: in that stream's protocol,
 * behind its last whole frame. Looks at what passes and changes nothing. Any thread.
 */
interface Epilogue {

    /** A protocol that is not known: the stream ends without a word. */
    Epilogue NONE = new Epilogue() {
        @Override
        public void sent(ByteBuf piece) {}

        @Override
        public void received(ByteBuf piece) {}

        @Override
        public Optional<ByteBuf> words() {
            return Optional.empty();
        }

        @Override
        public void close() {}
    };

    /** On its way to the server. Its indices are left as they are. */
    void sent(ByteBuf piece);

    /** On its way to the client. Its indices are left as they are. */
    void received(ByteBuf piece);

    /** Empty if the server has said its end, or left a frame half sent, behind which nothing can be said. */
    Optional<ByteBuf> words();

    /** The stream is over. */
    void close();
}
