package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.ControllerSettings.NodeSettings;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Judges candidates for one pod. Pure. */
final class Screen {

    private final PodNeeds needs;
    private final Catalogue catalogue;
    private final boolean burstable;
    private final Optional<String> fixed;
    private final Optional<Pattern> glob;
    private final boolean familyNamed;
    private final boolean anyArchitecture;
    private final boolean eitherMarket;
    private final boolean zoneNamed;
    private final Market market;

    Screen(PodNeeds needs, Catalogue catalogue, LaunchSettings settings) {
        this.needs = needs;
        this.catalogue = catalogue;
        this.burstable = settings.burstable();
        this.fixed = fixed(needs, catalogue, settings);
        this.glob = fixed.isPresent() ? Optional.empty() : needs.instanceType().map(Screen::glob);
        this.familyNamed =
                needs.instanceType().filter(name -> !name.startsWith("*")).isPresent();
        this.anyArchitecture = familyNamed || needs.selection().mentions(Labels.ARCH);
        this.eitherMarket = needs.market().isEmpty() && needs.selection().mentions(Labels.MARKET);
        this.market = needs.market().orElse(Market.ON_DEMAND);
        this.zoneNamed = needs.selection().mentions(Labels.ZONE)
                || catalogue.subnets().stream().noneMatch(Candidate::ordinary);
    }

    /** The type that was named, or the default of pods that ask for nothing, if it is what the pod's selection allows. */
    private static Optional<String> fixed(PodNeeds needs, Catalogue catalogue, LaunchSettings settings) {
        if (needs.instanceType().isPresent()) {
            return needs.instanceType().filter(type -> !type.contains("*"));
        }
        if (needs.anyResources()) {
            return Optional.empty();
        }
        String type = settings.defaultInstanceType();
        boolean allowed = needs.selection().isEmpty()
                || catalogue.candidates().stream()
                        .anyMatch(candidate -> candidate.offering().type().equals(type)
                                && needs.selection().admits(candidate));
        return allowed ? Optional.of(type) : Optional.empty();
    }

    /** Those of the markets that the pod may be on, cheapest first. */
    ImmutableList<Candidate> candidates() {
        return eitherMarket ? catalogue.candidates() : catalogue.byMarket().get(market);
    }

    Optional<String> fixed() {
        return fixed;
    }

    /** Why not; empty if it fits. Whether there is room for it is not asked. */
    Optional<Exclusion> excludes(Candidate candidate) {
        Offering offering = candidate.offering();
        if (!eitherMarket && candidate.market() != market) {
            return Exclusion.MARKET.reason();
        }
        if (fixed.isPresent()) {
            return offering.type().equals(fixed.get()) ? place(candidate) : Exclusion.NAME.reason();
        }
        if (offering.vcpus() * 1000L < needs.milliCpus()) {
            return Exclusion.CPU.reason();
        }
        if (needs.memoryBytes() > 0 && candidate.usableBytes() < needs.memoryBytes()) {
            return Exclusion.MEMORY.reason();
        }
        if (offering.gpus() < needs.gpus()) {
            return Exclusion.GPUS.reason();
        }
        if (needs.gpuKind().isPresent() && !kind(needs.gpuKind().get()).equals(kind(offering.gpuName()))) {
            return Exclusion.GPU_KIND.reason();
        }
        return kept(candidate).or(() -> place(candidate));
    }

    /** What is not chosen by its size alone. */
    private Optional<Exclusion> kept(Candidate candidate) {
        Offering offering = candidate.offering();
        if (glob.isPresent() && !glob.get().matcher(offering.type()).matches()) {
            return Exclusion.NAME.reason();
        }
        if (!offering.currentGeneration() && !familyNamed && !needs.selection().names(Labels.FAMILIES, candidate)) {
            return Exclusion.OLD_GENERATION.reason();
        }
        if (offering.bareMetal()
                && !needs.instanceType().filter(name -> name.contains("metal")).isPresent()
                && !needs.selection().names(Labels.SIZE, candidate)) {
            return Exclusion.BARE_METAL.reason();
        }
        if (offering.burstable()
                && !burstable
                && !needs.instanceType().filter(name -> name.startsWith("t")).isPresent()
                && !needs.selection().names(Labels.CATEGORY, candidate)) {
            return Exclusion.BURSTABLE.reason();
        }
        return candidate.priced() ? Optional.empty() : Exclusion.NO_PRICE.reason();
    }

    private Optional<Exclusion> place(Candidate candidate) {
        Offering offering = candidate.offering();
        // A pod that says nothing has images for what the virtual node says it is; whoever names a type knows what it
        // is.
        if (!anyArchitecture
                && !Labels.architecture(offering.architecture()).equals(NodeSettings.ARCHITECTURE)
                && !needs.selection().names(Labels.FAMILIES, candidate)) {
            return Exclusion.ARCHITECTURE.reason();
        }
        if (!catalogue.images().containsKey(offering.architecture())) {
            return Exclusion.NO_IMAGE.reason();
        }
        if (!zoneNamed && !candidate.ordinaryZone()) {
            return Exclusion.OPT_IN_ZONE.reason();
        }
        if (!needs.selection().admits(candidate)) {
            return Exclusion.SELECTION.reason();
        }
        if (eitherMarket && candidate.market() == Market.SPOT && candidate.hourlyUsd() > candidate.listUsd()) {
            return Exclusion.DEARER_SPOT.reason();
        }
        return Optional.empty();
    }

    private static Pattern glob(String glob) {
        return Pattern.compile(Pattern.quote(glob).replace("*", "\\E.*\\Q"));
    }

    /** {@code nvidia-tesla-v100} and EC2's {@code NVIDIA V100} are one. */
    private static String kind(String name) {
        return name.toLowerCase(Locale.ROOT)
                .replace("nvidia", "")
                .replace("tesla", "")
                .replaceAll("[^a-z0-9]", "");
    }
}
