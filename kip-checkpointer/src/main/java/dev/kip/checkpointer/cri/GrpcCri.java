package dev.kip.checkpointer.cri;

import com.google.common.collect.ImmutableList;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.kip.checkpointer.cri.wire.ContainerState;
import dev.kip.checkpointer.cri.wire.ContainerStatus;
import dev.kip.checkpointer.cri.wire.ContainerStatusRequest;
import dev.kip.checkpointer.cri.wire.ContainerStatusResponse;
import dev.kip.checkpointer.cri.wire.ListContainersRequest;
import dev.kip.checkpointer.cri.wire.ListContainersResponse;
import dev.kip.checkpointer.cri.wire.ListPodSandboxRequest;
import dev.kip.checkpointer.cri.wire.ListPodSandboxResponse;
import dev.kip.checkpointer.cri.wire.PodSandboxState;
import dev.kip.checkpointer.cri.wire.StopContainerRequest;
import dev.kip.checkpointer.cri.wire.StopContainerResponse;
import dev.kip.checkpointer.cri.wire.StopPodSandboxRequest;
import dev.kip.checkpointer.cri.wire.StopPodSandboxResponse;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.io.IOException;
import java.io.InputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A runtime behind a unix socket, without native libraries. It is asked by {@code runtime.v1}, and by {@code
 * runtime.v1alpha2}, whose messages are the same, if it knows nothing newer. Safe from any thread.
 */
public final class GrpcCri implements PodRuntime, AutoCloseable {

    private static final String V1 = "runtime.v1.RuntimeService";
    private static final String V1ALPHA2 = "runtime.v1alpha2.RuntimeService";
    private static final int LARGEST_ANSWER = 16 << 20;

    private final Path socket;
    private final Duration timeout;
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ManagedChannel channel;
    private final AtomicReference<String> service = new AtomicReference<>(V1);

    /** Connects when first asked. */
    public GrpcCri(Path socket, Duration timeout) {
        this.socket = socket;
        this.timeout = timeout;
        this.channel = NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioDomainSocketChannel.class)
                .eventLoopGroup(group)
                .overrideAuthority("localhost") // not every runtime takes a path for one
                .usePlaintext()
                .maxInboundMessageSize(LARGEST_ANSWER)
                .directExecutor()
                .build();
    }

    @Override
    public ImmutableList<Sandbox> sandboxes() throws IOException {
        return ask("ListPodSandbox", ListPodSandboxRequest.getDefaultInstance(), ListPodSandboxResponse.parser())
                .getItemsList()
                .stream()
                .map(item -> new Sandbox(
                        item.getId(),
                        item.getMetadata().getNamespace(),
                        item.getMetadata().getName(),
                        item.getMetadata().getUid(),
                        item.getState() == PodSandboxState.SANDBOX_READY))
                .collect(ImmutableList.toImmutableList());
    }

    @Override
    public ImmutableList<Container> containers() throws IOException {
        return ask("ListContainers", ListContainersRequest.getDefaultInstance(), ListContainersResponse.parser())
                .getContainersList()
                .stream()
                .map(item -> new Container(
                        item.getId(),
                        item.getPodSandboxId(),
                        item.getMetadata().getName(),
                        item.getMetadata().getAttempt(),
                        item.getState() == ContainerState.CONTAINER_RUNNING))
                .collect(ImmutableList.toImmutableList());
    }

    @Override
    public Standing standing(String container) throws IOException {
        ContainerStatus status = ask(
                        "ContainerStatus",
                        ContainerStatusRequest.newBuilder()
                                .setContainerId(container)
                                .build(),
                        ContainerStatusResponse.parser())
                .getStatus();
        return new Standing(
                status.getId(),
                status.getState() == ContainerState.CONTAINER_EXITED,
                status.getExitCode(),
                Instant.ofEpochSecond(0, status.getStartedAt()),
                Instant.ofEpochSecond(0, status.getFinishedAt()),
                status.getReason(),
                status.getMessage());
    }

    @Override
    public void stopContainer(String container, Duration grace) throws IOException {
        ask(
                "StopContainer",
                StopContainerRequest.newBuilder()
                        .setContainerId(container)
                        .setTimeout(grace.toSeconds())
                        .build(),
                StopContainerResponse.parser(),
                timeout.plus(grace));
    }

    @Override
    public void stopSandbox(String sandbox) throws IOException {
        ask(
                "StopPodSandbox",
                StopPodSandboxRequest.newBuilder().setPodSandboxId(sandbox).build(),
                StopPodSandboxResponse.parser());
    }

    @Override
    public void close() {
        channel.shutdownNow();
        group.shutdownGracefully();
    }

    private <Q extends MessageLite, A extends MessageLite> A ask(String method, Q request, Parser<A> parser)
            throws IOException {
        return ask(method, request, parser, timeout);
    }

    private <Q extends MessageLite, A extends MessageLite> A ask(
            String method, Q request, Parser<A> parser, Duration patience) throws IOException {
        String asked = Objects.requireNonNull(service.get());
        MethodDescriptor<Q, A> descriptor = MethodDescriptor.<Q, A>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(asked, method))
                .setRequestMarshaller(new Sent<>())
                .setResponseMarshaller(new Received<>(parser))
                .build();
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(patience.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return ClientCalls.blockingUnaryCall(channel, descriptor, options, request);
        } catch (StatusRuntimeException e) {
            throw failure(asked, method, e.getStatus());
        }
    }

    /** One request a call: if this version is unknown there, the next call asks by the other one. */
    private IOException failure(String asked, String method, Status status) {
        String where = method + " at " + socket + ": ";
        if (status.getCode() == Status.Code.UNIMPLEMENTED) {
            service.compareAndSet(asked, asked.equals(V1) ? V1ALPHA2 : V1);
            return new Incompatible(where + "the runtime does not know " + asked + "; the other version is tried next");
        }
        Throwable cause = status.getCause();
        String reason = status.getDescription() == null ? status.getCode().toString() : status.getDescription();
        return new IOException(where + reason + (cause == null ? "" : ": " + cause.getMessage()));
    }

    private record Sent<T extends MessageLite>() implements MethodDescriptor.Marshaller<T> {
        @Override
        public InputStream stream(T value) {
            return value.toByteString().newInput();
        }

        @Override
        public T parse(InputStream stream) {
            throw new UnsupportedOperationException("requests are only sent");
        }
    }

    private record Received<T extends MessageLite>(Parser<T> parser) implements MethodDescriptor.Marshaller<T> {
        @Override
        public InputStream stream(T value) {
            throw new UnsupportedOperationException("answers are only received");
        }

        @Override
        public T parse(InputStream stream) {
            try {
                return parser.parseFrom(stream);
            } catch (IOException e) {
                throw Status.INTERNAL
                        .withDescription("unreadable answer: " + e.getMessage())
                        .withCause(e)
                        .asRuntimeException();
            }
        }
    }
}
