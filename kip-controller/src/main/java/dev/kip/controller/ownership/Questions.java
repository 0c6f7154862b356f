package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.cell.CellAddress;
import dev.kip.cell.CellApi;
import dev.kip.cell.CellReport;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.calls.Calls;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;

/** Asks agents what they hold, all at the same time, each once in a round. Confined to the loop. */
public final class Questions {

    /** A round waits no longer for an answer; one that comes later counts all the same. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final CellApi agents;
    private final Calls calls;
    private final int agentPort;
    private final LongConsumer highestEpoch;

    /** Have said once what they hold: that changes only by our own orders. */
    private final Map<String, CellReport> heard = new LinkedHashMap<>();

    private ImmutableList<String> silent = ImmutableList.of();

    /** @param highestEpoch told the highest epoch that each agent has seen */
    public Questions(CellApi agents, Calls calls, int agentPort, LongConsumer highestEpoch) {
        this.agents = agents;
        this.calls = calls;
        this.agentPort = agentPort;
        this.highestEpoch = highestEpoch;
    }

    /** @param done told once, when all have answered or the time is over */
    void ask(ImmutableList<InstanceFacts> instances, BiConsumer<InstanceFacts, CellReport> answer, Runnable done) {
        new Round(instances, answer, done).begin();
    }

    /** Those of the last round that have never answered. */
    ImmutableList<String> silent() {
        return silent.stream().filter(id -> !heard.containsKey(id)).collect(ImmutableList.toImmutableList());
    }

    private final class Round {

        private final ImmutableList<InstanceFacts> instances;
        private final ImmutableList<InstanceFacts> unheard;
        private final BiConsumer<InstanceFacts, CellReport> answer;
        private final Runnable done;
        private int open;
        private boolean over;

        Round(ImmutableList<InstanceFacts> instances, BiConsumer<InstanceFacts, CellReport> answer, Runnable done) {
            this.instances = instances;
            this.unheard = instances.stream()
                    .filter(instance -> !heard.containsKey(instance.id()))
                    .collect(ImmutableList.toImmutableList());
            this.answer = answer;
            this.done = done;
        }

        void begin() {
            for (InstanceFacts instance : instances) {
                Optional.ofNullable(heard.get(instance.id())).ifPresent(report -> answer.accept(instance, report));
            }
            silent = unheard.stream().map(InstanceFacts::id).collect(ImmutableList.toImmutableList());
            ImmutableSet<InstanceFacts> reachable = unheard.stream()
                    .filter(instance -> instance.privateIp().isPresent())
                    .collect(ImmutableSet.toImmutableSet());
            open = reachable.size();
            if (open == 0) {
                finish();
                return;
            }
            calls.after(PATIENCE, "agents", this::finish);
            for (InstanceFacts instance : reachable) {
                CellAddress address =
                        new CellAddress(instance.id(), instance.privateIp().orElse(""), agentPort);
                calls.on(
                        "cell",
                        "watch",
                        agents.watch(address, 0, Duration.ZERO),
                        report -> {
                            take(instance, report);
                            came();
                        },
                        error -> came());
            }
        }

        private void take(InstanceFacts instance, CellReport report) {
            heard.put(instance.id(), report);
            highestEpoch.accept(report.highestEpoch());
            answer.accept(instance, report);
        }

        private void came() {
            open--;
            if (open == 0) {
                finish();
            }
        }

        private void finish() {
            if (!over) {
                over = true;
                done.run();
            }
        }
    }
}
