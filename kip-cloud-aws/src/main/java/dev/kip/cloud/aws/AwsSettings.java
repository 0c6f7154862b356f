package dev.kip.cloud.aws;

import dev.kip.cloud.CloudProvider.CloudSettings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.regex.Pattern;

/** What of the settings can be found wrong before the first call. */
final class AwsSettings {

    /** Partition prefixes of one or more parts: {@code us-east-1}, {@code us-gov-west-1}, {@code cn-north-1}, {@code us-isob-east-1}. */
    private static final Pattern REGION = Pattern.compile("[a-z]{2}(-[a-z]+)+-[0-9]{1,2}");

    private static final Pattern ZONE = Pattern.compile("([a-z]{2}(?:-[a-z]+)+-[0-9]{1,2})[a-z]");
    private static final String PLACEHOLDER = "FILL_IN";

    private AwsSettings() {}

    /** @throws IllegalArgumentException naming the setting, what was wanted and what was found */
    static void check(CloudSettings settings) {
        checkRegion(settings.region());
        settings.accessKeyId().ifPresent(value -> refusePlaceholder("cloud.aws.accessKeyID", value));
        settings.secretAccessKey().ifPresent(value -> refusePlaceholder("cloud.aws.secretAccessKey", value));
        if (settings.accessKeyId().isPresent() != settings.secretAccessKey().isPresent()) {
            String missing = settings.accessKeyId().isPresent() ? "secretAccessKey" : "accessKeyID";
            throw new IllegalArgumentException("cloud.aws." + missing
                    + ": accessKeyID and secretAccessKey go together; give both, or neither to use the default chain");
        }
        settings.endpoint().ifPresent(url -> checkEndpoint("cloud.aws.endpointURL", url));
        if (settings.extras().profile().isPresent() && settings.accessKeyId().isPresent()) {
            throw new IllegalArgumentException(
                    "cloud.aws.profile: keys are given by accessKeyID as well; give the one or the others");
        }
        if (settings.extras().fips() && settings.region().startsWith("cn-")) {
            throw new IllegalArgumentException(
                    "cloud.aws.useFIPSEndpoint: the regions of China have no such endpoints");
        }
        checkKind(settings, "cloud.aws.endpointURL", settings.endpoint());
        checkKind(settings, "cloud.aws.eventQueueEndpointURL", settings.extras().eventQueueEndpoint());
    }

    /**
     * @param setting of an address given by hand
     * @throws IllegalArgumentException if another kind of AWS's own addresses is wanted at the same time
     */
    static void checkKind(CloudSettings settings, String setting, Optional<String> endpoint) {
        boolean fips = settings.extras().fips();
        String wanted = fips ? "cloud.aws.useFIPSEndpoint" : "cloud.aws.useDualStackEndpoint";
        if (endpoint.isPresent() && (fips || settings.extras().dualStack())) {
            throw new IllegalArgumentException(
                    wanted + ": chooses among AWS's addresses, and " + setting + " names one; leave one of them out");
        }
    }

    private static void checkRegion(String region) {
        refusePlaceholder("cloud.aws.region", region);
        var zone = ZONE.matcher(region);
        if (zone.matches()) {
            throw new IllegalArgumentException("cloud.aws.region: \"" + region
                    + "\" is an availability zone, a region is wanted. Did you mean \"" + zone.group(1) + "\"?");
        }
        if (!REGION.matcher(region).matches()) {
            throw new IllegalArgumentException("cloud.aws.region: \"" + region
                    + "\" is no region name; wanted one like us-east-1, us-gov-west-1 or cn-north-1");
        }
    }

    /** @throws IllegalArgumentException naming the setting, what was wanted and what was found */
    static void checkEndpoint(String setting, String endpoint) {
        refusePlaceholder(setting, endpoint);
        if (uri(endpoint).filter(u -> u.getHost() != null && isHttp(u)).isEmpty()) {
            throw new IllegalArgumentException(
                    setting + ": \"" + endpoint + "\" is no endpoint; wanted a URL like http://127.0.0.1:5000");
        }
    }

    private static boolean isHttp(URI uri) {
        return "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    }

    private static Optional<URI> uri(String text) {
        try {
            return Optional.of(new URI(text));
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    private static void refusePlaceholder(String setting, String value) {
        if (value.equals(PLACEHOLDER)) {
            throw new IllegalArgumentException(setting + ": still says FILL_IN; give a value, or leave it out");
        }
    }
}
