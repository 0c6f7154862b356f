package dev.kip.checkpointer.cri;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.kip.checkpointer.cri.Cri.Container;
import dev.kip.checkpointer.cri.Cri.Incompatible;
import dev.kip.checkpointer.cri.Cri.Sandbox;
import dev.kip.checkpointer.cri.wire.ContainerMetadata;
import dev.kip.checkpointer.cri.wire.ContainerState;
import dev.kip.checkpointer.cri.wire.ListContainersRequest;
import dev.kip.checkpointer.cri.wire.ListContainersResponse;
import dev.kip.checkpointer.cri.wire.ListPodSandboxRequest;
import dev.kip.checkpointer.cri.wire.ListPodSandboxResponse;
import dev.kip.checkpointer.cri.wire.PodSandbox;
import dev.kip.checkpointer.cri.wire.PodSandboxMetadata;
import dev.kip.checkpointer.cri.wire.PodSandboxState;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a gRPC server on a unix socket, as runtimes are. */
class GrpcCriTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private Optional<Server> server = Optional.empty();

    @AfterEach
    void stop() {
        server.ifPresent(Server::shutdownNow);
        group.shutdownGracefully();
    }

    private Path serve(String service) throws IOException {
        Path socket = directory.resolve("cri.sock");
        ListPodSandboxResponse sandboxes = ListPodSandboxResponse.newBuilder()
                .addItems(sandbox("s1", "apiserver", PodSandboxState.SANDBOX_READY))
                .addItems(sandbox("s0", "apiserver", PodSandboxState.SANDBOX_NOTREADY))
                .build();
        ListContainersResponse containers = ListContainersResponse.newBuilder()
                .addContainers(container("c1", ContainerState.CONTAINER_RUNNING, 3))
                .addContainers(container("c0", ContainerState.CONTAINER_EXITED, 2))
                .build();
        server = Optional.of(NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioServerDomainSocketChannel.class)
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .directExecutor()
                .addService(ServerServiceDefinition.builder(service)
                        .addMethod(
                                method(
                                        service,
                                        "ListPodSandbox",
                                        ListPodSandboxRequest.parser(),
                                        ListPodSandboxResponse.parser()),
                                ServerCalls.asyncUnaryCall((request, answer) -> {
                                    answer.onNext(sandboxes);
                                    answer.onCompleted();
                                }))
                        .addMethod(
                                method(
                                        service,
                                        "ListContainers",
                                        ListContainersRequest.parser(),
                                        ListContainersResponse.parser()),
                                ServerCalls.asyncUnaryCall((request, answer) -> {
                                    answer.onNext(containers);
                                    answer.onCompleted();
                                }))
                        .build())
                .build()
                .start());
        return socket;
    }

    @Test
    void a_runtime_of_v1_is_asked_what_there_is() throws IOException {
        try (GrpcCri cri = new GrpcCri(serve("runtime.v1.RuntimeService"), TIMEOUT)) {
            assertThat(cri.sandboxes())
                    .containsExactly(
                            new Sandbox("s1", "kube-system", "apiserver", "uid", true),
                            new Sandbox("s0", "kube-system", "apiserver", "uid", false));
            assertThat(cri.containers())
                    .containsExactly(
                            new Container("c1", "s1", "main", 3, true), new Container("c0", "s1", "main", 2, false));
        }
    }

    /** containerd before 1.6, kubelet before 1.26. */
    @Test
    void a_runtime_that_knows_only_v1alpha2_is_asked_by_that_from_the_second_request_on() throws IOException {
        try (GrpcCri cri = new GrpcCri(serve("runtime.v1alpha2.RuntimeService"), TIMEOUT)) {
            assertThatThrownBy(cri::sandboxes)
                    .isInstanceOf(Incompatible.class)
                    .hasMessageContaining("does not know runtime.v1.RuntimeService");
            assertThat(cri.sandboxes()).hasSize(2);
            assertThat(cri.containers()).hasSize(2);
        }
    }

    @Test
    void a_socket_that_is_not_there_is_an_error_that_names_it() {
        Path nowhere = directory.resolve("nowhere.sock");
        try (GrpcCri cri = new GrpcCri(nowhere, TIMEOUT)) {
            assertThatThrownBy(cri::sandboxes)
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(Incompatible.class)
                    .hasMessageContaining(nowhere.toString());
        }
    }

    private static PodSandbox sandbox(String id, String name, PodSandboxState state) {
        return PodSandbox.newBuilder()
                .setId(id)
                .setMetadata(PodSandboxMetadata.newBuilder()
                        .setName(name)
                        .setNamespace("kube-system")
                        .setUid("uid"))
                .setState(state)
                .build();
    }

    private static dev.kip.checkpointer.cri.wire.Container container(String id, ContainerState state, int attempt) {
        return dev.kip.checkpointer.cri.wire.Container.newBuilder()
                .setId(id)
                .setPodSandboxId("s1")
                .setMetadata(ContainerMetadata.newBuilder().setName("main").setAttempt(attempt))
                .setState(state)
                .build();
    }

    private static <Q extends MessageLite, A extends MessageLite> MethodDescriptor<Q, A> method(
            String service, String name, Parser<Q> request, Parser<A> answer) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(service, name))
                .setRequestMarshaller(new Bytes<>(request))
                .setResponseMarshaller(new Bytes<>(answer))
                .build();
    }

    private record Bytes<T extends MessageLite>(Parser<T> parser) implements MethodDescriptor.Marshaller<T> {
        @Override
        public InputStream stream(T value) {
            return value.toByteString().newInput();
        }

        @Override
        public T parse(InputStream stream) {
            try {
                return parser.parseFrom(stream);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
