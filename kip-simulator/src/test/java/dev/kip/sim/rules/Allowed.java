package dev.kip.sim.rules;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;

/**
 * Where a ban does not hold, and why.
 *
 * @param where a class, or a package if it ends with a dot
 */
record Allowed(String where, ImmutableSet<Ban> bans, String why) {

    static final ImmutableList<Allowed> ALL = ImmutableList.of(
            of(
                    "dev.kip.loop.system.",
                    "is the loop and the offload of a real process",
                    Ban.THREAD,
                    Ban.EXECUTOR,
                    Ban.CLOCK),
            of("dev.kip.entropy.SecureEntropy", "is the randomness of a real process", Ban.RANDOM),
            of(
                    "dev.kip.kube.vertx.RotatingToken",
                    "reads a file on a thread of a real process",
                    Ban.THREAD,
                    Ban.EXECUTOR,
                    Ban.CLOCK),
            of("dev.kip.checkpointer.cli.RealProcess", "wires a real process", Ban.THREAD, Ban.EXECUTOR),
            of("dev.kip.checkpointer.cli.RunRehearsal", "waits for a real process that is rehearsed", Ban.THREAD),
            of("dev.kip.checkpointer.cli.StatusCommand", "tells people how old something is", Ban.CLOCK),
            of("dev.kip.controller.cli.RealProcess", "ends a real process", Ban.THREAD),
            of("dev.kip.controller.cli.RealWays", "wires a real process", Ban.THREAD, Ban.EXECUTOR),
            of("dev.kip.controller.cli.Connection", "reads the environment of a real process", Ban.ENVIRONMENT),
            of("dev.kip.cell.wire.CellTrust", "is asked by threads of the network, by key only", Ban.UNORDERED),
            of("dev.kip.sim.cell.CellsCommand", "plays cells in a real process", Ban.THREAD, Ban.ENVIRONMENT),
            of(
                    "dev.kip.sim.cli.FuzzCommand",
                    "tells several histories at a time, each in a world of its own",
                    Ban.THREAD,
                    Ban.CLOCK),
            of("dev.kip.sim.cli.ShrinkCommand", "gives shrinking a minute of people's time", Ban.CLOCK),
            of(
                    "dev.kip.sim.cli.UpCommand",
                    "runs the embedded world as a real process",
                    Ban.THREAD,
                    Ban.CLOCK,
                    Ban.ENVIRONMENT),
            of(
                    "dev.kip.sim.wall.",
                    "tells stories in wall time, to real processes over real sockets",
                    Ban.THREAD,
                    Ban.EXECUTOR,
                    Ban.CLOCK),
            of(
                    "dev.kip.sim.mock.",
                    "is an API server of real processes, in wall time",
                    Ban.THREAD,
                    Ban.EXECUTOR,
                    Ban.CLOCK),
            of("dev.kip.sim.cli.WorldOptions", "reads the environment of a real process", Ban.ENVIRONMENT),
            of(
                    "dev.kip.sim.cli.MatrixCommand",
                    "tells stories in wall time, several at once, and notes when and where",
                    Ban.THREAD,
                    Ban.EXECUTOR,
                    Ban.CLOCK),
            of("dev.kip.sim.embedded.EmbeddedFiles", "fills words into files of a real process", Ban.LOCALE));

    private static Allowed of(String where, String why, Ban... bans) {
        return new Allowed(where, ImmutableSet.copyOf(bans), why);
    }

    boolean covers(String className, Ban ban) {
        boolean there = where.endsWith(".")
                ? className.startsWith(where)
                : className.equals(where) || className.startsWith(where + "$");
        return there && bans.contains(ban);
    }
}
