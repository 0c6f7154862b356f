package dev.kip.sim.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.world.SimWorld;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The page, in a real browser where there is one. */
class HtmlReportTest {

    @TempDir
    private static Path folder;

    private static final Path[] PAGE = new Path[1];
    private static final Recording RECORDING = new Recording();
    private static final Outcomes[] RUN = new Outcomes[1];

    @BeforeAll
    static void a_planted_bug_is_told() throws Exception {
        Replay replay = new Replay(StoryFile.find("copied-tags"), 1, Optional.of("without-g1"), Optional.empty());
        RUN[0] = replay.tell(
                (scenario, seed, keep, parts) -> {
                    SimWorld world = SimWorld.make(scenario, seed, true, parts);
                    RECORDING.attach(world, scenario);
                    return world;
                },
                true);
        PAGE[0] = folder.resolve("report.html");
        Files.writeString(PAGE[0], HtmlReport.page(replay, RUN[0], RECORDING));
    }

    @Test
    void the_page_needs_nothing_else() throws Exception {
        String page = Files.readString(PAGE[0]);
        assertThat(page)
                .doesNotContainPattern("<(script|img|iframe)[^>]+src=")
                .doesNotContainPattern("<link[^>]")
                .doesNotContain("@include ", "@data", "@title", "@import");
        assertThat(page.split("</script>", -1))
                .as("data does not end its script")
                .hasSize(6);
    }

    @Test
    void a_run_that_is_recorded_has_the_hash_of_one_that_is_not() throws Exception {
        Replay replay = new Replay(StoryFile.find("copied-tags"), 1, Optional.of("without-g1"), Optional.empty());
        assertThat(replay.tell(false).hash()).isEqualTo(RUN[0].hash());
    }

    @Test
    void it_opens_at_the_violation_with_the_state_before_and_after() throws Exception {
        JsonNode found = Browser.orSkip().open(PAGE[0], """
                        found.verdict = text('verdict'); found.clock = text('clock');
                        setTimeout(() => {
                          found.violation = text('pane-violation');
                          found.diffs = document.querySelectorAll('#pane-violation .diff').length;
                          found.cut = document.querySelectorAll('#pane-violation .cut').length + document.querySelectorAll('#pane-violation .add').length;
                          found.row = document.querySelector('.event.now')?.textContent;
                          found.errors.push(...window.errors);
                        }, 1000);
                        """, 4000);

        assertThat(found.path("errors")).isEmpty();
        assertThat(found.path("verdict").asString()).isEqualTo("FAILED");
        assertThat(found.path("violation").asString()).contains("I2 no wrong kill", "belongs to nobody");
        assertThat(found.path("row").asString()).contains("invariant", "I2 no wrong kill");
        assertThat(found.path("clock").asString()).startsWith("11m");
        assertThat(found.path("diffs").asInt()).isPositive();
        assertThat(found.path("cut").asInt()).isPositive();
    }

