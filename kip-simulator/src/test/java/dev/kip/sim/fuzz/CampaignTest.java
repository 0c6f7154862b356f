package dev.kip.sim.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.fuzz.Campaign.Job;
import dev.kip.sim.fuzz.Campaign.Plan;
import dev.kip.sim.fuzz.Campaign.Progress;
import dev.kip.sim.kernel.SeededEntropy;
import dev.kip.sim.replay.Failures;
import dev.kip.sim.replay.Replay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CampaignTest {

    @TempDir
    Path folder;

    private static Plan plan(String group, int shard, int shards) {
        return new Plan(group, Optional.empty(), 1, shard, shards);
    }

    private Campaign told(Plan plan, int stories) {
        Campaign campaign = new Campaign(plan);
        for (int i = 0; i < stories; i++) {
            Job job = campaign.next(Long.MAX_VALUE).orElseThrow();
            campaign.take(
                    campaign.tell(job, false),
                    replay ->
                            Optional.of(new Failures(folder).keep(replay).file().toString()));
        }
        return campaign;
    }

    @Test
    void shards_tell_every_seed_once() {
        List<Long> seeds = new ArrayList<>();
        for (int shard = 0; shard < 3; shard++) {
            Campaign campaign = new Campaign(plan("ownership", shard, 3));
            for (Optional<Job> job = campaign.next(11); job.isPresent(); job = campaign.next(11)) {
                seeds.add(job.get().seed());
            }
        }
        assertThat(seeds).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
    }

    @Test
    void a_seed_that_was_begun_and_not_told_to_its_end_is_told_when_the_campaign_goes_on() throws IOException {
        Campaign campaign = new Campaign(plan("ownership", 0, 1));
        Job first = campaign.next(100).orElseThrow();
        Job second = campaign.next(100).orElseThrow();
        campaign.take(campaign.tell(second, false), replay -> Optional.empty());
        Path file = folder.resolve("campaign.json");
        CampaignFile.write(campaign, file);

        Campaign later = new Campaign(CampaignFile.planOf(file).orElseThrow());
        CampaignFile.resume(later, file);

        assertThat(later.progress().told()).isEqualTo(1);
        assertThat(later.next(100).orElseThrow()).isEqualTo(first);
    }

    @Test
    void what_was_covered_and_found_survives_the_file() throws IOException {
        Campaign campaign = told(new Plan(Fuzz.SWARM, Optional.of("no-write-ahead"), 1, 0, 1), 4);
        Path file = folder.resolve("campaign.json");
        CampaignFile.write(campaign, file);

        Campaign later = new Campaign(CampaignFile.planOf(file).orElseThrow());
        CampaignFile.resume(later, file);

        Progress before = campaign.progress();
        assertThat(before.failed()).isPositive();
        assertThat(before.states()).isGreaterThan(20);
        assertThat(before.pairs()).isGreaterThan(20);
        assertThat(later.progress()).isEqualTo(before);
    }

    @Test
    void one_way_of_failing_is_found_once_and_its_file_fails_the_same_way() throws Exception {
        Campaign campaign = told(new Plan(Fuzz.SWARM, Optional.of("no-write-ahead"), 1, 0, 1), 6);

        assertThat(campaign.progress().failed()).isGreaterThan(1);
        assertThat(folder.toFile().list())
                .hasSize(campaign.progress().failures().size());
        for (String name : folder.toFile().list()) {
            Replay replay = Replay.find(folder.resolve(name).toString());
            assertThat(replay.reproducedBy(replay.tell(false))).isTrue();
        }
    }

    @Test
    void shards_are_merged_from_their_logs_and_noise_in_them_is_passed_over() throws Exception {
        Campaign one = told(plan(Fuzz.SWARM, 0, 2), 2);
        Campaign other = told(new Plan(Fuzz.SWARM, Optional.of("no-write-ahead"), 1, 1, 2), 2);
        List<String> log = new ArrayList<>(CampaignFile.lines(one));
        log.add("12:00 INFO something else");
        CampaignFile.lines(other).forEach(line -> log.add("[pod/kip-fuzz-1] " + line));

        Merge merge = new Merge();
        merge.add(log, "log");
        merge.keep(new Failures(folder.resolve("merged")));

        assertThat(merge.parts()).isEqualTo(2);
        Progress whole = merge.whole().progress();
        assertThat(whole.told()).isEqualTo(4);
        assertThat(whole.failed()).isEqualTo(other.progress().failed()).isPositive();
        assertThat(whole.states())
                .isBetween(
                        Math.max(one.progress().states(), other.progress().states()),
                        one.progress().states() + other.progress().states());
        assertThat(folder.resolve("merged").toFile().list())
                .hasSize(whole.failures().size());
        assertThat(log).allMatch(line -> line.length() < 16_000, "fits a line of a container's log");
    }

    @Test
    void a_log_that_was_cut_off_is_refused() {
        ImmutableList<String> lines = CampaignFile.lines(told(plan("ownership", 0, 1), 1));

        assertThatThrownBy(() -> new Merge().add(lines.subList(0, lines.size() - 1), "0.log"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("0.log: a campaign has no end");
        assertThatThrownBy(() -> new Merge().add(List.of("hello"), "1.log"))
                .hasMessageContaining("1.log: holds no result");
    }

    @Test
    void a_recipe_is_written_and_read_and_a_seed_alone_draws_what_it_always_drew() {
        SeededEntropy entropy = new SeededEntropy(5);
        Recipe recipe = Recipe.of(17);
        for (int i = 0; i < 50; i++) {
            assertThat(Recipe.parse(recipe.toString())).isEqualTo(recipe);
            assertThat(Swarm.draw(recipe, Optional.empty()).story().items("steps"))
                    .isNotEmpty();
            recipe = recipe.mutated(entropy);
        }
        assertThat(OwnershipHistory.yaml(Recipe.of(17).choices())).isEqualTo(Fuzz.story(17));
        assertThat(OwnershipHistory.yaml(Recipe.parse("17/5=99/6=17").choices()))
                .isNotEqualTo(Fuzz.story(17));
    }

    @Test
    void stories_that_led_to_something_new_are_varied() {
        Campaign campaign = told(plan(Fuzz.SWARM, 0, 1), 12);

        assertThat(campaign.progress().corpus()).isPositive();
        assertThat(campaign.save().mutations()).isPositive();
        assertThat(campaign.save().corpus()).anyMatch(recipe -> recipe.contains("/"));
    }

    @Test
    void the_job_for_a_cluster_runs_what_the_command_line_knows_and_an_api_server_takes_it() throws Exception {
        String manifest = Files.readString(Path.of("deploy/fuzz-job.yaml"));
        assertThat(JobManifest.created(manifest).at("/spec/completionMode").asString())
                .isEqualTo("Indexed");
        assertThat(JobManifest.simulatorOptions(manifest))
                .containsExactly(
                        "sim",
                        "fuzz",
                        "swarm",
                        "--shard",
                        "0/20",
                        "--for",
                        "1h",
                        "-o",
                        "json",
                        "--failures",
                        "/tmp/failures");
    }
}
