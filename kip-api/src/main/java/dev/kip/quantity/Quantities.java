package dev.kip.quantity;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableBiMap;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Kubernetes quantities (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/) as exact decimals.
 * fabric8's own parser accepts {@code 1e}, drops exponents and knows no canonical form, hence this one. Add up exact values
 * and round once, at the end. Pure and safe from any thread.
 */
public final class Quantities {

    /** The families of suffixes; a canonical quantity keeps the one it was written in. */
    public enum Style {
        /** Ki, Mi, Gi, Ti, Pi, Ei. */
        BINARY,
        /** n, u, m, none, k, M, G, T, P, E. */
        DECIMAL,
        /** e3, e6, ... */
        EXPONENT
    }

    private static final Pattern GRAMMAR = Pattern.compile(
            "(?<number>[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+))(?<suffix>Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE](?<exponent>[+-]?[0-9]{1,3}))?");

    private static final ImmutableBiMap<String, Integer> POWERS_OF_TEN = ImmutableBiMap.<String, Integer>builder()
            .put("n", -9)
            .put("u", -6)
            .put("m", -3)
            .put("", 0)
            .put("k", 3)
            .put("M", 6)
            .put("G", 9)
            .put("T", 12)
            .put("P", 15)
            .put("E", 18)
            .buildOrThrow();
    private static final String BINARY = "KMGTPE";
    private static final int NANO = 9;
    private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final BigDecimal KIBI = BigDecimal.valueOf(1024);

    private Quantities() {}

    /**
     * The value, rounded away from zero to whole nanos; more than 2^63-1 written with a binary suffix is 2^63-1, as the API
     * server has it.
     *
     * @throws IllegalArgumentException naming the text, if it is no quantity
     */
    public static BigDecimal parse(String text) {
        Matcher parts = match(text);
        BigDecimal number = new BigDecimal(withoutBarePoint(parts.group("number")));
        String suffix = Strings.nullToEmpty(parts.group("suffix"));
        String exponent = parts.group("exponent");
        BigDecimal value;
        if (exponent != null) {
            value = number.scaleByPowerOfTen(Integer.parseInt(exponent));
        } else if (suffix.endsWith("i")) {
            value = number.multiply(KIBI.pow(BINARY.indexOf(suffix.charAt(0)) + 1));
            value = value.min(MOST).max(MOST.negate());
        } else {
            value = number.scaleByPowerOfTen(requireNonNull(POWERS_OF_TEN.get(suffix)));
        }
        return plain(value.scale() > NANO ? value.setScale(NANO, RoundingMode.UP) : value);
    }

    /** As {@link #parse}, and refuses what is less than zero. */
    public static BigDecimal parseNonNegative(String text) {
        BigDecimal value = parse(text);
        if (value.signum() < 0) {
            throw new IllegalArgumentException("\"" + text + "\" is negative; wanted a quantity of 0 or more");
        }
        return value;
    }

    /** The family that {@code text} is written in. */
    public static Style styleOf(String text) {
        Matcher parts = match(text);
        if (parts.group("exponent") != null) {
            return Style.EXPONENT;
        }
        return Strings.nullToEmpty(parts.group("suffix")).endsWith("i") ? Style.BINARY : Style.DECIMAL;
    }

    /** The quantity as the API server would store it. */
    public static String canonical(String text) {
        return format(parse(text), styleOf(text));
    }

    /** The canonical form: no fraction, the largest suffix that allows it. Binary only for whole numbers from 1024 on. */
    public static String format(BigDecimal value, Style style) {
        BigDecimal exact = plain(value.scale() > NANO ? value.setScale(NANO, RoundingMode.UP) : value);
        if (exact.signum() == 0) {
            return "0";
        }
        if (style == Style.BINARY && exact.scale() <= 0 && exact.abs().compareTo(KIBI) >= 0) {
            return binary(exact.toBigIntegerExact());
        }
        BigDecimal shortest = exact.stripTrailingZeros();
        int power = Math.floorDiv(-shortest.scale(), 3) * 3;
        if (style != Style.EXPONENT) {
            power = Math.min(power, 18);
        }
        String mantissa = exact.scaleByPowerOfTen(-power).toBigIntegerExact().toString();
        if (style == Style.EXPONENT) {
            return power == 0 ? mantissa : mantissa + "e" + power;
        }
        return mantissa + POWERS_OF_TEN.inverse().get(power);
    }

    /** In units of {@code unit}, rounded up (away from zero), at most 2^63-1. */
    public static long roundUp(BigDecimal value, BigDecimal unit) {
        BigDecimal units = value.divide(unit, 0, RoundingMode.UP);
        return units.min(MOST).max(MOST.negate()).longValueExact();
    }

    /** Whole units, rounded up: what Kubernetes calls {@code Value()}. */
    public static long whole(BigDecimal value) {
        return roundUp(value, BigDecimal.ONE);
    }

    /** Thousandths, rounded up: what Kubernetes calls {@code MilliValue()}. */
    public static long milli(BigDecimal value) {
        return roundUp(value, BigDecimal.ONE.movePointLeft(3));
    }

    /** The next multiple of {@code step} that is no less: a limit stays at or above its request when both are rounded. */
    public static BigDecimal roundUpToStep(BigDecimal value, BigDecimal step) {
        return plain(value.divide(step, 0, RoundingMode.CEILING).multiply(step));
    }

    private static Matcher match(String text) {
        Matcher parts = GRAMMAR.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" is no quantity; wanted a number, then one of"
                    + " n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3, or nothing");
        }
        return parts;
    }

    private static String withoutBarePoint(String number) {
        return number.endsWith(".") ? number.substring(0, number.length() - 1) : number;
    }

    private static BigDecimal plain(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }

    private static String binary(BigInteger value) {
        int power = Math.min(value.getLowestSetBit() / 10, BINARY.length());
        String mantissa = value.shiftRight(power * 10).toString();
        return power == 0 ? mantissa : mantissa + BINARY.charAt(power - 1) + "i";
    }
}
