package dev.kip.real;

import com.google.common.collect.ImmutableList;
import dev.kip.real.Bounded.Look;
import dev.kip.sim.wall.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The machines that moto does not run, played by {@code kip sim cells} as a process of its own, each at its own address in
 * the network namespace. They know what really ran where, whatever anybody believes.
 */
final class CellMachines implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Program program;
    private final Path truth;

    private CellMachines(Program program, Path truth) {
        this.program = program;
        this.truth = truth;
    }

    static CellMachines start(RealCluster cluster) {
        Path truth = cluster.directory().resolve("ground-truth.json");
        Program program = cluster.start(
                "cells",
                ImmutableList.of(
                        ControllerProcess.java(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.kip.sim.cli.Simulator",
                        "sim",
                        "cells",
                        "--ec2-endpoint",
                        cluster.ec2().toString(),
                        "--every",
                        "300",
                        "--ground-truth",
                        truth.toString()));
        Bounded.await("the cells", Duration.ofSeconds(60), () -> {
            if (!program.isAlive()) {
                throw new AssertionError(program.lastWords());
            }
            return Look.holds(Files.exists(truth), "not up");
        });
        return new CellMachines(program, truth);
    }

    /** How many grants the cells have accepted so far. */
    int grants() {
        return read().path("grants").size();
    }

    /** What must never be: one pod attempt granted to two instances, or one pod running on two at a time. */
    ImmutableList<String> violations() {
        if (!program.isAlive()) {
            throw new AssertionError(program.lastWords());
        }
        ImmutableList.Builder<String> violations = ImmutableList.builder();
        read().path("violations").forEach(violation -> violations.add(violation.asString()));
        return violations.build();
    }

    private JsonNode read() {
        try {
            return JSON.readTree(Files.readString(truth));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        program.close();
    }
}
