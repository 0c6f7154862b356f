package dev.kip.sim.world;

import dev.kip.sim.apiserver.ApiServerSettings;
import dev.kip.sim.apiserver.ApiServerSettings.ExpiredWatch;
import dev.kip.sim.cell.CellTimes;
import dev.kip.sim.ec2.Ec2Settings;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.scenario.Knob;
import dev.kip.sim.scenario.Knobs;
import java.time.Duration;

/** What a story's knobs mean for the parts of a world. */
final class Settings {

    private static final int SMALL_VCPUS = 2;

    private Settings() {}

    static void apply(Knobs knobs, Kernel kernel, SimNetwork network) {
        if (knobs.drawsOrder()) {
            kernel.drawOrder();
        }
        network.latency(knobs.time(Knob.NETWORK));
        network.grain(knobs.time(Knob.GRAIN));
    }

    static Ec2Settings ec2(Knobs knobs) {
        Ec2Settings usual = Ec2Settings.realistic();
        return usual.withMostVcpus(knobs.text(Knob.TYPES).equals("small") ? SMALL_VCPUS : usual.mostVcpus())
                .withTimes(knobs.time(Knob.DESCRIBE_LAG), knobs.time(Knob.STARTS), knobs.time(Knob.ENDS))
                .withInterfaceLingers(knobs.time(Knob.INTERFACE_LINGERS))
                .withEndedTokenFails(knobs.on(Knob.ENDED_TOKEN));
    }

    static CellTimes cells(Knobs knobs) {
        CellTimes usual = CellTimes.realistic();
        return new CellTimes(
                within(usual.boot(), knobs.time(Knob.BOOT)),
                usual.notice(),
                within(usual.pull(), knobs.time(Knob.PULL)),
                usual.create(),
                usual.obey());
    }

    private static CellTimes.Range within(CellTimes.Range usual, Duration most) {
        return new CellTimes.Range(usual.least().compareTo(most) < 0 ? usual.least() : most, most);
    }

    static ApiServerSettings kubernetes(Knobs knobs) {
        return ApiServerSettings.DEFAULT
                .withHistoryLimit(knobs.number(Knob.HISTORY))
                .withExpiredWatch(
                        switch (knobs.text(Knob.EXPIRED_WATCH)) {
                            case "as-status" -> ExpiredWatch.AS_STATUS;
                            case "either" -> ExpiredWatch.EITHER;
                            default -> ExpiredWatch.AS_EVENT;
                        });
    }
}
