package dev.kip.cloud.aws;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Map;
import software.amazon.awssdk.services.ec2.model.DescribeImagesRequest;
import software.amazon.awssdk.services.ec2.model.Filter;

/**
 * {@code cells.bootImageSpec} of provider.yaml: {@code owners}, {@code executableUsers}, {@code imageIDs}, {@code ssmParameters}, each separated
 * by spaces, and {@code filters} as {@code name=value,value} separated by spaces.
 */
final class ImageSelector {

    private static final Splitter WORDS = Splitter.on(' ').trimResults().omitEmptyStrings();
    private static final Splitter VALUES = Splitter.on(',').omitEmptyStrings();

    private ImageSelector() {}

    /** @throws IllegalArgumentException naming the key, what was wanted and what was found */
    static DescribeImagesRequest request(ImmutableMap<String, String> selector) {
        DescribeImagesRequest.Builder request = DescribeImagesRequest.builder();
        ImmutableList.Builder<Filter> filters = ImmutableList.builder();
        filters.add(Ec2Facts.filter("state", "available"));
        for (Map.Entry<String, String> entry : selector.entrySet()) {
            String value = entry.getValue();
            switch (entry.getKey()) {
                case "owners" -> request.owners(WORDS.splitToList(value));
                case "executableUsers" -> request.executableUsers(WORDS.splitToList(value));
                case "imageIDs" -> request.imageIds(WORDS.splitToList(value));
                case "filters" -> WORDS.split(value).forEach(word -> filters.add(filter(word)));
                default ->
                    throw new IllegalArgumentException("cells.bootImageSpec." + entry.getKey()
                            + ": no such key; there are owners, executableUsers, imageIDs, ssmParameters and filters");
            }
        }
        return request.filters(filters.build()).build();
    }

    /** The same with ids that were read in place of the names of parameters. */
    static ImmutableMap<String, String> byId(ImmutableMap<String, String> selector, ImmutableList<String> ids) {
        ImmutableMap.Builder<String, String> found = ImmutableMap.builder();
        selector.forEach((key, value) -> {
            if (!key.equals(ImageParameters.KEY) && !key.equals("imageIDs")) {
                found.put(key, value);
            }
        });
        String more = selector.getOrDefault("imageIDs", "");
        return found.put("imageIDs", String.join(" ", ids) + (more.isEmpty() ? "" : " " + more))
                .buildOrThrow();
    }

    private static Filter filter(String word) {
        int equals = word.indexOf('=');
        if (equals <= 0 || equals == word.length() - 1) {
            throw new IllegalArgumentException("cells.bootImageSpec.filters: \"" + word
                    + "\" is no filter; wanted name=value or name=value,value");
        }
        return Filter.builder()
                .name(word.substring(0, equals))
                .values(VALUES.splitToList(word.substring(equals + 1)))
                .build();
    }
}
