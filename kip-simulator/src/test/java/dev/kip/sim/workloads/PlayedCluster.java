package dev.kip.sim.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiServer;
import dev.kip.sim.apiserver.ApiServerSettings;
import dev.kip.sim.apiserver.ResourceType;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** An API server with its controllers in virtual time. */
final class PlayedCluster {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    final Kernel kernel = new Kernel(7, Instant.parse("2026-11-30T12:00:00Z"), new Trace(false));
    final SimProcess process = new SimProcess(kernel, "apiserver");
    final ApiClient api = new ApiServer(process, kernel.entropy("apiserver"), ApiServerSettings.DEFAULT).client();

    PlayedCluster() {
        new Workloads(api, process, kernel.entropy("controllers")).start();
    }

    PlayedKubelet node(String name) {
        PlayedKubelet kubelet = new PlayedKubelet(api, process, name);
        kubelet.start();
        return kubelet;
    }

    /** Single quotes stand for double ones. */
    static ObjectNode json(String text) {
        return (ObjectNode) JSON.readTree(text.replace('\'', '"'));
    }

    ObjectNode create(String group, String plural, String namespace, String text) {
        return api.create(api.resource(group, plural), namespace, json(text));
    }

    Optional<ObjectNode> get(String group, String plural, String namespace, String name) {
        return api.get(api.resource(group, plural), namespace, name);
    }

    List<ObjectNode> list(String group, String plural) {
        return api.list(api.resource(group, plural), "default");
    }

    List<ObjectNode> pods() {
        return list("", "pods");
    }

    long readyPods() {
        return pods().stream().filter(PodFacts::isReady).count();
    }

    void delete(String group, String plural, String name, String propagation) {
        ResourceType type = api.resource(group, plural);
        api.delete(type, "default", name, JsonNodeFactory.instance.objectNode().put("propagationPolicy", propagation));
    }

    /** Changes an object as a user would: reads it and puts it back. */
    void change(String group, String plural, String name, Consumer<ObjectNode> how) {
        ResourceType type = api.resource(group, plural);
        ObjectNode object =
                api.get(type, type.namespaced() ? "default" : "", name).orElseThrow();
        how.accept(object);
        api.update(type, "", object);
    }

    void until(String what, BooleanSupplier done) {
        assertThat(kernel.runUntil(done, Duration.ofMinutes(10))).as(what).isTrue();
    }

    void pass(Duration time) {
        kernel.runFor(time);
    }

    /** Reasons and messages of the events of one object, without the random parts of names. */
    List<String> events(String name) {
        return list("", "events").stream()
                .filter(event -> event.at("/involvedObject/name").asString("").equals(name))
                .map(event -> event.path("reason").asString("") + ": "
                        + event.path("message").asString(""))
                .toList();
    }

    static String deployment(String name, int replicas, String extra) {
        return "{'kind':'Deployment','apiVersion':'apps/v1','metadata':{'name':'" + name + "'},'spec':{'replicas':"
                + replicas + ",'selector':{'matchLabels':{'app':'" + name
                + "'}},'template':{'metadata':{'labels':{'app':'"
                + name + "'}},'spec':{'containers':[{'name':'c','image':'nginx'}]}}" + extra + "}}";
    }
}
