package dev.kip.controller.gc;

import dev.kip.cell.CellReport;
import dev.kip.cloud.CloudApi.InstanceFacts;
import java.time.Duration;
import java.util.Optional;

/**
 * One last look at an instance before it is ended.
 *
 * @param described the instance by its id; empty if the cloud did not answer
 * @param report what its agent says; empty if it is silent
 * @param silence why it is silent; empty if it is not
 * @param patience how long a silent agent is given, from when the instance was first seen unclaimed
 * @param ending how long ago its agent was told to end its pod; empty if it was not
 */
public record LastLook(
        Optional<InstanceFacts> described,
        Optional<CellReport> report,
        Optional<String> silence,
        Duration patience,
        Optional<Duration> ending) {}
