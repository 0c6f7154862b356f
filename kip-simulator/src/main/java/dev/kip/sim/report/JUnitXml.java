package dev.kip.sim.report;

import com.google.common.collect.ImmutableList;
import com.google.common.xml.XmlEscapers;
import dev.kip.sim.scenario.Outcomes;
import java.util.Locale;
import java.util.stream.Collectors;

/** Runs as the XML that build servers read from JUnit. */
public final class JUnitXml {

    private JUnitXml() {}

    /** One suite; each run is a case. Times are virtual. */
    public static String of(ImmutableList<Outcomes> runs) {
        long failed = runs.stream().filter(run -> !run.passed()).count();
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        xml.append(String.format(
                Locale.ROOT,
                "<testsuite name=\"kip sim\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"0\">%n",
                runs.size(),
                failed));
        for (Outcomes run : runs) {
            xml.append(String.format(
                    Locale.ROOT,
                    "  <testcase classname=\"%s\" name=\"seed %d\" time=\"%.3f\">%n",
                    attribute(run.scenario().name()),
                    run.seed(),
                    run.took().toMillis() / 1000.0));
            for (Outcomes.Problem problem : run.problems()) {
                xml.append("    <failure type=\"")
                        .append(attribute(problem.id()))
                        .append("\" message=\"")
                        .append(attribute(problem.text()))
                        .append("\"/>\n");
                break; // the schema allows one
            }
            if (!run.passed()) {
                xml.append("    <system-out>")
                        .append(XmlEscapers.xmlContentEscaper()
                                .escape(run.timeline().stream()
                                        .map(line -> line.at().toMillis() + " ms " + line.actor() + " " + line.text())
                                        .collect(Collectors.joining("\n"))))
                        .append("</system-out>\n");
            }
            xml.append("  </testcase>\n");
        }
        return xml.append("</testsuite>\n").toString();
    }

    private static String attribute(String text) {
        return XmlEscapers.xmlAttributeEscaper().escape(text);
    }
}
