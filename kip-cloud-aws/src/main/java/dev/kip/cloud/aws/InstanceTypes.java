package dev.kip.cloud.aws;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import dev.kip.cloud.CloudApi.Offering;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Common instance types with their sizes and list prices, for whoever plays EC2. EC2 itself is asked for what it offers. */
public final class InstanceTypes {

    private static final InstanceTypes TABLE = read("instance-types-us-east-1.csv");

    private final ImmutableMap<String, Offering> types;

    private InstanceTypes(ImmutableMap<String, Offering> types) {
        this.types = types;
    }

    /** The table of us-east-1. */
    public static InstanceTypes table() {
        return TABLE;
    }

    /** By type, in the order of families, then sizes. */
    public ImmutableMap<String, Offering> types() {
        return types;
    }

    private static InstanceTypes read(String resource) {
        ImmutableMap.Builder<String, Offering> types = ImmutableMap.builder();
        try {
            for (String line :
                    Resources.readLines(Resources.getResource(InstanceTypes.class, resource), StandardCharsets.UTF_8)) {
                if (!line.startsWith("#") && !line.isBlank()) {
                    Offering offering = row(line);
                    types.put(offering.type(), offering);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new InstanceTypes(types.buildOrThrow());
    }

    private static Offering row(String line) {
        List<String> cells = Splitter.on(',').splitToList(line);
        return new Offering(
                cells.get(0),
                cells.get(1),
                Integer.parseInt(cells.get(2)),
                Long.parseLong(cells.get(3)),
                Integer.parseInt(cells.get(4)),
                cells.get(5),
                Boolean.parseBoolean(cells.get(6)),
                Boolean.parseBoolean(cells.get(7)),
                Boolean.parseBoolean(cells.get(8)),
                Optional.of(Double.valueOf(cells.get(9))));
    }
}
