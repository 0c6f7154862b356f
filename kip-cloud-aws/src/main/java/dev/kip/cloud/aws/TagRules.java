package dev.kip.cloud.aws;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What EC2 lets a tag be. Tags that say whose a resource is are never dropped: with one of them unfit, the launch is
 * refused. Others are dropped in the order given, with a reason each.
 *
 * @see <a href="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions">Tag restrictions</a>
 */
public final class TagRules {

    static final int MAX_TAGS = 50;
    static final int MAX_KEY = 128;
    static final int MAX_VALUE = 256;

    private TagRules() {}

    /**
     * @param tags what may be sent, identity tags first
     * @param dropped one reason for each tag left out
     */
    public record Fitted(ImmutableMap<String, String> tags, ImmutableList<String> dropped) {}

    /** @throws IllegalArgumentException if an identity tag does not fit */
    public static Fitted fit(ImmutableMap<String, String> wanted) {
        Map<String, String> kept = new LinkedHashMap<>();
        ImmutableList.Builder<String> dropped = ImmutableList.builder();
        wanted.forEach((key, value) -> {
            if (isIdentity(key)) {
                fault(key, value).ifPresent(reason -> {
                    throw new IllegalArgumentException("identity " + reason);
                });
                kept.put(key, value);
            }
        });
        if (kept.size() > MAX_TAGS) {
            throw new IllegalArgumentException(kept.size() + " identity tags; EC2 takes at most " + MAX_TAGS + " tags");
        }
        wanted.forEach((key, value) -> {
            if (!isIdentity(key)) {
                Optional<String> fault = fault(key, value);
                if (fault.isPresent()) {
                    dropped.add(fault.get());
                } else if (kept.size() == MAX_TAGS) {
                    dropped.add("tag \"" + key + "\": EC2 takes at most " + MAX_TAGS + " tags");
                } else {
                    kept.put(key, value);
                }
            }
        });
        return new Fitted(ImmutableMap.copyOf(kept), dropped.build());
    }

    /** Kip's own: everything under a {@code kip} name, in whatever case ({@code kip.elotl.co/epoch}, {@code KipControllerID}). */
    static boolean isIdentity(String key) {
        return key.toLowerCase(Locale.ROOT).startsWith("kip");
    }

    private static Optional<String> fault(String key, String value) {
        if (key.isEmpty()) {
            return Optional.of("tag with value \"" + value + "\": its key is empty");
        }
        if (key.toLowerCase(Locale.ROOT).startsWith("aws:")) {
            return Optional.of("tag \"" + key + "\": the prefix aws: is reserved");
        }
        if (key.length() > MAX_KEY) {
            return Optional.of(
                    "tag \"" + key + "\": its key has " + key.length() + " characters, at most " + MAX_KEY + " fit");
        }
        if (value.length() > MAX_VALUE) {
            return Optional.of("tag \"" + key + "\": its value has " + value.length() + " characters, at most "
                    + MAX_VALUE + " fit");
        }
        return Optional.empty();
    }
}
