package dev.kip.controller.config;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;
import dev.kip.controller.launch.WarmPool;
import dev.kip.quantity.Quantities;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks of single values. Each returns what it was given or throws IllegalArgumentException that says what was wanted. */
final class ValueChecks {

    private static final Splitter WORDS = Splitter.on(' ').omitEmptyStrings();
    private static final String DNS_LABEL = "[a-z0-9]([a-z0-9-]*[a-z0-9])?";
    private static final Pattern DNS_NAME = Pattern.compile(DNS_LABEL + "(\\." + DNS_LABEL + ")*");
    private static final Pattern REGION = Pattern.compile("[a-z]{2}(-[a-z]+)+-[0-9]{1,2}");
    private static final Pattern ZONE = Pattern.compile("([a-z]{2}(?:-[a-z]+)+-[0-9]{1,2})[a-z]");
    private static final Pattern QUALIFIED =
            Pattern.compile("(?:(?<prefix>[^/]+)/)?(?<name>[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)");
    private static final Pattern PROFILE =
            Pattern.compile("[\\w+=,.@-]{1,128}|arn:aws[a-z-]*:iam::[0-9]{12}:instance-profile/[\\w+=,.@/-]+");
    private static final BigDecimal GIBI = Quantities.parse("1Gi");
    private static final BigDecimal LARGEST_VOLUME = Quantities.parse("64Ti");

    private static final ImmutableList<String> NATIVE_RESOURCES =
            ImmutableList.of("cpu", "memory", "pods", "ephemeral-storage");

    private ValueChecks() {}

    static String region(String text) {
        Matcher zone = ZONE.matcher(text);
        if (zone.matches()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is an availability zone; its region is \"" + zone.group(1) + "\". Write that.");
        }
        return Forms.matching(REGION.pattern(), "a region such as us-east-1 or us-gov-west-1")
                .apply(text);
    }

    static String url(String text) {
        try {
            URI uri = new URI(text);
            if (uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                return text;
            }
        } catch (URISyntaxException e) {
            // The message below says it better.
        }
        throw new IllegalArgumentException("\"" + text + "\" is not a URL such as http://127.0.0.1:5000.");
    }

    static String hostAndPort(String text) {
        boolean whole = false;
        try {
            HostAndPort parsed = HostAndPort.fromString(text);
            whole = parsed.hasPort() && !parsed.getHost().isEmpty();
        } catch (IllegalArgumentException e) {
            // The message below says it better.
        }
        if (!whole) {
            throw new IllegalArgumentException("\"" + text + "\" is not host:port such as 10.0.0.10:6443.");
        }
        return text;
    }

    static String imageIds(String text) {
        for (String id : WORDS.split(text)) {
            if (!id.matches("ami-[0-9a-f]{8,17}")) {
                throw new IllegalArgumentException("\"" + id + "\" is not the id of an image such as ami-0a1b2c3d."
                        + " To choose by name, write bootImageSpec.filters: name=" + id + ".");
            }
        }
        return text;
    }

    static String imageParameters(String text) {
        List<String> names = WORDS.splitToList(text);
        for (String name : names) {
            if (!name.matches("(arn:[^ ]+:parameter)?/?[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*(:[A-Za-z0-9_.-]+)?")) {
                throw new IllegalArgumentException(
                        "\"" + name + "\" is not the name of a parameter such as /kip/cell/amd64.");
            }
        }
        if (names.size() > 10) {
            throw new IllegalArgumentException("has " + names.size() + " names; wanted at most 10.");
        }
        return text;
    }

    static String imageFilters(String text) {
        for (String filter : WORDS.split(text)) {
            if (!filter.matches("[^=]+=.+")) {
                throw new IllegalArgumentException(
                        "\"" + filter + "\" is not a filter; wanted name=value or name=value,value.");
            }
        }
        return text;
    }

    static String volumeSize(String text) {
        BigDecimal bytes = Quantities.parse(text);
        if (bytes.compareTo(GIBI) < 0 || bytes.compareTo(LARGEST_VOLUME) > 0) {
            throw new IllegalArgumentException("\"" + text + "\" is out of range; EC2 has volumes from 1Gi to 64Ti.");
        }
        return text;
    }

    static String cidr(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? "" : text.substring(0, slash);
        String bits = text.substring(slash + 1);
        if (address.contains(".")
                && InetAddresses.isInetAddress(address)
                && bits.matches("[0-9]{1,2}")
                && Integer.parseInt(bits) <= 32) {
            return text;
        }
        throw new IllegalArgumentException("\"" + text + "\" is not an IPv4 range such as 10.0.0.0/8."
                + (InetAddresses.isInetAddress(text) ? " For one address, write " + text + "/32." : ""));
    }

    static String address(String text) {
        if (!InetAddresses.isInetAddress(text)) {
            throw new IllegalArgumentException("\"" + text + "\" is not an IPv4 or IPv6 address.");
        }
        return text;
    }

    static String instanceProfile(String text) {
        if (!PROFILE.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not an instance profile; wanted its name, or its ARN"
                            + " such as arn:aws:iam::123456789012:instance-profile/cells."
                            + (text.contains(":role/") ? " A role will not do." : ""));
        }
        return text;
    }

    static Function<String, String> dnsName(String what) {
        return text -> {
            if (text.length() > 253 || !DNS_NAME.matcher(text).matches()) {
                throw new IllegalArgumentException("\"" + text + "\" is not " + what
                        + "; wanted lower-case letters, digits, dashes and dots, such as kip-1.");
            }
            return text;
        };
    }

    static String resourceName(String text) {
        boolean known = NATIVE_RESOURCES.contains(text) || text.startsWith("hugepages-");
        if (known) {
            return text;
        }
        if (!text.contains("/")) {
            throw new IllegalArgumentException("\"" + text + "\" is not a resource; wanted cpu, memory, pods,"
                    + " ephemeral-storage, or one with a domain such as nvidia.com/gpu.");
        }
        return qualified(text, "a resource such as nvidia.com/gpu");
    }

    static String labelKey(String text) {
        return qualified(text, "a label's key such as example.com/team");
    }

    static String labelValue(String text) {
        if (text.length() > 63 || !text.matches("([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?")) {
            throw new IllegalArgumentException("\"" + text + "\" is not a label's value; wanted at most 63 letters,"
                    + " digits, dashes, underscores and dots.");
        }
        return text;
    }

    private static String qualified(String text, String wanted) {
        Matcher parts = QUALIFIED.matcher(text);
        boolean good = parts.matches() && parts.group("name").length() <= 63;
        if (good && parts.group("prefix") != null) {
            String prefix = parts.group("prefix");
            good = prefix.length() <= 253 && DNS_NAME.matcher(prefix).matches();
        }
        if (!good) {
            throw new IllegalArgumentException("\"" + text + "\" is not " + wanted + ".");
        }
        return text;
    }

    static String warmPool(String text) {
        var unused = WarmPool.parse(text);
        return text;
    }
}
