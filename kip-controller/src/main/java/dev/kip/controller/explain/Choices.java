package dev.kip.controller.explain;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.explain.Account.Fact;
import dev.kip.controller.inventory.Texts;
import dev.kip.controller.launch.Candidate;
import dev.kip.controller.launch.Catalogue;
import dev.kip.controller.launch.LaunchPlan;
import dev.kip.controller.launch.PodNeeds;
import dev.kip.controller.launch.Ranking;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which instance types a pod may get, in which order, and why not the others. Pure. */
final class Choices {

    private static final int SHOWN = 5;

    private Choices() {}

    static ImmutableList<Fact> of(PodNeeds needs, Catalogue catalogue, LaunchSettings settings) {
        if (needs.problem().isPresent()) {
            return ImmutableList.of();
        }
        Ranking ranking = new LaunchPlan(settings).rank(needs, catalogue);
        ImmutableList.Builder<Fact> facts = ImmutableList.builder();
        Map<String, List<String>> zones = new LinkedHashMap<>();
        for (Candidate candidate : ranking.fitting()) {
            zones.computeIfAbsent(offer(candidate), any -> new ArrayList<>())
                    .add(candidate.subnet().zone());
        }
        List<String> offers = new ArrayList<>();
        zones.forEach((offer, in) -> offers.add(offer + " (" + String.join(", ", in) + ")"));
        facts.add(new Fact(
                "types",
                offers.isEmpty()
                        ? "none fits"
                        : shown(offers, "; ") + ", in this order; one that EC2 lately had no room for is passed over"));
        List<String> leftOut = new ArrayList<>();
        ranking.leftOut()
                .forEach((exclusion, types) ->
                        leftOut.add(types.size() + " for " + exclusion.text() + ": " + shown(types, ", ")));
        facts.add(new Fact("left out", leftOut.isEmpty() ? "none" : String.join("; ", leftOut)));
        return facts.build();
    }

    private static String offer(Candidate candidate) {
        return candidate.offering().type()
                + (candidate.market() == Market.SPOT ? " spot" : " on demand")
                + (candidate.hourlyUsd() < Double.POSITIVE_INFINITY
                        ? " " + Texts.usd(candidate.hourlyUsd()) + " an hour"
                        : ", price unknown");
    }

    private static String shown(List<String> all, String separator) {
        return String.join(separator, all.subList(0, Math.min(SHOWN, all.size())))
                + (all.size() > SHOWN ? separator + "and " + (all.size() - SHOWN) + " more" : "");
    }
}
