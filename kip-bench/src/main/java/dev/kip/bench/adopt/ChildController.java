package dev.kip.bench.adopt;

import com.google.common.collect.ImmutableList;
import dev.kip.bench.Endings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The process in which a {@link ControllerHost} runs: the same Java, class path and options as this one. */
public final class ChildController implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int PATIENCE_SECONDS = 20;

    private final Process process;
    private final PrintWriter words;
    private final BufferedReader answers;

    public ChildController(Path providerYaml, Path kubeconfig) throws IOException {
        process = new ProcessBuilder(ImmutableList.<String>builder()
                        .add(ProcessHandle.current().info().command().orElse("java"))
                        .addAll(ManagementFactory.getRuntimeMXBean().getInputArguments())
                        .add("-cp", System.getProperty("java.class.path"))
                        .add(ControllerHost.class.getName())
                        .add(providerYaml.toString(), kubeconfig.toString())
                        .build())
                .redirectError(Redirect.INHERIT)
                .start();
        words = new PrintWriter(process.getOutputStream(), false, StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Says the word and waits for what is answered. */
    public JsonNode say(String word) throws IOException {
        words.println(word);
        words.flush();
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("the controller's process ended at the word " + word);
        }
        return JSON.readTree(answer);
    }

    public long pid() {
        return process.pid();
    }

    /** Processor time of the process so far. */
    Duration used() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    @Override
    public void close() {
        words.close(); // ends it
        Endings.await(process, PATIENCE_SECONDS);
    }
}