    @Test
    void keys_search_filters_objects_and_themes_do_what_they_say() throws Exception {
        JsonNode found = Browser.orSkip().open(PAGE[0], """
                        press('Home'); found.home = text('clock');
                        press('ArrowRight'); found.right = text('clock');
                        for (let i = 0; i < 12; i++) press('ArrowRight');
                        found.thirteen = text('clock');
                        press('End'); found.end = text('clock');
                        const theme = document.documentElement.dataset.theme;
                        press('t'); found.themeChanged = theme !== document.documentElement.dataset.theme;
                        const search = document.getElementById('search');
                        search.value = 'runinstances'; search.dispatchEvent(new Event('input'));
                        found.hits = text('hits');
                        const chips = [...document.querySelectorAll('.chip')];
                        found.reads = chips.find(c => c.dataset.kind === 'read').textContent;
                        const before = document.getElementById('rows').style.height;
                        chips.find(c => c.dataset.kind === 'read').click();
                        found.more = parseInt(document.getElementById('rows').style.height) > parseInt(before);
                        document.getElementById('tab-objects').click();
                        window.kipReport.frame();
                        document.querySelector('.object[data-name*="/node/"]').click();
                        found.head = text('detail-head');
                        document.querySelector('#detail-head button[title^="To its version before"]').click();
                        window.kipReport.frame();
                        found.earlier = text('detail-head');
                        found.diff = document.querySelectorAll('#yaml .add, #yaml .cut').length + document.querySelectorAll('#yaml').length;
                        found.rows = document.querySelectorAll('.event').length;
                        found.errors.push(...window.errors);
                        """, 3000);

        assertThat(found.path("errors")).isEmpty();
        assertThat(found.path("home").asString()).isEqualTo("00m 00.000s");
        assertThat(found.path("end").asString())
                .isGreaterThan(found.path("thirteen").asString());
        assertThat(found.path("thirteen").asString())
                .isGreaterThan(found.path("home").asString());
        assertThat(found.path("themeChanged").asBoolean()).isTrue();
        assertThat(found.path("hits").asString()).matches("[1-9]\\d* hits?");
        assertThat(found.path("more").asBoolean()).isTrue();
        assertThat(found.path("head").asString()).contains("node virtual-kubelet", "version");
        assertThat(found.path("earlier").asString())
                .isNotEqualTo(found.path("head").asString());
        assertThat(found.path("rows").asInt())
                .as("rows in the page, of many more")
                .isBetween(5, 60);
    }

    @Test
    void fifty_thousand_events_are_drawn_within_a_frame_or_two() throws Exception {
        Recording many = new Recording();
        ObjectNode pod = JsonMapper.shared().createObjectNode();
        pod.put("kind", "Pod").putObject("metadata").put("namespace", "default");
        for (int i = 0; i < 50_000; i++) {
            Duration at = Duration.ofMillis(i * 20L);
            String from = "kip-" + i % 3;
            if (i % 5 == 0) {
                ObjectNode next = pod.deepCopy();
                ((ObjectNode) next.path("metadata"))
                        .put("name", "web-" + i % 200)
                        .put("resourceVersion", "" + i);
                many.object(at, "a", "MODIFIED", "pod", next);
                many.line(new Trace.Line(at, "kubernetes", "pod default/web-" + i % 200 + " is Running"));
            } else {
                many.sent(
                        at,
                        i,
                        new Call(from, "kubernetes", "PATCH pods/status", "default/web-" + i % 200, true),
                        Fate.ARRIVES);
                many.arrived(at.plusMillis(1), i);
                many.answered(at.plusMillis(3), i, 200);
            }
        }
        Path page = folder.resolve("many.html");
        Files.writeString(page, HtmlReport.page("many", "fifty thousand events", 1, "", 1_000_000_000L, "0", many));

        JsonNode found = Browser.orSkip().open(page, """
                        found.events = window.kipReport.events;
                        const times = [];
                        for (let i = 0; i < 40; i++) {
                          window.kipReport.go(window.kipReport.span * (i + .5) / 40);
                          if (i % 4 === 0) press('+');
                          const began = performance.now();
                          window.kipReport.frame();
                          document.getElementById('chart').getContext('2d').getImageData(0, 0, 1, 1);
                          times.push(performance.now() - began);
                        }
                        times.sort((a, b) => a - b);
                        found.median = times[20]; found.most = times[39];
                        found.ready = performance.timing.domInteractive ? performance.now() : 0;
                        found.errors.push(...window.errors);
                        """, 0);

        assertThat(found.path("errors")).isEmpty();
        assertThat(found.path("events").asInt()).isEqualTo(50_000);
        // A third of that on a quiet machine; the bound says that nothing grows with the number of events by the
        // square.
        assertThat(found.path("median").asDouble())
                .as("milliseconds a frame: %s", found)
                .isLessThan(100);
    }

    @Test
    void a_build_server_reads_what_failed() {
        String xml = JUnitXml.of(com.google.common.collect.ImmutableList.of(RUN[0]));
        assertThat(xml)
                .contains("tests=\"1\" failures=\"1\"", "classname=\"copied-tags\" name=\"seed 1\"")
                .contains("<failure type=\"I2 no wrong kill\"");
    }
}
