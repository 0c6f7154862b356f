package dev.kip.sim.aws;

import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Writes the answers of AWS services that speak XML. */
public final class Xml {

    private final StringBuilder out = new StringBuilder();

    public Xml put(String name, String value) {
        out.append('<').append(name).append('>');
        escape(value);
        out.append("</").append(name).append('>');
        return this;
    }

    public Xml put(String name, long value) {
        return put(name, String.valueOf(value));
    }

    public Xml put(String name, boolean value) {
        return put(name, String.valueOf(value));
    }

    /** Left out when empty, as EC2 does. */
    public Xml put(String name, Optional<String> value) {
        value.ifPresent(text -> put(name, text));
        return this;
    }

    public Xml in(String name, Consumer<Xml> content) {
        out.append('<').append(name).append('>');
        content.accept(this);
        out.append("</").append(name).append('>');
        return this;
    }

    public <T> Xml items(String name, Iterable<T> items, BiConsumer<Xml, T> content) {
        return in(name, xml -> {
            for (T item : items) {
                xml.in("item", inner -> content.accept(inner, item));
            }
        });
    }

    public Xml texts(String name, Iterable<String> items) {
        return in(name, xml -> items.forEach(item -> xml.put("item", item)));
    }

    private void escape(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                case '\r' -> out.append("&#13;");
                default -> out.append(c < ' ' && c != '\n' && c != '\t' ? ' ' : c);
            }
        }
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
