package dev.kip.controller.launch;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.Market;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Inert cells of one type and market that are kept running for pods that are yet to come. Pure.
 *
 * @param sizes the largest of those that hold at a time counts; none outside all of them
 */
public record WarmPool(String instanceType, Market market, ImmutableList<Size> sizes) {

    /** What {@link #parse} reads. */
    public static final String WANTED = "\"TYPE [spot] SIZE [DAYS] [FROM-TO [ZONE]]\", several parted by \";\","
            + " such as \"c5.large 2; c5.large spot 10 Mon-Fri 07:00-19:00 Europe/Berlin\"";

    private static final int MOST = 1000;
    private static final Splitter WORDS = Splitter.on(' ').omitEmptyStrings().trimResults();

    /**
     * So many, at certain times.
     *
     * @param from equal to {@code to} for the whole day; a time that is over midnight counts by the day on which it begins
     */
    public record Size(int count, ImmutableSet<DayOfWeek> days, LocalTime from, LocalTime to, ZoneId zone) {

        boolean holds(Instant now) {
            ZonedDateTime there = now.atZone(zone);
            LocalTime time = there.toLocalTime();
            DayOfWeek today = there.getDayOfWeek();
            if (from.equals(to)) {
                return days.contains(today);
            }
            if (from.isBefore(to)) {
                return days.contains(today) && !time.isBefore(from) && time.isBefore(to);
            }
            return time.isBefore(to) ? days.contains(today.minus(1)) : !time.isBefore(from) && days.contains(today);
        }
    }

    /** How many are to be there. */
    public int size(Instant now) {
        return sizes.stream()
                .filter(size -> size.holds(now))
                .mapToInt(Size::count)
                .max()
                .orElse(0);
    }

    /** For people, and in the journal. */
    public String name() {
        return market == Market.SPOT ? instanceType + " spot" : instanceType;
    }

    boolean has(InstanceFacts instance) {
        return instance.type().equals(instanceType) && instance.market() == market;
    }

    /** Those of a pod for which such an instance would be launched. */
    PodNeeds needs() {
        return new PodNeeds(
                false,
                0,
                0,
                0,
                Optional.empty(),
                Optional.of(instanceType),
                Optional.of(market),
                OptionalInt.empty(),
                Optional.empty(),
                Selection.NONE,
                Spread.NONE,
                Optional.empty());
    }

    /** @throws IllegalArgumentException that says what was found and wanted */
    public static ImmutableList<WarmPool> parse(String text) {
        Map<String, WarmPool> pools = new LinkedHashMap<>();
        for (String part : Splitter.on(';').trimResults().omitEmptyStrings().split(text)) {
            WarmPool read = one(part);
            pools.merge(
                    read.name(),
                    read,
                    (first, second) -> new WarmPool(
                            first.instanceType,
                            first.market,
                            ImmutableList.<Size>builder()
                                    .addAll(first.sizes)
                                    .addAll(second.sizes)
                                    .build()));
        }
        return ImmutableList.copyOf(pools.values());
    }

    private static WarmPool one(String part) {
        List<String> words = new ArrayList<>(WORDS.splitToList(part));
        if (words.isEmpty() || !words.get(0).matches("[a-z][a-z0-9-]*\\.[a-z0-9-]+")) {
            throw refused(part, "begins with no instance type");
        }
        String type = words.remove(0);
        boolean spot = !words.isEmpty() && words.get(0).equals("spot");
        if (spot) {
            words.remove(0);
        }
        if (words.isEmpty() || !words.get(0).matches("\\d{1,4}") || Integer.parseInt(words.get(0)) > MOST) {
            throw refused(part, "names no size from 0 to " + MOST);
        }
        int count = Integer.parseInt(words.remove(0));
        ImmutableSet<DayOfWeek> days = ImmutableSet.copyOf(DayOfWeek.values());
        if (!words.isEmpty() && Character.isLetter(words.get(0).charAt(0))) {
            days = days(words.remove(0), part);
        }
        LocalTime from = LocalTime.MIDNIGHT;
        LocalTime to = LocalTime.MIDNIGHT;
        ZoneId zone = ZoneOffset.UTC;
        if (!words.isEmpty()) {
            List<String> ends = Splitter.on('-').splitToList(words.remove(0));
            if (ends.size() != 2) {
                throw refused(part, "times are written as 07:00-19:00");
            }
            from = time(ends.get(0), part);
            to = time(ends.get(1), part);
            if (!words.isEmpty()) {
                zone = zone(words.remove(0), part);
            }
        }
        if (!words.isEmpty()) {
            throw refused(part, "has \"" + words.get(0) + "\" too much");
        }
        return new WarmPool(
                type, spot ? Market.SPOT : Market.ON_DEMAND, ImmutableList.of(new Size(count, days, from, to, zone)));
    }

    private static ImmutableSet<DayOfWeek> days(String text, String part) {
        EnumSet<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
        for (String range : Splitter.on(',').split(text)) {
            List<String> ends = Splitter.on('-').splitToList(range);
            DayOfWeek last = day(ends.get(ends.size() - 1), part);
            DayOfWeek day = day(ends.get(0), part);
            for (days.add(day); day != last; days.add(day)) {
                day = day.plus(1);
            }
        }
        return Sets.immutableEnumSet(days);
    }

    private static DayOfWeek day(String text, String part) {
        for (DayOfWeek day : DayOfWeek.values()) {
            if (text.length() == 3 && day.name().startsWith(text.toUpperCase(Locale.ROOT))) {
                return day;
            }
        }
        throw refused(part, "\"" + text + "\" is no day; they are Mon, Tue, Wed, Thu, Fri, Sat, Sun");
    }

    private static LocalTime time(String text, String part) {
        try {
            return LocalTime.parse(text);
        } catch (DateTimeException e) {
            throw refused(part, "\"" + text + "\" is no time such as 07:00");
        }
    }

    private static ZoneId zone(String text, String part) {
        try {
            return ZoneId.of(text);
        } catch (DateTimeException e) {
            throw refused(part, "\"" + text + "\" is no time zone such as Europe/Berlin");
        }
    }

    private static IllegalArgumentException refused(String part, String why) {
        return new IllegalArgumentException("\"" + part + "\": " + why + "; wanted " + WANTED + ".");
    }
}
