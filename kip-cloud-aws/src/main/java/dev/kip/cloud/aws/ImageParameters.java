package dev.kip.cloud.aws;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.outcome.Outcome;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Ids of images that Systems Manager's Parameter Store holds under names, as AWS publishes those of its own images.
 *
 * @see <a href="https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameters.html">GetParameters</a>
 */
final class ImageParameters {

    /** {@code cells.bootImageSpec}'s key. */
    static final String KEY = "ssmParameters";

    /** The SDKs' name for another address of this service. */
    static final String ENDPOINT = "AWS_ENDPOINT_URL_SSM";

    private static final String CALL = "ssm.GetParameters";
    private static final int NAMES_PER_CALL = 10;
    private static final Splitter WORDS = Splitter.on(' ').trimResults().omitEmptyStrings();

    private final SignedJson service;
    private final Calls calls;

    ImageParameters(CloudSettings settings, SdkHttpClient http, AwsCredentialsProvider credentials, Calls calls) {
        this.service = new SignedJson("ssm", settings.region(), endpoint(settings), http, credentials);
        this.calls = calls;
    }

    static URI endpoint(CloudSettings settings) {
        return Optional.ofNullable(settings.environment().get(ENDPOINT))
                .map(URI::create)
                .or(() -> Sts.endpoint(settings))
                .orElseGet(() -> URI.create(address(settings)));
    }

    private static String address(CloudSettings settings) {
        boolean china = settings.region().startsWith("cn-");
        boolean dual = settings.extras().dualStack();
        String domain = dual
                ? china ? ".api.amazonwebservices.com.cn" : ".api.aws"
                : china ? ".amazonaws.com.cn" : ".amazonaws.com";
        // In GovCloud the plain address is validated already and the only one.
        boolean fips = settings.extras().fips() && (dual || !settings.region().startsWith("us-gov-"));
        return "https://ssm" + (fips ? "-fips" : "") + "." + settings.region() + domain + "/";
    }

    /**
     * The images' ids.
     *
     * @param names separated by spaces
     * @throws IllegalArgumentException if they are none or more than one call takes
     */
    CompletionStage<Outcome<ImmutableList<String>, CloudError>> ids(String names) {
        List<String> wanted = WORDS.splitToList(names);
        if (wanted.isEmpty() || wanted.size() > NAMES_PER_CALL) {
            throw new IllegalArgumentException("cells.bootImageSpec." + KEY + ": has " + wanted.size()
                    + " names; wanted 1 to " + NAMES_PER_CALL + ", separated by spaces");
        }
        ObjectNode body = JsonMapper.shared().createObjectNode();
        ArrayNode list = body.putArray("Names");
        wanted.forEach(list::add);
        byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
        return calls.read(CALL, () -> service.send("AmazonSSM.GetParameters", bytes))
                .thenApply(answer -> answer.fold(ImageParameters::read, Outcome::failed));
    }

    private static Outcome<ImmutableList<String>, CloudError> read(JsonNode answer) {
        List<String> missing = new ArrayList<>();
        answer.path("InvalidParameters").forEach(name -> missing.add(name.asString("")));
        if (!missing.isEmpty()) {
            return refused("Parameter Store has no " + String.join(" and no ", missing)
                    + " in this region: check the name, and that the parameter is of this account or public");
        }
        ImmutableList.Builder<String> ids = ImmutableList.builder();
        for (JsonNode parameter : answer.path("Parameters")) {
            String value = parameter.path("Value").asString("").trim();
            if (!value.matches("ami-[0-9a-f]{8,17}")) {
                return refused("the parameter " + parameter.path("Name").asString("") + " holds \"" + value
                        + "\", wanted the id of an image such as ami-0a1b2c3d. Of AWS's own parameters, those that end in"
                        + " image_id hold one");
            }
            ids.add(value);
        }
        return Outcome.ok(ids.build());
    }

    private static Outcome<ImmutableList<String>, CloudError> refused(String message) {
        return Outcome.failed(
                new CloudError.Refused("InvalidParameter", CALL + ": cells.bootImageSpec." + KEY + ": " + message));
    }
}
