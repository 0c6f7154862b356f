package dev.kip.yaml;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

/** A node of a YAML document. Lines count from 1. */
public sealed interface Yaml {

    int line();

    /** How a message calls what was found. */
    String found();

    /**
     * A scalar as written.
     *
     * @param plain not quoted: {@code null}, {@code true} or {@code 12} may be meant as such
     */
    record Scalar(int line, String text, boolean plain) implements Yaml {

        public boolean isNull() {
            return plain && (text.isEmpty() || text.equals("null") || text.equals("~"));
        }

        @Override
        public String found() {
            return isNull() ? "nothing" : "\"" + text + "\"";
        }
    }

    /** A list. */
    record Sequence(int line, ImmutableList<Yaml> items) implements Yaml {
        @Override
        public String found() {
            return "a list";
        }
    }

    /**
     * A map, in the order written.
     *
     * @param keyLines the line of each key
     */
    record Mapping(int line, ImmutableMap<String, Yaml> entries, ImmutableMap<String, Integer> keyLines)
            implements Yaml {
        @Override
        public String found() {
            return "a map";
        }
    }
}
