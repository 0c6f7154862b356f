package dev.kip.sim.apiserver;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kip.http.Forwarder;
import dev.kip.http.HttpCall;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The way to kubelets; what is handed on is written down, what is asked for is answered by address. */
final class RecordedNodes implements Forwarder {

    final List<Onward> handed = new ArrayList<>();
    final List<Onward> asked = new ArrayList<>();
    final Map<String, String> answers = new LinkedHashMap<>();

    @Override
    public Forwarded forward(HttpCall call, Onward onward, Runnable ended) {
        handed.add(onward);
        return () -> {};
    }

    @Override
    public CompletionStage<Outcome<byte[], String>> fetch(Onward onward, Duration patience, int most) {
        asked.add(onward);
        return CompletableFuture.completedFuture(Optional.ofNullable(answers.get(onward.host()))
                .<Outcome<byte[], String>>map(text -> Outcome.ok(text.getBytes(UTF_8)))
                .orElseGet(() -> Outcome.failed("silence")));
    }
}
