package dev.kip.sim.sqs;

/** An error answer of SQS, worded as SQS words it. */
final class SqsFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;
    private static final int CLIENT_ERROR = 400;

    private final int status;
    private final String type;
    private final String query;

    private SqsFailure(int status, String type, String query, String message) {
        super(message);
        this.status = status;
        this.type = type;
        this.query = query;
    }

    int status() {
        return status;
    }

    String type() {
        return type;
    }

    /** The code of the older protocol, which the answer names in a header. */
    String query() {
        return query;
    }

    static SqsFailure noSuchQueue() {
        return new SqsFailure(
                CLIENT_ERROR,
                "com.amazonaws.sqs#QueueDoesNotExist",
                "AWS.SimpleQueueService.NonExistentQueue;Sender",
                "The specified queue does not exist.");
    }

    static SqsFailure invalid(String message) {
        return new SqsFailure(
                CLIENT_ERROR,
                "com.amazon.coral.service#InvalidParameterValueException",
                "InvalidParameterValue;Sender",
                message);
    }

    static SqsFailure unknownOperation(String what) {
        return new SqsFailure(
                CLIENT_ERROR, "com.amazon.coral.service#UnknownOperationException", "InvalidAction;Sender", what);
    }

    static SqsFailure denied() {
        return new SqsFailure(
                403,
                "com.amazon.coral.service#AccessDeniedException",
                "AccessDenied;Sender",
                "User: arn:aws:iam::123456789012:user/simulated is not authorized to perform: sqs:ReceiveMessage");
    }

    static SqsFailure internal(String message) {
        return new SqsFailure(500, "com.amazonaws.sqs#InternalFailure", "InternalFailure;Receiver", message);
    }
}
