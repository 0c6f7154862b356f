package dev.kip.sim.dynamodb;

import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** An error answer of DynamoDB, worded as DynamoDB words it. */
public final class DynamoDbFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;
    private static final String OWN = "com.amazonaws.dynamodb.v20120810#";
    private static final String COMMON = "com.amazon.coral.service#";

    private final int status;
    private final String type;
    private final transient Optional<ObjectNode> item;

    private DynamoDbFailure(int status, String type, String message, Optional<ObjectNode> item) {
        super(message);
        this.status = status;
        this.type = type;
        this.item = item;
    }

    public int status() {
        return status;
    }

    /** With its name space. */
    String type() {
        return type;
    }

    /** Without its name space, for example {@code ConditionalCheckFailedException}. */
    public String code() {
        return type.substring(type.indexOf('#') + 1);
    }

    /** The item that stopped a conditional change, if the request wanted to see it. */
    Optional<ObjectNode> item() {
        return item;
    }

    static DynamoDbFailure validation(String message) {
        return new DynamoDbFailure(400, "com.amazon.coral.validate#ValidationException", message, Optional.empty());
    }

    static DynamoDbFailure unknownOperation() {
        return new DynamoDbFailure(400, COMMON + "UnknownOperationException", "", Optional.empty());
    }

    static DynamoDbFailure serialization() {
        return new DynamoDbFailure(400, COMMON + "SerializationException", "", Optional.empty());
    }

    static DynamoDbFailure noSuchTable() {
        return new DynamoDbFailure(
                400, OWN + "ResourceNotFoundException", "Requested resource not found", Optional.empty());
    }

    static DynamoDbFailure conditionFailed(Optional<ObjectNode> item) {
        return new DynamoDbFailure(
                400, OWN + "ConditionalCheckFailedException", "The conditional request failed", item);
    }

    static DynamoDbFailure internal(String message) {
        return new DynamoDbFailure(500, OWN + "InternalServerError", message, Optional.empty());
    }

    /** The caller's policies do not allow it. */
    public static DynamoDbFailure accessDenied() {
        return new DynamoDbFailure(
                400,
                COMMON + "AccessDeniedException",
                "User: arn:aws:iam::123456789012:user/simulated is not authorized to perform this action",
                Optional.empty());
    }

    /** More than the table's capacity. Never of itself. */
    public static DynamoDbFailure throttled() {
        return new DynamoDbFailure(
                400,
                OWN + "ProvisionedThroughputExceededException",
                "The level of configured provisioned throughput for the table was exceeded.",
                Optional.empty());
    }
}
