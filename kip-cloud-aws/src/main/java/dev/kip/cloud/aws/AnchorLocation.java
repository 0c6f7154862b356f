package dev.kip.cloud.aws;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code ownership.anchor} names. */
sealed interface AnchorLocation {

    Pattern S3_URL = Pattern.compile("s3://([^/?]*)(?:/([^?]*))?(?:\\?(.*))?");
    Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
    Pattern PREFIX = Pattern.compile("[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*");
    Pattern DYNAMO_DB_URL = Pattern.compile("dynamodb://([^?]*)");
    Pattern TABLE = Pattern.compile("[A-Za-z0-9_.-]{3,255}");
    String KMS_KEY = "kmsKey=";
    int LONGEST_PREFIX = 500;

    /** The location as it was written. */
    String text();

    /**
     * A bucket, and the folder in it.
     *
     * @param prefix empty, or ends with a slash
     * @param kmsKey encrypts the objects in place of S3's own key
     */
    record S3(String text, String bucket, String prefix, Optional<String> kmsKey) implements AnchorLocation {}

    /** A table whose only key is the text attribute {@code key}. */
    record DynamoDb(String text, String table) implements AnchorLocation {}

    /** @throws IllegalArgumentException naming the setting, what was wanted and what was found */
    static AnchorLocation parse(String text) {
        Matcher s3 = S3_URL.matcher(text);
        if (s3.matches()) {
            return s3(text, s3);
        }
        Matcher dynamoDb = DYNAMO_DB_URL.matcher(text);
        if (dynamoDb.matches()) {
            if (!TABLE.matcher(dynamoDb.group(1)).matches()) {
                throw fault(text, "\"" + dynamoDb.group(1) + "\" is no name of a table; wanted dynamodb://table");
            }
            return new DynamoDb(text, dynamoDb.group(1));
        }
        throw fault(text, "wanted s3://bucket/prefix or dynamodb://table");
    }

    private static S3 s3(String text, Matcher url) {
        String bucket = url.group(1);
        if (!BUCKET.matcher(bucket).matches()) {
            throw fault(text, "\"" + bucket + "\" is no name of a bucket; wanted s3://bucket/prefix");
        }
        String prefix = url.group(2) == null ? "" : url.group(2);
        String folder = prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix;
        if (!prefix.isEmpty() && (!PREFIX.matcher(folder).matches() || folder.length() > LONGEST_PREFIX)) {
            throw fault(
                    text,
                    "the prefix \"" + prefix + "\" may have letters, digits, - _ . and single slashes, at most "
                            + LONGEST_PREFIX + " characters");
        }
        return new S3(text, bucket, folder.isEmpty() ? "" : folder + "/", kmsKey(text, url.group(3)));
    }

    private static Optional<String> kmsKey(String text, String query) {
        if (query == null) {
            return Optional.empty();
        }
        if (!query.startsWith(KMS_KEY) || query.length() == KMS_KEY.length()) {
            throw fault(text, "after the question mark comes kmsKey=ID, nothing else");
        }
        return Optional.of(query.substring(KMS_KEY.length()));
    }

    private static IllegalArgumentException fault(String text, String reason) {
        return new IllegalArgumentException("ownership.anchor: \"" + text + "\": " + reason);
    }
}
