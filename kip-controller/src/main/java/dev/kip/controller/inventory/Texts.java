package dev.kip.controller.inventory;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/** Ages and prices as people read them. Pure. */
public final class Texts {

    private static final BigDecimal HOURS_A_MONTH = BigDecimal.valueOf(730);

    private Texts() {}

    /** As kubectl writes ages: {@code 45s}, {@code 12m}, {@code 3h20m}, {@code 6d4h}, {@code 210d}. */
    public static String age(Duration age) {
        long seconds = Math.max(0, age.toSeconds());
        if (seconds < 120) {
            return seconds + "s";
        }
        long minutes = seconds / 60;
        if (minutes < 180) {
            return minutes + "m";
        }
        long hours = minutes / 60;
        if (hours < 48) {
            return minutes % 60 == 0 ? hours + "h" : hours + "h" + minutes % 60 + "m";
        }
        long days = hours / 24;
        return days >= 8 || hours % 24 == 0 ? days + "d" : days + "d" + hours % 24 + "h";
    }

    /** For example {@code $0.0047}. */
    public static String usd(double amount) {
        BigDecimal exact = BigDecimal.valueOf(amount).setScale(4, RoundingMode.HALF_UP);
        BigDecimal shortest = exact.stripTrailingZeros();
        return "$" + (shortest.scale() < 2 ? shortest.setScale(2, RoundingMode.UNNECESSARY) : shortest).toPlainString();
    }

    /** For example {@code $0.0047 an hour, $3.43 a month}. */
    public static String hourlyAndMonthly(double hourly) {
        return usd(hourly) + " an hour, $"
                + BigDecimal.valueOf(hourly)
                        .multiply(HOURS_A_MONTH)
                        .setScale(2, RoundingMode.HALF_UP)
                        .toPlainString()
                + " a month";
    }

    /** {@code 1 instance}, {@code 2 instances}. */
    public static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
