package dev.kip.sim.ec2;

import java.util.List;
import java.util.Map;

/** All that outlives a restart of the simulated EC2. */
record Ec2Snapshot(
        List<SimInstance.Saved> instances,
        Map<String, RunInstances.Remembered> launchTokens,
        List<LaunchTemplates.Template> templates,
        Map<String, LaunchTemplates.Remembered> templateTokens,
        List<SecurityGroups.Group> groups,
        Map<String, Map<String, String>> tags) {}
