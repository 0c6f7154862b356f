package dev.kip.sim.apiserver;

import dev.kip.entropy.Entropy;
import dev.kip.loop.Loop;
import dev.kip.sim.apiserver.store.Store;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What every part of the server works on. */
record Core(Loop loop, Entropy entropy, ApiServerSettings settings, Store store, Registry registry) {

    /** Characters of generated names: no vowels, nothing that looks like something else. */
    private static final String NAME_CHARACTERS = "bcdfghjklmnpqrstvwxz2456789";

    private static final int GENERATED_LENGTH = 5;

    /** In whole seconds, as objects carry it. */
    String timestamp() {
        return now().toString();
    }

    Instant now() {
        return loop.now().truncatedTo(ChronoUnit.SECONDS);
    }

    String uid() {
        byte[] bytes = entropy.bytes(16);
        bytes[6] = (byte) ((bytes[6] & 0x0f) | 0x40);
        bytes[8] = (byte) ((bytes[8] & 0x3f) | 0x80);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong()).toString();
    }

    String generated(String prefix) {
        StringBuilder name = new StringBuilder(prefix.length() > 58 ? prefix.substring(0, 58) : prefix);
        for (int i = 0; i < GENERATED_LENGTH; i++) {
            name.append(NAME_CHARACTERS.charAt((int) entropy.below(NAME_CHARACTERS.length())));
        }
        return name.toString();
    }

    Resource resource(String group, String plural) {
        return registry.find(group, plural)
                .orElseThrow(() -> new IllegalArgumentException("no resource " + plural + "." + group + " is served"));
    }

    ObjectNode emptyObject() {
        return JsonNodeFactory.instance.objectNode();
    }
}
