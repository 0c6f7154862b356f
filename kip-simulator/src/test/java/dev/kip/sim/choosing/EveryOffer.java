package dev.kip.sim.choosing;

import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.controller.launch.Catalogue.Places;
import dev.kip.controller.launch.Catalogue.Pool;
import dev.kip.sim.choosing.DrawnPod.Box;
import dev.kip.sim.choosing.DrawnPod.Line;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The rules of choosing, written down plainly: every offer is judged on its own, and the cheapest of those that pass wins. */
final class EveryOffer {

    /** What is launched, as {@code type subnet market}. */
    record Offer(Offering type, SubnetFacts subnet, boolean spot, double price) {
        String text() {
            return type.type() + " " + subnet.id() + " " + (spot ? Market.SPOT : Market.ON_DEMAND);
        }
    }

    private final List<Offering> types;
    private final List<SubnetFacts> subnets;
    private final Places places;
    private final boolean burstable;

    EveryOffer(List<Offering> types, List<SubnetFacts> subnets, Places places, boolean burstable) {
        this.types = types;
        this.subnets = subnets;
        this.places = places;
        this.burstable = burstable;
    }

    /** @param full offers that there is no room for, as {@link Offer#text} */
    String cheapest(DrawnPod pod, Set<String> full) {
        List<Offer> passing = new ArrayList<>();
        String named = named(pod);
        boolean anything = (named.isEmpty() && asksForNothing(pod) && defaultIsAllowed(pod))
                || (!named.isEmpty() && !named.contains("*"));
        long cpu = pod.overheadCpu + peak(pod, true);
        long memory = peak(pod, false);
        for (Offering type : types) {
            if (!anything && !large(pod, type, cpu, memory)) {
                continue;
            }
            for (SubnetFacts subnet : subnets) {
                for (boolean spot : new boolean[] {false, true}) {
                    Offer offer = new Offer(type, subnet, spot, price(type, subnet, spot));
                    if (offered(type, subnet) && passes(pod, offer)) {
                        passing.add(offer);
                    }
                }
            }
        }
        passing.sort(Comparator.comparingDouble(Offer::price)
                .thenComparing(offer -> offer.type.type())
                .thenComparing(Offer::spot)
                .thenComparing(offer -> -offer.subnet.freeAddresses())
                .thenComparing(offer -> offer.subnet.id()));
        for (Offer offer : passing) {
            if (!full.contains(offer.text())) {
                return offer.text();
            }
        }
        return passing.isEmpty() ? "nothing fits" : "no room";
    }

    private boolean offered(Offering type, SubnetFacts subnet) {
        return places.zones().get(type.type()).contains(subnet.zone());
    }

    private double price(Offering type, SubnetFacts subnet, boolean spot) {
        double list = list(type);
        Double now = places.spotUsd().get(new Pool(type.type(), subnet.zone()));
        return spot && now != null && now > 0 ? now : list;
    }

    /** A price of nothing or that is no number is none. */
    private static double list(Offering type) {
        return type.hourlyUsd().filter(usd -> usd > 0).orElse(Double.POSITIVE_INFINITY);
    }

    private boolean passes(DrawnPod pod, Offer offer) {
        String named = named(pod);
        if (!market(pod, offer) || !selected(pod, offer) || !ordinaryZone(pod, offer)) {
            return false;
        }
        boolean says = !named.isEmpty() && !named.startsWith("*");
        if (!offer.type.architecture().equals("x86_64")
                && !says
                && !mentions(pod, "kubernetes.io/arch")
                && !asks(pod, offer, "node.kubernetes.io/instance-type", "karpenter.k8s.aws/instance-family")) {
            return false;
        }
        if (!named.isEmpty() && !named.contains("*")) {
            return offer.type.type().equals(named);
        }
        if (named.isEmpty() && asksForNothing(pod) && defaultIsAllowed(pod)) {
            return offer.type.type().equals("t3.nano");
        }
        return globbed(named, offer.type.type())
                && usual(pod, offer, named, says)
                && offer.price < Double.POSITIVE_INFINITY;
    }

    private boolean usual(DrawnPod pod, Offer offer, String named, boolean says) {
        Offering type = offer.type;
        boolean old = !type.currentGeneration()
                && !says
                && !asks(pod, offer, "node.kubernetes.io/instance-type", "karpenter.k8s.aws/instance-family");
        boolean metal = type.bareMetal()
                && !named.contains("metal")
                && !asks(pod, offer, "node.kubernetes.io/instance-type", "karpenter.k8s.aws/instance-size");
        boolean slow = type.burstable()
                && !burstable
                && !named.startsWith("t")
                && !asks(
                        pod,
                        offer,
                        "node.kubernetes.io/instance-type",
                        "karpenter.k8s.aws/instance-family",
                        "karpenter.k8s.aws/instance-category");
        return !old && !metal && !slow;
    }

    private static boolean market(DrawnPod pod, Offer offer) {
        String launch = pod.annotations.getOrDefault("pod.elotl.co/launch-type", "");
        if (!launch.isEmpty()) {
            return launch.equals("spot") == offer.spot;
        }
        if (!mentions(pod, "karpenter.sh/capacity-type")) {
            return !offer.spot;
        }
        return !offer.spot || offer.price <= list(offer.type);
    }

    private static boolean ordinaryZone(DrawnPod pod, Offer offer) {
        return offer.subnet.zone().matches("us-east-1[a-z]") || mentions(pod, "topology.kubernetes.io/zone");
    }

    private static boolean asksForNothing(DrawnPod pod) {
        return pod.gpus == 0
                && pod.overheadCpu == 0
                && pod.boxes.stream().allMatch(box -> box.cpu() == 0 && box.memory() == 0);
    }

