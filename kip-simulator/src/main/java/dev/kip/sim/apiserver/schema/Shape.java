package dev.kip.sim.apiserver.schema;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** How server-side apply takes a value apart: the list types, map types and keys of the published schemas. */
public interface Shape {

    /** What a value is made of. */
    enum Form {
        /** A plain value, or one that has one owner as a whole. */
        WHOLE,
        /** An object of declared fields. */
        STRUCT,
        /** An object of free keys. */
        MAP,
        /** A list whose elements are told apart by keys. */
        KEYED,
        /** A list of plain values, each at most once. */
        SET
    }

    /** What no schema speaks of: objects are taken apart, lists are not. */
    Shape UNTYPED = new Shape() {
        @Override
        public Form form(JsonNode value) {
            return value.isObject() ? Form.MAP : Form.WHOLE;
        }

        @Override
        public boolean declares(String field) {
            return false;
        }

        @Override
        public boolean allows(String field) {
            return true;
        }

        @Override
        public Shape of(String field) {
            return this;
        }

        @Override
        public Shape element() {
            return this;
        }

        @Override
        public ImmutableList<String> keys() {
            return ImmutableList.of();
        }

        @Override
        public String keyDefault(String key) {
            return "";
        }
    };

    Form form(JsonNode value);

    boolean declares(String field);

    /** Whether an applied object may have this field. */
    boolean allows(String field);

    Shape of(String field);

    /** What is wrong with the type of a plain value, if anything. */
    default Optional<String> mismatch(JsonNode value) {
        return Optional.empty();
    }

    /** Of a list. */
    Shape element();

    /** Of a keyed list. */
    ImmutableList<String> keys();

    /** Of a keyed list, what an absent key counts as; empty if it has no default. */
    String keyDefault(String key);
}
