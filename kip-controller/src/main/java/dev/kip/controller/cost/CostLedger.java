package dev.kip.controller.cost;

import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.inventory.Texts;
import dev.kip.controller.launch.Candidate;
import dev.kip.controller.launch.Catalogue;
import dev.kip.controller.launch.Problem;
import dev.kip.crd.CellStatus;
import dev.kip.kube.ObjectRef;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What each pod's instance costs an hour, from the moment it is chosen until its Cell is gone, and whether another may be
 * launched. A change of a cell changes sums by a difference; only new prices are worked out by kinds of instances. In
 * millionths of a dollar, so that what is added and taken off again leaves nothing. Confined to the loop.
 */
public final class CostLedger {

    /** Pods that are told one by one; there are more metrics than anybody reads beyond that. */
    static final int TOLD_PODS = 500;

    private static final BigDecimal MILLION = BigDecimal.valueOf(1_000_000);
    private static final String ANYWHERE = "";

    private final BudgetSettings budget;
    private final ControllerListener listener;
    private final Map<String, Entry> byPod = new LinkedHashMap<>();
    private final Map<Group, Map<Offer, Integer>> counts = new LinkedHashMap<>();
    private final Map<Group, Long> sums = new LinkedHashMap<>();
    private final Map<String, Long> byNamespace = new LinkedHashMap<>();
    private final Set<String> told = new LinkedHashSet<>();
    private final Set<String> refused = new LinkedHashSet<>();
    private Map<Offer, Long> prices = new LinkedHashMap<>();
    private long total;
    private int unpriced;

    /** @param zone empty if not known: then the price is the list price */
    public record Offer(String type, Market market, String zone) {}

    private record Group(String namespace, Market market) {}

    private record Entry(ObjectRef pod, Offer offer) {

        Group group() {
            return new Group(pod.namespace(), offer.market());
        }
    }

    public CostLedger(BudgetSettings budget, ControllerListener listener) {
        this.budget = budget;
        this.listener = listener;
    }

    /** Prices are known anew. */
    public void priced(Catalogue catalogue) {
        Map<Offer, Long> known = new LinkedHashMap<>();
        for (Candidate candidate : catalogue.candidates()) {
            String type = candidate.offering().type();
            put(known, new Offer(type, candidate.market(), candidate.subnet().zone()), candidate.hourlyUsd());
            put(known, new Offer(type, Market.ON_DEMAND, ANYWHERE), candidate.listUsd());
            put(known, new Offer(type, Market.SPOT, ANYWHERE), candidate.listUsd());
        }
        if (known.equals(prices)) {
            return;
        }
        prices = known;
        total = 0;
        unpriced = 0;
        byNamespace.clear();
        counts.forEach((group, offers) -> {
            long sum = 0;
            for (Map.Entry<Offer, Integer> offer : offers.entrySet()) {
                OptionalLong price = micros(offer.getKey());
                sum += price.orElse(0) * offer.getValue();
                unpriced += price.isPresent() ? 0 : offer.getValue();
            }
            sums.put(group, sum);
            byNamespace.merge(group.namespace(), sum, Long::sum);
            total += sum;
            listener.cost(group.namespace(), word(group.market()), OptionalLong.of(sum));
        });
        listener.unpriced(unpriced);
        told.forEach(this::tell);
    }

    private static void put(Map<Offer, Long> known, Offer offer, double usd) {
        if (usd < Double.POSITIVE_INFINITY) {
            known.put(offer, Math.round(usd * 1_000_000));
        }
    }

    /** Counts what is about to be launched for a pod; if the budget has no room for it, says so and counts nothing. */
    public Optional<Problem> reserve(String podUid, ObjectRef pod, Offer offer) {
        remove(podUid);
        Optional<Problem> problem = refusal(pod.namespace(), offer);
        if (problem.isPresent()) {
            refused.add(podUid);
            listener.overBudget(refused.size());
        } else {
            forgive(podUid);
            place(podUid, new Entry(pod, offer));
        }
        return problem;
    }

    private Optional<Problem> refusal(String namespace, Offer offer) {
        Optional<BigDecimal> ofNamespace =
                Optional.ofNullable(budget.namespaces().get(namespace));
        if (budget.hourlyUsd().isEmpty() && ofNamespace.isEmpty()) {
            return Optional.empty();
        }
        OptionalLong price = micros(offer);
        if (price.isEmpty()) {
            return Optional.of(new Problem(
                    "PriceUnknown",
                    "there is a budget, and what " + offer.type()
                            + " costs is not known, so that it can't be held to it."
                            + " Choose another instance type, or give its price: kip prices refresh"));
        }
        if (ofNamespace.isPresent()
                && byNamespace.getOrDefault(namespace, 0L) + price.getAsLong() > micros(ofNamespace.get())) {
            return Optional.of(reached("budget.namespaces." + namespace, ofNamespace.get(), offer, price.getAsLong()));
        }
        return budget.hourlyUsd()
                .filter(ceiling -> total + price.getAsLong() > micros(ceiling))
                .map(ceiling -> reached("budget.hourlyUSD", ceiling, offer, price.getAsLong()));
    }

