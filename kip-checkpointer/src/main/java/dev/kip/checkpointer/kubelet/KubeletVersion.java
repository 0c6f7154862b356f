package dev.kip.checkpointer.kubelet;

import com.google.common.collect.ComparisonChain;
import com.google.common.collect.ImmutableList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A release of kubelet.
 *
 * @param stage {@code alpha}, {@code beta}, {@code rc}, or empty for the release itself
 * @param number of the pre-release; 0 for the release itself
 */
public record KubeletVersion(int minor, int patch, String stage, int number) implements Comparable<KubeletVersion> {

    private static final int OLDEST = 11;
    private static final int NEWEST = 37;

    private static final Pattern FORM =
            Pattern.compile("v?1\\.(\\d{1,3})(?:\\.(\\d{1,3}))?(?:-(alpha|beta|rc)\\.(\\d{1,3}))?(?:[-+][-+.\\w]*)?");

    /** What the rules were read from: the sources of these releases. Another one is judged by the rules that cover it. */
    public static final ImmutableList<KubeletVersion> MODELLED = ImmutableList.of(
                    "1.11.3", "1.12.0-beta.2", "1.12.0-rc.1", "1.12.1", "1.16", "1.21", "1.24", "1.26", "1.34", "1.37")
            .stream()
            .map(KubeletVersion::parse)
            .collect(ImmutableList.toImmutableList());

    public static KubeletVersion newest() {
        return MODELLED.get(MODELLED.size() - 1);
    }

    /**
     * {@code 1.34}, {@code v1.34.4}, {@code 1.12.0-rc.1}, also with a vendor's suffix as in {@code v1.34.4-eks-1}.
     *
     * @throws IllegalArgumentException saying what was wanted
     */
    public static KubeletVersion parse(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is no version of kubelet: wanted one like 1.34, 1.12.1 or 1.12.0-rc.1");
        }
        int minor = Integer.parseInt(form.group(1));
        if (minor < OLDEST || minor > NEWEST) {
            throw new IllegalArgumentException(
                    "kubelet " + text + " is not modelled: wanted 1." + OLDEST + " to 1." + NEWEST);
        }
        boolean released = form.group(3) == null;
        return new KubeletVersion(
                minor,
                form.group(2) == null ? 0 : Integer.parseInt(form.group(2)),
                released ? "" : form.group(3),
                released ? 0 : Integer.parseInt(form.group(4)));
    }

    /** Where a minor release begins, its pre-releases included. */
    static KubeletVersion firstOf(String minor) {
        KubeletVersion parsed = parse(minor);
        return parsed.patch == 0 && parsed.stage.isEmpty() ? new KubeletVersion(parsed.minor, 0, "alpha", 0) : parsed;
    }

    public boolean isAtLeast(String minor) {
        return compareTo(firstOf(minor)) >= 0;
    }

    @Override
    public int compareTo(KubeletVersion other) {
        return ComparisonChain.start()
                .compare(minor, other.minor)
                .compare(patch, other.patch)
                .compareTrueFirst(!stage.isEmpty(), !other.stage.isEmpty())
                .compare(stage, other.stage)
                .compare(number, other.number)
                .result();
    }

    /** {@code 1.12.0-rc.1}. */
    @Override
    public String toString() {
        return "1." + minor + "." + patch + (stage.isEmpty() ? "" : "-" + stage + "." + number);
    }

    /** As an author would write it: {@code 1.34} for 1.34.0 and its pre-releases. */
    public String brief() {
        return patch == 0 && (stage.isEmpty() || (stage.equals("alpha") && number == 0)) ? "1." + minor : toString();
    }

    /** The last release that is older, as far as one can know: of a minor release all patches are meant. */
    String lastBefore() {
        return patch == 0 ? "1." + (minor - 1) : "1." + minor + "." + (patch - 1);
    }
}
