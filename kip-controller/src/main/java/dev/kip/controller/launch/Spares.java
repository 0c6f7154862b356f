package dev.kip.controller.launch;

import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.crd.LaunchBatchSpec.PlannedPod;

/** Instances that were launched before and that nobody has: they are used up before another is launched. Loop only. */
public interface Spares {

    /** What came of asking for one. */
    enum Answer {
        /** There is none: launch. */
        NONE,
        /** The pod is bound to one. */
        BOUND,
        /** There is one, and it is not certain yet that it may be had: ask again soon. */
        NOT_YET
    }

    /**
     * What would be launched, or something as good.
     *
     * @param zones in which the pod may run
     * @param templateId whose content tells image, volume and profile
     */
    record Fit(String instanceType, Market market, ImmutableSet<String> zones, boolean publicIp, String templateId) {

        public boolean of(InstanceFacts instance) {
            return instance.type().equals(instanceType)
                    && instance.market() == market
                    && zones.contains(instance.zone())
                    && (instance.publicIp().isPresent() == publicIp || instance.state() != InstanceState.RUNNING)
                    && instance.templateId().filter(templateId::equals).isPresent();
        }
    }

    boolean any();

    Answer ask(PlannedPod pod, Fit fit);
}
