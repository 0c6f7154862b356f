package dev.kip.checkpointer.gather;

import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.sanitise.Need;
import dev.kip.checkpointer.sanitise.Supplies;
import dev.kip.checkpointer.standing.Parent;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.node.ObjectNode;

/** Fetches what one pod needs, one request after the other. Confined to the loop. */
final class Fetch {

    private final KubeApi kube;
    private final Loop loop;
    private final Parent parent;
    private final Tokens tokens;
    private final Duration tokenLifetime;
    private final Deque<Need> left;
    private final Map<Need.Thing, ObjectNode> things = new LinkedHashMap<>();
    private final Map<Need.Token, String> found = new LinkedHashMap<>();

    Fetch(KubeApi kube, Loop loop, Parent parent, List<Need> needs, Tokens tokens, Duration tokenLifetime) {
        this.kube = kube;
        this.loop = loop;
        this.parent = parent;
        this.left = new ArrayDeque<>(needs);
        this.tokens = tokens;
        this.tokenLifetime = tokenLifetime;
    }

    /** All of it, or why it is not known. What does not exist is known not to. */
    CompletionStage<Outcome<Supplies, String>> run() {
        Need need = left.poll();
        if (need instanceof Need.Thing thing) {
            return kube.get(Things.kind(thing), Things.ref(thing, parent.key().namespace()))
                    .thenCompose(answer -> answer.fold(
                            object -> {
                                things.put(thing, object);
                                return run();
                            },
                            error -> mayBeMissing(thing, error) ? run() : failed(error)));
        }
        if (need instanceof Need.Token token) {
            return token(token);
        }
        return CompletableFuture.completedFuture(
                Outcome.ok(new Supplies(ImmutableMap.copyOf(things), ImmutableMap.copyOf(found))));
    }

    /** A priority class that may not be read is as good as none: the pod runs without. */
    private static boolean mayBeMissing(Need.Thing thing, KubeError error) {
        return error instanceof KubeError.NotFound
                || (thing.kind() == Need.Kind.PRIORITY_CLASS && error instanceof KubeError.Forbidden);
    }

    private CompletionStage<Outcome<Supplies, String>> token(Need.Token need) {
        Optional<String> fresh = tokens.fresh(need, loop.now());
        if (fresh.isPresent()) {
            found.put(need, fresh.get());
            return run();
        }
        ObjectRef account = new ObjectRef(parent.key().namespace(), need.serviceAccount());
        return kube.post(Things.SERVICE_ACCOUNTS, account, "token", Tokens.request(need, tokenLifetime))
                .thenCompose(answer -> answer.fold(
                        body -> {
                            tokens.keep(need, body, loop.now())
                                    .or(() -> tokens.last(need))
                                    .ifPresent(token -> found.put(need, token));
                            return run();
                        },
                        error -> {
                            Optional<String> last = tokens.last(need);
                            last.ifPresent(token -> found.put(need, token));
                            return last.isPresent() || error instanceof KubeError.NotFound ? run() : failed(error);
                        }));
    }

    private static CompletionStage<Outcome<Supplies, String>> failed(KubeError error) {
        return CompletableFuture.completedFuture(Outcome.failed(error.message()));
    }
}
