package dev.kip.sim.fuzz;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.fuzz.Told.CoverageSets;
import dev.kip.sim.kernel.SeededEntropy;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.replay.Signature;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Runner.SimulatedWorld;
import dev.kip.sim.world.Worlds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Many stories, one after the other, and what they have shown. Which come next depends on what was covered, so a campaign is
 * not repeatable; each of its stories is, by its recipe. Safe for several threads.
 */
public final class Campaign {

    private static final int MUTATE_ONE_OF = 2;

    private final Plan plan;
    private final List<Recipe> corpus = new ArrayList<>();
    private final TreeSet<Long> states = new TreeSet<>();
    private final TreeSet<Long> pairs = new TreeSet<>();
    private final Map<String, Failed> failures = new LinkedHashMap<>();
    private final TreeMap<Long, Boolean> begun = new TreeMap<>();
    private long next;
    private long mutations;
    private long told;
    private long failed;
    private long events;
    private Duration virtual = Duration.ZERO;

    public Campaign(Plan plan) {
        this.plan = plan;
        this.next = plan.first();
    }

    /**
     * What is told.
     *
     * @param group of histories: {@code ownership} as each seed draws them, {@code swarm} in worlds that differ and guided by
     *     what is new
     * @param plant a bug that all controllers have
     * @param from the first seed
     * @param shard of {@code shards}, from 0: only every so-manieth seed
     */
    public record Plan(String group, Optional<String> plant, long from, int shard, int shards) {

        long first() {
            return from + shard;
        }

        boolean guided() {
            return group.equals(Fuzz.SWARM);
        }
    }

    /** A story to be told. */
    public record Job(Recipe recipe, boolean fresh) {

        public long seed() {
            return recipe.seed();
        }

        /** As it is written to tell it again. */
        public String text() {
            return recipe.toString();
        }
    }

    /** A way of failing. */
    record Failed(Signature signature, long count, String first, Optional<String> file, String replay) {}

    /** The next story; empty if seeds up to {@code last} have been told. */
    public synchronized Optional<Job> next(long last) {
        if (next >= last) {
            return Optional.empty();
        }
        SeededEntropy entropy = new SeededEntropy(plan.from()).fork("campaign").fork(next + " " + mutations);
        if (plan.guided() && !corpus.isEmpty() && entropy.below(MUTATE_ONE_OF) == 0) {
            mutations++;
            Recipe parent = corpus.get((int) entropy.below(corpus.size()));
            return Optional.of(new Job(parent.mutated(entropy), false));
        }
        Recipe recipe = Recipe.of(next);
        begun.put(next, true);
        next += plan.shards();
        return Optional.of(new Job(recipe, true));
    }

    /** Tells it; may be called by several threads at once. */
    public Told tell(Job job, boolean keepTimeline) {
        Replay replay = plan.guided()
                ? Swarm.draw(job.recipe(), plan.plant())
                : Fuzz.replay(job.recipe().seed(), plan.plant());
        Coverage coverage = new Coverage();
        Outcomes outcomes = replay.tell(
                (scenario, seed, keep, parts) -> {
                    SimulatedWorld world = Worlds.with(() -> parts).make(scenario, seed, keep);
                    if (plan.guided()) {
                        world.kernel().trace().witness(coverage);
                    }
                    return world;
                },
                keepTimeline);
        return new Told(job, replay, outcomes, new CoverageSets(coverage.states(), coverage.pairs()));
    }

    /**
     * Takes what was shown.
     *
     * @param keep keeps the failure and names its file
     * @return the failure, if it failed
     */
    public synchronized Optional<Found> take(Told story, Keep keep) {
        told++;
        events += story.outcomes().events();
        virtual = virtual.plus(story.outcomes().took());
        if (story.job().fresh()) {
            begun.remove(story.job().seed());
        }
        boolean anew = states.addAll(story.coverage().states());
        anew |= pairs.addAll(story.coverage().pairs());
        if (anew && plan.guided() && story.outcomes().passed()) {
            corpus.add(story.job().recipe());
        }
        if (story.outcomes().passed()) {
            return Optional.empty();
        }
        failed++;
        Replay replay = Replay.of(story.replay().story(), story.outcomes(), plan.plant());
        Signature signature = replay.signature().orElseThrow();
        Failed before = failures.get(signature.slug());
        Failed now = before == null
                ? new Failed(signature, 1, story.job().text(), keep.keep(replay), replay.text())
                : new Failed(signature, before.count + 1, before.first, before.file, before.replay);
        failures.put(signature.slug(), now);
        return Optional.of(new Found(before == null, now.file));
    }

    /** A story that failed. */
    public record Found(boolean isNew, Optional<String> file) {}

    /** Keeps a failure. */
    public interface Keep {
        /** @return its file */
        Optional<String> keep(Replay replay);
    }

    /** How far it has come. */
    public synchronized Progress progress() {
        ImmutableMap.Builder<String, Long> kinds = ImmutableMap.builder();
        failures.forEach((slug, one) -> kinds.put(slug, one.count));
        return new Progress(
                plan,
                resumeAt(),
                told,
                failed,
                events,
                virtual,
                states.size(),
                pairs.size(),
                corpus.size(),
                kinds.buildOrThrow());
    }

    /** The first seed that was not told to its end. */
    private long resumeAt() {
        return begun.isEmpty() ? next : begun.firstKey();
    }

    /**
     * Figures of a campaign.
     *
     * @param next the seed that it goes on with
     * @param failures by signature
     */
    public record Progress(
            Plan plan,
            long next,
            long told,
            long failed,
            long events,
            Duration virtual,
            int states,
            int pairs,
            int corpus,
            ImmutableMap<String, Long> failures) {}

    /** All of it, to go on with another time or to be merged. */
    synchronized Saved save() {
        return new Saved(
                plan,
                resumeAt(),
                mutations,
                told,
                failed,
                events,
                virtual,
                ImmutableList.copyOf(states),
                ImmutableList.copyOf(pairs),
                corpus.stream().map(Recipe::toString).collect(ImmutableList.toImmutableList()),
                ImmutableList.copyOf(failures.values()));
    }

    /** As {@link #save} gave it. */
    record Saved(
            Plan plan,
            long next,
            long mutations,
            long told,
            long failed,
            long events,
            Duration virtual,
            ImmutableList<Long> states,
            ImmutableList<Long> pairs,
            ImmutableList<String> corpus,
            ImmutableList<Failed> failures) {}

    /** Takes what another campaign, or an earlier part of this one, has shown. */
    synchronized void add(Saved other) {
        told += other.told;
        failed += other.failed;
        events += other.events;
        virtual = virtual.plus(other.virtual);
        states.addAll(other.states);
        pairs.addAll(other.pairs);
        other.corpus.forEach(text -> corpus.add(Recipe.parse(text)));
        for (Failed one : other.failures) {
            failures.merge(
                    one.signature.slug(),
                    one,
                    (mine, theirs) -> new Failed(
                            mine.signature,
                            mine.count + theirs.count,
                            mine.first,
                            mine.file.or(() -> theirs.file),
                            mine.replay));
        }
    }

    /** As {@link #add}, and goes on where it ended. */
    synchronized void resume(Saved earlier) {
        add(earlier);
        next = earlier.next;
        mutations = earlier.mutations;
    }
}
