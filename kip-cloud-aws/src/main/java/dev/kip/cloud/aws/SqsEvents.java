package dev.kip.cloud.aws;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.cloud.EventQueue;
import dev.kip.outcome.Outcome;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.SqsClientBuilder;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequest;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.ListQueueTagsRequest;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageRequest;
import software.amazon.awssdk.services.sqs.model.TagQueueRequest;

/** An SQS queue that is the target of EventBridge rules. */
final class SqsEvents implements EventQueue {

    /** Long enough to handle what was received, short enough to have it again if this process dies meanwhile. */
    private static final int INVISIBLE_SECONDS = 30;

    private final String url;
    private final SqsClient sqs;
    private final Calls calls;

    private SqsEvents(String url, SqsClient sqs, Calls calls) {
        this.url = url;
        this.sqs = sqs;
        this.calls = calls;
    }

    static SqsEvents open(
            CloudSettings settings, String url, Calls calls, SdkHttpClient http, AwsCredentialsProvider credentials) {
        SqsClientBuilder builder =
                Clients.of(SqsClient.builder(), settings, http, credentials).checksumValidationEnabled(true);
        settings.extras()
                .eventQueueEndpoint()
                .map(URI::create)
                .or(() -> Sts.endpoint(settings))
                .ifPresent(builder::endpointOverride);
        return new SqsEvents(url, builder.build(), calls);
    }

    @Override
    public String location() {
        return url;
    }

    @Override
    public CompletionStage<Outcome<ImmutableMap<String, String>, CloudError>> tags() {
        var request = ListQueueTagsRequest.builder().queueUrl(url).build();
        return calls.read(
                "sqs.ListQueueTags",
                () -> ImmutableMap.copyOf(sqs.listQueueTags(request).tags()));
    }

    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> tag(ImmutableMap<String, String> tags) {
        var request = TagQueueRequest.builder().queueUrl(url).tags(tags).build();
        return calls.write("sqs.TagQueue", () -> {
            sqs.tagQueue(request);
            return true;
        });
    }

    @Override
    public CompletionStage<Outcome<ImmutableList<Message>, CloudError>> receive(Duration wait) {
        var request = ReceiveMessageRequest.builder()
                .queueUrl(url)
                .maxNumberOfMessages(MOST)
                .visibilityTimeout(INVISIBLE_SECONDS)
                .waitTimeSeconds((int) wait.toSeconds())
                .build();
        return calls.waiting(
                "sqs.ReceiveMessage",
                wait,
                () -> sqs.receiveMessage(request).messages().stream()
                        .map(message -> new Message(message.receiptHandle(), EventBridge.event(message.body())))
                        .collect(toImmutableList()));
    }

    /** What could not be deleted comes again, and is then deleted again. */
    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> delete(ImmutableList<String> receipts) {
        ImmutableList.Builder<DeleteMessageBatchRequestEntry> entries = ImmutableList.builder();
        for (int i = 0; i < receipts.size(); i++) {
            entries.add(DeleteMessageBatchRequestEntry.builder()
                    .id(Integer.toString(i))
                    .receiptHandle(receipts.get(i))
                    .build());
        }
        var request = DeleteMessageBatchRequest.builder()
                .queueUrl(url)
                .entries(entries.build())
                .build();
        return calls.write(
                "sqs.DeleteMessageBatch",
                () -> sqs.deleteMessageBatch(request).failed().isEmpty());
    }
}