    private static Problem reached(String key, BigDecimal ceiling, Offer offer, long price) {
        return new Problem(
                "BudgetReached",
                "another " + offer.type() + " (" + Texts.usd(price / 1e6) + " an hour) would take the cells over "
                        + key + ", which is " + Texts.usd(ceiling.doubleValue())
                        + " an hour. It is launched when there is room: delete pods, or raise " + key
                        + ". kip cells lists what costs");
    }

    /** A pod's cell has changed. */
    public void changed(CellFacts before, CellFacts after) {
        Optional<CellStatus> bound = after.binding().map(binding -> binding.status());
        if (bound.isPresent()) {
            CellStatus cell = bound.get();
            Market market = cell.launchType().equals("Spot") ? Market.SPOT : Market.ON_DEMAND;
            take(
                    after.podUid(),
                    new ObjectRef(cell.podNamespace(), cell.podName()),
                    new Offer(cell.instanceType(), market, zone(after, cell.instanceType())));
        } else if (after.batch().isPresent()) {
            after.assigned()
                    .ifPresent(
                            instance -> after.pod().ifPresent(pod -> take(after.podUid(), pod.ref(), offer(instance))));
        } else if (!after.wantsToRun() || !after.phase().equals(before.phase())) {
            remove(after.podUid());
        }
        if (!after.wantsToRun()) {
            forgive(after.podUid());
        }
    }

    private static Offer offer(InstanceFacts instance) {
        return new Offer(instance.type(), instance.market(), instance.zone());
    }

    /** Where it was last known to be: what is leaving, or was just adopted, tells no zone. */
    private String zone(CellFacts cell, String type) {
        return cell.zone()
                .orElseGet(() -> Optional.ofNullable(byPod.get(cell.podUid()))
                        .map(Entry::offer)
                        .filter(known -> known.type().equals(type))
                        .map(Offer::zone)
                        .orElse(ANYWHERE));
    }

    private void take(String podUid, ObjectRef pod, Offer offer) {
        @Nullable Entry known = byPod.get(podUid);
        if (known == null || !known.offer().equals(offer)) {
            remove(podUid);
            place(podUid, new Entry(pod, offer));
        }
        forgive(podUid);
    }

    private void forgive(String podUid) {
        if (refused.remove(podUid)) {
            listener.overBudget(refused.size());
        }
    }

    private void place(String podUid, Entry entry) {
        byPod.put(podUid, entry);
        counts.computeIfAbsent(entry.group(), none -> new LinkedHashMap<>()).merge(entry.offer(), 1, Integer::sum);
        add(entry, 1);
        if (told.size() < TOLD_PODS) {
            told.add(podUid);
            tell(podUid);
        }
    }

    private void remove(String podUid) {
        @Nullable Entry entry = byPod.remove(podUid);
        if (entry == null) {
            return;
        }
        Map<Offer, Integer> offers = counts.getOrDefault(entry.group(), new LinkedHashMap<>());
        offers.computeIfPresent(entry.offer(), (offer, count) -> count == 1 ? null : count - 1);
        if (offers.isEmpty()) {
            counts.remove(entry.group());
        }
        add(entry, -1);
        if (told.remove(podUid)) {
            listener.podCost(entry.pod().namespace(), entry.pod().name(), OptionalLong.empty());
        }
    }

    private void add(Entry entry, int sign) {
        OptionalLong price = micros(entry.offer());
        long change = sign * price.orElse(0);
        Group group = entry.group();
        total += change;
        byNamespace.merge(group.namespace(), change, Long::sum);
        long sum = sums.merge(group, change, Long::sum);
        if (counts.containsKey(group)) {
            listener.cost(group.namespace(), word(group.market()), OptionalLong.of(sum));
        } else {
            sums.remove(group);
            listener.cost(group.namespace(), word(group.market()), OptionalLong.empty());
            if (counts.keySet().stream().noneMatch(other -> other.namespace().equals(group.namespace()))) {
                byNamespace.remove(group.namespace());
            }
        }
        if (price.isEmpty()) {
            unpriced += sign;
            listener.unpriced(unpriced);
        }
    }

    private void tell(String podUid) {
        @Nullable Entry entry = byPod.get(podUid);
        if (entry != null) {
            micros(entry.offer())
                    .ifPresent(price -> listener.podCost(
                            entry.pod().namespace(), entry.pod().name(), OptionalLong.of(price)));
        }
    }

    private OptionalLong micros(Offer offer) {
        @Nullable Long there = prices.get(offer);
        @Nullable Long known = there == null ? prices.get(new Offer(offer.type(), offer.market(), ANYWHERE)) : there;
        return known == null ? OptionalLong.empty() : OptionalLong.of(known);
    }

    private static long micros(BigDecimal usd) {
        return usd.multiply(MILLION).longValue();
    }

    private static String word(Market market) {
        return market == Market.SPOT ? "spot" : "on-demand";
    }

    /** Of all pods together, in millionths of a dollar an hour. */
    long totalMicros() {
        return total;
    }
}
