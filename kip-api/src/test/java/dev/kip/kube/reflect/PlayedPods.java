package dev.kip.kube.reflect;

import com.google.common.collect.ImmutableList;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.Page;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.UnsupportedKubeApi;
import dev.kip.kube.WatchListener;
import dev.kip.kube.WatchQuery;
import dev.kip.outcome.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** An API whose lists and watches the test answers by hand, one by one. */
final class PlayedPods extends UnsupportedKubeApi {

    final List<ListQuery> lists = new ArrayList<>();
    final List<WatchQuery> watches = new ArrayList<>();
    private CompletableFuture<Outcome<Page<ObjectNode>, KubeError>> pending;
    private WatchListener<ObjectNode> listener;
    private boolean watching;

    @Override
    @SuppressWarnings("unchecked") // the tests read trees only
    public <T> CompletionStage<Outcome<Page<T>, KubeError>> list(ResourceKind<T> kind, ListQuery query) {
        lists.add(query);
        pending = new CompletableFuture<>();
        return (CompletionStage<Outcome<Page<T>, KubeError>>) (CompletionStage<?>) pending;
    }

    @Override
    @SuppressWarnings("unchecked") // the tests read trees only
    public <T> KubeApi.Watch watch(ResourceKind<T> kind, WatchQuery query, WatchListener<T> newListener) {
        watches.add(query);
        listener = (WatchListener<ObjectNode>) newListener;
        watching = true;
        return () -> watching = false;
    }

    boolean watching() {
        return watching;
    }

    void answer(String version, ObjectNode... items) {
        page(version, "", items);
    }

    void page(String version, String next, ObjectNode... items) {
        pending.complete(Outcome.ok(new Page<>(ImmutableList.copyOf(items), ImmutableList.of(), version, next)));
    }

    void answerRefusing(String version, String refused, ObjectNode... items) {
        pending.complete(Outcome.ok(new Page<>(
                ImmutableList.copyOf(items),
                ImmutableList.of(new Page.Refused(new ObjectRef("default", refused), "unreadable")),
                version,
                "")));
    }

    void fail(KubeError error) {
        pending.complete(Outcome.failed(error));
    }

    WatchListener<ObjectNode> events() {
        return listener;
    }

    void end(KubeError reason) {
        watching = false;
        listener.ended(reason);
    }

    static ObjectNode pod(String name, String uid, String version) {
        ObjectNode pod = JsonMapper.shared().createObjectNode();
        pod.putObject("metadata")
                .put("namespace", "default")
                .put("name", name)
                .put("uid", uid)
                .put("resourceVersion", version);
        return pod;
    }
}
