package dev.kip.sim.report;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kip.sim.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Chromium without a window: opens a page from disk with a script at its end, and reads what the script has found. */
final class Browser {

    private static final Pattern FOUND = Pattern.compile("<pre id=\"found\">(.*?)</pre>", Pattern.DOTALL);
    private static final int LONGEST_SECONDS = 120;

    private final String program;

    private Browser(String program) {
        this.program = program;
    }

    /** Skips the test where there is none. */
    static Browser orSkip() {
        Optional<Path> program = Programs.find("chromium");
        assumeTrue(program.isPresent(), "Chromium is not installed: real-parts/build chromium installs it");
        return new Browser(program.orElseThrow().toString());
    }

    /**
     * @param script leaves what it has found in {@code found}
     * @param virtualMillis timers and frames run for so long at once; 0 for the script alone, in real time
     */
    JsonNode open(Path page, String script, int virtualMillis, String... options) throws Exception {
        Path driven = page.resolveSibling("driven-" + page.getFileName());
        String driver = """
                <script>
                const found = {errors: []};
                const press = (key, shift) => document.dispatchEvent(new KeyboardEvent('keydown', {key, shiftKey: !!shift, bubbles: true}));
                const text = id => document.getElementById(id).textContent;
                const say = () => { const pre = document.createElement('pre'); pre.id = 'found'; pre.textContent = JSON.stringify(found); document.body.append(pre); };
                try { SCRIPT } catch (e) { found.errors.push(String(e.stack)); }
                if (VIRTUAL) setTimeout(say, VIRTUAL - 500); else say();
                </script>
                """;
        String whole = Files.readString(page)
                .replace("<head>", "<head><script>window.errors = []; onerror = m => window.errors.push(m);</script>")
                .replace(
                        "</body>",
                        driver.replace("SCRIPT", script).replace("VIRTUAL", Integer.toString(virtualMillis))
                                + "</body>");
        Files.writeString(driven, whole);
        List<String> command = new ArrayList<>(List.of(
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--window-size=1440,900",
                "--dump-dom",
                "--user-data-dir=" + page.resolveSibling("profile")));
        command.addAll(List.of(options));
        if (virtualMillis > 0) {
            command.add("--virtual-time-budget=" + virtualMillis);
        }
        command.add(driven.toUri().toString());
        Path dom = page.resolveSibling("dom.html");
        Process process = new ProcessBuilder(command)
                .redirectOutput(dom.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("Chromium did not end");
        }
        Matcher matcher = FOUND.matcher(Files.readString(dom));
        if (!matcher.find()) {
            throw new IOException("the page says nothing: its script did not run");
        }
        return JsonMapper.shared()
                .readTree(matcher.group(1)
                        .replace("&lt;", "<")
                        .replace("&gt;", ">")
                        .replace("&nbsp;", " ")
                        .replace("&amp;", "&"));
    }
}
