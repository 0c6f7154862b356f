package dev.kip.bench;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/**
 * Where figures were made; without it they mean nothing.
 *
 * @param memoryBytes of the machine
 * @param heapBytes that this JVM may take
 * @param load of the machine over the last minute, negative if the system does not say; much above 0 before a run means
 *     that others had the cores too
 */
public record Machine(String jvm, String os, int cores, long memoryBytes, long heapBytes, double load) {

    public static Machine here() {
        com.sun.management.OperatingSystemMXBean system =
                (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Runtime runtime = Runtime.getRuntime();
        return new Machine(
                System.getProperty("java.vm.name", "") + " " + Runtime.version(),
                system.getName() + " " + system.getVersion() + " " + system.getArch(),
                runtime.availableProcessors(),
                system.getTotalMemorySize(),
                runtime.maxMemory(),
                system.getSystemLoadAverage());
    }

    public String text() {
        return String.format(
                Locale.ROOT,
                "%s; %s; %d cores, %.1f GiB, heap at most %.1f GiB; load %.1f when it began",
                jvm,
                os,
                cores,
                memoryBytes / 0x1p30,
                heapBytes / 0x1p30,
                load);
    }

    public void write(ObjectNode node) {
        node.put("jvm", jvm)
                .put("os", os)
                .put("cores", cores)
                .put("memoryBytes", memoryBytes)
                .put("heapBytes", heapBytes)
                .put("load", load);
    }
}
