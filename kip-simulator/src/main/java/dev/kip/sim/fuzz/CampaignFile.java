package dev.kip.sim.fuzz;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.fuzz.Campaign.Failed;
import dev.kip.sim.fuzz.Campaign.Plan;
import dev.kip.sim.fuzz.Campaign.Saved;
import dev.kip.sim.replay.Signature;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Campaigns as lines of JSON, each short enough for a log: so that one can be gone on with, and those of other machines be
 * read from the logs of their pods, whatever else is in them.
 */
public final class CampaignFile {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String MARK = "kipCampaign";
    private static final int HASHES_A_LINE = 700;
    private static final int RECIPES_A_LINE = 100;

    private CampaignFile() {}

    /** Replaces the file as a whole. */
    public static void write(Campaign campaign, Path file) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".tmp");
        Files.write(unfinished, lines(campaign));
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** All that it has shown, line by line. */
    public static ImmutableList<String> lines(Campaign campaign) {
        Saved saved = campaign.save();
        List<ObjectNode> lines = new ArrayList<>();
        ObjectNode head = line(lines, "head");
        Plan plan = saved.plan();
        head.put("group", plan.group()).put("from", plan.from());
        head.put("shard", plan.shard()).put("shards", plan.shards());
        plan.plant().ifPresent(plant -> head.put("plant", plant));
        head.put("next", saved.next()).put("mutations", saved.mutations());
        head.put("told", saved.told()).put("failed", saved.failed()).put("events", saved.events());
        head.put("virtualNanos", saved.virtual().toNanos());
        head.put("states", saved.states().size()).put("pairs", saved.pairs().size());
        hashes(lines, "states", saved.states());
        hashes(lines, "pairs", saved.pairs());
        for (int i = 0; i < saved.corpus().size(); i += RECIPES_A_LINE) {
            ObjectNode corpus = line(lines, "corpus");
            saved.corpus()
                    .subList(i, Math.min(saved.corpus().size(), i + RECIPES_A_LINE))
                    .forEach(corpus.putArray("recipes")::add);
        }
        for (Failed failed : saved.failures()) {
            ObjectNode node = line(lines, "failure");
            node.put("slug", failed.signature().slug());
            node.put("id", failed.signature().id())
                    .put("text", failed.signature().text());
            node.put("count", failed.count()).put("first", failed.first());
            failed.file().ifPresent(file -> node.put("file", file));
            node.put("replay", failed.replay());
        }
        line(lines, "end");
        return lines.stream().map(ObjectNode::toString).collect(ImmutableList.toImmutableList());
    }

    private static ObjectNode line(List<ObjectNode> lines, String what) {
        ObjectNode node = JSON.createObjectNode();
        node.put(MARK, what);
        lines.add(node);
        return node;
    }

    private static void hashes(List<ObjectNode> lines, String what, ImmutableList<Long> hashes) {
        for (int i = 0; i < hashes.size(); i += HASHES_A_LINE) {
            List<Long> some = hashes.subList(i, Math.min(hashes.size(), i + HASHES_A_LINE));
            ByteBuffer bytes = ByteBuffer.allocate(some.size() * Long.BYTES);
            some.forEach(bytes::putLong);
            line(lines, what).put("hashes", Base64.getEncoder().encodeToString(bytes.array()));
        }
    }

    /**
     * The campaigns in a file or a log; other lines are passed over.
     *
     * @throws IOException if one is broken off: its pod is still running, or its log was cut
     */
    static ImmutableList<Saved> read(Iterable<String> lines, String from) throws IOException {
        ImmutableList.Builder<Saved> all = ImmutableList.builder();
        Optional<Reading> reading = Optional.empty();
        for (String text : lines) {
            int brace = text.indexOf("{\"" + MARK + "\"");
            if (brace < 0) {
                continue;
            }
            JsonNode node;
            try {
                node = JSON.readTree(text.substring(brace));
            } catch (JacksonException e) {
                throw new IOException(from + ": a line of a campaign is damaged: " + e.getOriginalMessage(), e);
            }
            String what = node.path(MARK).asString("");
            if (what.equals("head")) {
                reading = Optional.of(new Reading(node));
            } else if (reading.isEmpty()) {
                throw new IOException(from + ": a campaign begins in the middle: its first lines are missing");
            } else if (what.equals("end")) {
                all.add(reading.get().whole());
                reading = Optional.empty();
            } else {
                reading.get().take(what, node);
            }
        }
        if (reading.isPresent()) {
            throw new IOException(from + ": a campaign has no end: wait until it has ended, and read the whole of it");
        }
        return all.build();
    }

    /** What a file adds to a campaign that goes on. */
    public static void resume(Campaign campaign, Path file) throws IOException {
        for (Saved saved : read(Files.readAllLines(file), file.toString())) {
            campaign.resume(saved);
        }
    }

    /** The plan of the campaign in the file. */
    public static Optional<Plan> planOf(Path file) throws IOException {
        return read(Files.readAllLines(file), file.toString()).stream()
                .map(Saved::plan)
                .findFirst();
    }

    private static final class Reading {

        private final JsonNode head;
        private final ImmutableList.Builder<Long> states = ImmutableList.builder();
        private final ImmutableList.Builder<Long> pairs = ImmutableList.builder();
        private final ImmutableList.Builder<String> corpus = ImmutableList.builder();
        private final ImmutableList.Builder<Failed> failures = ImmutableList.builder();

        Reading(JsonNode head) {
            this.head = head;
        }

        void take(String what, JsonNode node) {
            switch (what) {
                case "states" -> hashes(node, states);
                case "pairs" -> hashes(node, pairs);
                case "corpus" -> node.path("recipes").forEach(recipe -> corpus.add(recipe.asString()));
                default ->
                    failures.add(new Failed(
                            new Signature(
                                    node.path("id").asString(),
                                    node.path("text").asString()),
                            node.path("count").asLong(),
                            node.path("first").asString(),
                            node.path("file").asStringOpt(),
                            node.path("replay").asString()));
            }
        }

        private static void hashes(JsonNode node, ImmutableList.Builder<Long> into) {
            ByteBuffer bytes = ByteBuffer.wrap(
                    Base64.getDecoder().decode(node.path("hashes").asString()));
            while (bytes.hasRemaining()) {
                into.add(bytes.getLong());
            }
        }

        Saved whole() {
            return new Saved(
                    new Plan(
                            head.path("group").asString(),
                            head.path("plant").asStringOpt(),
                            head.path("from").asLong(),
                            head.path("shard").asInt(),
                            head.path("shards").asInt()),
                    head.path("next").asLong(),
                    head.path("mutations").asLong(),
                    head.path("told").asLong(),
                    head.path("failed").asLong(),
                    head.path("events").asLong(),
                    Duration.ofNanos(head.path("virtualNanos").asLong()),
                    states.build(),
                    pairs.build(),
                    corpus.build(),
                    failures.build());
        }
    }
}
