package dev.kip.sim.apiserver.protobuf;

import com.google.common.collect.ImmutableMap;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.kip.sim.apiserver.ApiFailure;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.Runtime;
import io.kubernetes.client.proto.V1;
import io.kubernetes.client.proto.V1Admissionregistration;
import io.kubernetes.client.proto.V1Apiextensions;
import io.kubernetes.client.proto.V1Apps;
import io.kubernetes.client.proto.V1Authentication;
import io.kubernetes.client.proto.V1Authorization;
import io.kubernetes.client.proto.V1Autoscaling;
import io.kubernetes.client.proto.V1Batch;
import io.kubernetes.client.proto.V1Certificates;
import io.kubernetes.client.proto.V1Networking;
import io.kubernetes.client.proto.V1Policy;
import io.kubernetes.client.proto.V1Rbac;
import io.kubernetes.client.proto.V1Scheduling;
import io.kubernetes.client.proto.V1Storage;
import io.kubernetes.client.proto.V2Autoscaling;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Request bodies of type {@code application/vnd.kubernetes.protobuf}: the four bytes {@code k8s\0}, then a
 * {@code runtime.Unknown} that names the kind and holds the message. Answers may always be JSON, so this only decodes.
 */
public final class ProtobufBodies {

    /** Content type of such a body. */
    public static final String CONTENT_TYPE = "application/vnd.kubernetes.protobuf";

    private static final ByteString MAGIC = ByteString.copyFrom(new byte[] {'k', '8', 's', 0});

    /** All messages are read by their descriptors: the generated parsers of this library warn about their own age. */
    private static final Descriptor ENVELOPE = Runtime.getDescriptor().findMessageTypeByName("Unknown");

    private static final ImmutableMap<String, FileDescriptor> FILES = ImmutableMap.<String, FileDescriptor>builder()
            .put("v1", V1.getDescriptor())
            .put("admissionregistration.k8s.io/v1", V1Admissionregistration.getDescriptor())
            .put("apiextensions.k8s.io/v1", V1Apiextensions.getDescriptor())
            .put("apps/v1", V1Apps.getDescriptor())
            .put("authentication.k8s.io/v1", V1Authentication.getDescriptor())
            .put("authorization.k8s.io/v1", V1Authorization.getDescriptor())
            .put("autoscaling/v1", V1Autoscaling.getDescriptor())
            .put("autoscaling/v2", V2Autoscaling.getDescriptor())
            .put("batch/v1", V1Batch.getDescriptor())
            .put("certificates.k8s.io/v1", V1Certificates.getDescriptor())
            .put("networking.k8s.io/v1", V1Networking.getDescriptor())
            .put("policy/v1", V1Policy.getDescriptor())
            .put("rbac.authorization.k8s.io/v1", V1Rbac.getDescriptor())
            .put("scheduling.k8s.io/v1", V1Scheduling.getDescriptor())
            .put("storage.k8s.io/v1", V1Storage.getDescriptor())
            .buildOrThrow();

    private ProtobufBodies() {}

    /**
     * The object as its JSON would be, with {@code apiVersion} and {@code kind}.
     *
     * @throws ApiFailure 400 if the body is malformed or has fields that are not known here; 415 if there is no message
     *     class for the kind
     */
    public static ObjectNode toJson(byte[] body) {
        ByteString bytes = ByteString.copyFrom(body);
        if (!bytes.startsWith(MAGIC)) {
            throw failure(
                    400,
                    "BadRequest",
                    "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
        }
        try {
            DynamicMessage envelope = DynamicMessage.parseFrom(ENVELOPE, bytes.substring(MAGIC.size()));
            Message typeMeta = (Message) field(envelope, "typeMeta");
            String apiVersion = (String) field(typeMeta, "apiVersion");
            String kind = (String) field(typeMeta, "kind");
            Descriptor type = message(apiVersion, kind)
                    .orElseThrow(() -> failure(
                            415,
                            "UnsupportedMediaType",
                            "no protobuf message is known for " + kind + " of " + apiVersion + "; send JSON"));
            ObjectNode json =
                    JsonNodeFactory.instance.objectNode().put("kind", kind).put("apiVersion", apiVersion);
            new MessageJson().addTo(json, DynamicMessage.parseFrom(type, (ByteString) field(envelope, "raw")));
            return json;
        } catch (InvalidProtocolBufferException | MessageJson.Undecodable e) {
            throw failure(400, "BadRequest", "unable to decode the protobuf body: " + e.getMessage());
        }
    }

    /** Options such as {@code DeleteOptions} are sent under any group's name. */
    private static Optional<Descriptor> message(String apiVersion, String kind) {
        return Optional.ofNullable(FILES.get(apiVersion))
                .flatMap(file -> Optional.ofNullable(file.findMessageTypeByName(kind)))
                .or(() -> Optional.ofNullable(Meta.getDescriptor().findMessageTypeByName(kind)));
    }

    private static Object field(Message message, String name) {
        return message.getField(message.getDescriptorForType().findFieldByName(name));
    }

    private static ApiFailure failure(int code, String reason, String message) {
        ObjectNode status =
                JsonNodeFactory.instance.objectNode().put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        return new ApiFailure(status.put("status", "Failure")
                .put("message", message)
                .put("reason", reason)
                .put("code", code));
    }
}
