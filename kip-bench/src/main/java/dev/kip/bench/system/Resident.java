package dev.kip.bench.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What Linux says of the memory of a process. */
final class Resident {

    private static final Pattern PEAK = Pattern.compile("VmHWM:\\s+(\\d+) kB");

    private Resident() {}

    /** Most bytes that it held at a time; 0 where the system does not say. */
    static long peakBytes(long pid) {
        try {
            Matcher peak = PEAK.matcher(Files.readString(Path.of("/proc/" + pid + "/status")));
            return peak.find() ? Long.parseLong(peak.group(1)) << 10 : 0;
        } catch (IOException e) {
            return 0; // no Linux, or it has ended
        }
    }
}