    private boolean defaultIsAllowed(DrawnPod pod) {
        Offering nano = types.stream()
                .filter(type -> type.type().equals("t3.nano"))
                .findFirst()
                .orElseThrow();
        for (SubnetFacts subnet : subnets) {
            for (boolean spot : new boolean[] {false, true}) {
                if (offered(nano, subnet) && selected(pod, new Offer(nano, subnet, spot, 0))) {
                    return true;
                }
            }
        }
        return pod.selector.isEmpty() && pod.terms.isEmpty();
    }

    private static boolean globbed(String named, String type) {
        return named.isEmpty() || type.matches(named.replace(".", "\\.").replace("*", ".*"));
    }

    private static String named(DrawnPod pod) {
        return pod.annotations.getOrDefault(
                "pod.elotl.co/instance-type", pod.selector.getOrDefault("node.kubernetes.io/instance-type", ""));
    }

    private static boolean large(DrawnPod pod, Offering type, long cpu, long memory) {
        long share = (long) Math.ceil(type.memoryMib() * 425 / 10_000.0);
        boolean gpus = type.gpus() >= pod.gpus;
        String kind = pod.gpus > 0 ? pod.selector.getOrDefault("accelerator", "") : "";
        return cpu <= type.vcpus() * 1000L
                && (memory == 0 || memory <= type.memoryMib() - 192 - share)
                && gpus
                && (kind.isEmpty()
                        || type.gpuName()
                                .toLowerCase(java.util.Locale.ROOT)
                                .endsWith(kind.substring(kind.lastIndexOf('-') + 1)));
    }

    /** The most that runs at one time: each init container beside the sidecars before it, or all that goes on. */
    private static long peak(DrawnPod pod, boolean cpu) {
        long highest = 0;
        long beside = 0;
        long containers = 0;
        for (Box box : pod.boxes) {
            long amount = cpu ? box.cpu() : box.memory();
            if (!box.init()) {
                containers += amount;
            } else {
                highest = Math.max(highest, beside + amount);
                beside += box.sidecar() ? amount : 0;
            }
        }
        return Math.max(highest, beside + containers);
    }

    private static boolean selected(DrawnPod pod, Offer offer) {
        for (Map.Entry<String, String> entry : pod.selector.entrySet()) {
            if (!holds(new Line(entry.getKey(), "In", List.of(entry.getValue())), offer)) {
                return false;
            }
        }
        return pod.terms.isEmpty()
                || pod.terms.stream().anyMatch(term -> term.stream().allMatch(line -> holds(line, offer)));
    }

    private static boolean holds(Line line, Offer offer) {
        if (line.key().equals("accelerator") || line.key().startsWith("team.")) {
            return true;
        }
        Optional<String> label = label(line.key(), offer);
        switch (line.operator()) {
            case "In":
                return label.isPresent() && line.values().contains(label.get());
            case "NotIn":
                return label.isEmpty() || !line.values().contains(label.get());
            case "Exists":
                return label.isPresent();
            case "DoesNotExist":
                return label.isEmpty();
            default:
                String bound = line.values().get(0);
                if (label.isEmpty() || !label.get().matches("[0-9]+") || !bound.matches("[0-9]+")) {
                    return false;
                }
                long value = Long.parseLong(label.get());
                return line.operator().equals("Gt") ? value > Long.parseLong(bound) : value < Long.parseLong(bound);
        }
    }

    private static Optional<String> label(String key, Offer offer) {
        Offering type = offer.type;
        String[] parts = type.type().split("\\.", 2);
        switch (key.substring(key.indexOf('/') + 1)) {
            case "instance-type":
                return Optional.of(type.type());
            case "zone":
                return Optional.of(offer.subnet.zone());
            case "arch":
                return Optional.of(type.architecture().equals("arm64") ? "arm64" : "amd64");
            case "capacity-type":
                return Optional.of(offer.spot ? "spot" : "on-demand");
            case "instance-family":
                return Optional.of(parts[0]);
            case "instance-size":
                return Optional.of(parts[1]);
            case "instance-category":
                return Optional.of(parts[0].replaceAll("[0-9].*", ""));
            case "instance-generation":
                return Optional.of(parts[0].replaceAll("^[a-z]+([0-9]+).*", "$1"));
            case "instance-cpu":
                return Optional.of(Integer.toString(type.vcpus()));
            case "instance-memory":
                return Optional.of(Long.toString(type.memoryMib()));
            case "instance-gpu-name":
                return type.gpus() == 0
                        ? Optional.empty()
                        : Optional.of(type.gpuName()
                                .toLowerCase(java.util.Locale.ROOT)
                                .replaceFirst("^[a-z]+ ", "")
                                .replace(' ', '-'));
            default:
                return Optional.empty();
        }
    }

    private static boolean mentions(DrawnPod pod, String key) {
        return pod.selector.containsKey(key)
                || pod.terms.stream()
                        .flatMap(List::stream)
                        .anyMatch(line -> line.key().equals(key));
    }

    /** Whether a line says: this very one. */
    private static boolean asks(DrawnPod pod, Offer offer, String... keys) {
        List<String> wanted = List.of(keys);
        return pod.selector.entrySet().stream()
                        .anyMatch(entry -> wanted.contains(entry.getKey())
                                && label(entry.getKey(), offer)
                                        .filter(entry.getValue()::equals)
                                        .isPresent())
                || pod.terms.stream()
                        .flatMap(List::stream)
                        .anyMatch(line -> wanted.contains(line.key())
                                && line.operator().equals("In")
                                && label(line.key(), offer)
                                        .filter(line.values()::contains)
                                        .isPresent());
    }
}
