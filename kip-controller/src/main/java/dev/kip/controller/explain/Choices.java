package dev.kip.controller.explain;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.explain.Account.Fact;
import dev.kip.controller.inventory.Texts;
import dev.kip.controller.launch.Candidate;
import dev.kip.controller.launch.Catalogue;
import dev.kip.controller.launch.Exclusion;
import dev.kip.controller.launch.LaunchPlan;
import dev.kip.controller.launch.PodNeeds;
import dev.kip.controller.launch.Ranking;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Which instance types a pod may get, in which order, and why not the others. Pure. */
final class Choices {

    private static final int SHOWN = 5;

    private final int most;

    /** @param everything however long it gets */
    Choices(boolean everything) {
        this.most = everything ? Integer.MAX_VALUE : SHOWN;
    }

    ImmutableList<Fact> of(PodNeeds needs, Catalogue catalogue, LaunchSettings settings) {
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
                .asMap()
                .forEach((exclusion, types) -> leftOut.add(
                        types.size() + " for " + exclusion.text() + ": " + shown(List.copyOf(types), ", ")));
        facts.add(new Fact("left out", leftOut.isEmpty() ? "none" : String.join("; ", leftOut)));
        facts.add(new Fact("and of them", places(ranking)));
        if (!needs.spread().constraints().isEmpty()) {
            facts.add(new Fact("spread", needs.spread().text()));
        }
        return facts.build();
    }

    /** Markets and zones of the types that fit, by reason. */
    private String places(Ranking ranking) {
        Map<Exclusion, Map<String, Set<String>>> reasons = new TreeMap<>();
        for (Ranking.Place place : ranking.places()) {
            reasons.computeIfAbsent(place.exclusion(), any -> new LinkedHashMap<>())
                    .computeIfAbsent(place.type() + market(place.market()), any -> new LinkedHashSet<>())
                    .add(place.zone());
        }
        List<String> told = new ArrayList<>();
        reasons.forEach((exclusion, offers) -> {
            List<String> lines = new ArrayList<>();
            offers.forEach((offer, zones) -> lines.add(offer + " (" + String.join(", ", zones) + ")"));
            told.add(lines.size() + " for " + exclusion.text() + ": " + shown(lines, "; "));
        });
        return told.isEmpty() ? "every zone and market fits" : String.join("; ", told);
    }

    private static String market(Market market) {
        return market == Market.SPOT ? " spot" : " on demand";
    }

    private static String offer(Candidate candidate) {
        return candidate.offering().type()
                + market(candidate.market())
                + (candidate.hourlyUsd() < Double.POSITIVE_INFINITY
                        ? " " + Texts.usd(candidate.hourlyUsd()) + " an hour"
                        : ", price unknown");
    }

    private String shown(List<String> all, String separator) {
        return String.join(separator, all.subList(0, Math.min(most, all.size())))
                + (all.size() > most ? separator + "and " + (all.size() - most) + " more" : "");
    }
}
