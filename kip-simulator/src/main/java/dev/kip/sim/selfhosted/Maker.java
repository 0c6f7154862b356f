package dev.kip.sim.selfhosted;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.sanitise.KubeletCheck;
import dev.kip.checkpointer.sanitise.ManifestCheck;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.sanitise.TableSanitiser;
import dev.kip.sim.selfhosted.OriginalSanitiser.Release;
import java.util.Optional;

/** What makes a checkpoint of a pod: ours, or what a release of the original did, planted. */
public enum Maker {
    OURS("ours", Optional.empty(), ""),
    ORIGINAL_OF_2018("original-2018-03", Optional.of(Release.OF_2018), "1.12.0-rc.1"),
    ORIGINAL_WITHOUT_AFFINITY("original-2018-10", Optional.of(Release.WITHOUT_AFFINITY), "1.16"),
    ORIGINAL_WITHOUT_SELECTOR("original-2019-11", Optional.of(Release.WITHOUT_SELECTOR), "1.21");

    private final String word;
    private final Optional<Release> release;
    private final String firstRed;

    Maker(String word, Optional<Release> release, String firstRed) {
        this.word = word;
        this.release = release;
        this.firstRed = firstRed;
    }

    /** As scenarios name it. */
    public String word() {
        return word;
    }

    Sanitiser sanitiser() {
        return release.<Sanitiser>map(OriginalSanitiser::new).orElseGet(TableSanitiser::new);
    }

    /** The original checked nothing. */
    ManifestCheck check(KubeletVersion version) {
        return release.isPresent()
                ? manifest -> ImmutableList.of()
                : new KubeletCheck(KubeletModel.of(version), Plane.facts(version));
    }

    /** Whether it brings a plane back on this kubelet with no API server. */
    boolean bringsBackOn(KubeletVersion version) {
        return firstRed.isEmpty() || version.compareTo(KubeletVersion.parse(firstRed)) < 0;
    }
}
