package dev.kip.controller.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.doctor.ClusterChecks;
import dev.kip.controller.doctor.Finding;
import dev.kip.controller.doctor.Right;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.virtualnode.NodeVersion;
import dev.kip.crd.CrdManifests;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.outcome.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Asks the cluster for what {@link ClusterChecks} judges. */
final class ClusterExamination {

    private static final ResourceKind<ObjectNode> NODES = Kinds.NODES.as(Codecs.tree());
    private static final ResourceKind<ObjectNode> DAEMON_SETS =
            new ResourceKind<>("apps", "v1", "DaemonSet", "daemonsets", true, Codecs.tree());
    private static final ResourceKind<ObjectNode> OWN_REVIEWS = new ResourceKind<>(
            "authorization.k8s.io", "v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", false, Codecs.tree());
    private static final ResourceKind<ObjectNode> REVIEWS = new ResourceKind<>(
            "authorization.k8s.io", "v1", "SubjectAccessReview", "subjectaccessreviews", false, Codecs.tree());

    private final Session session;
    private final ControllerSettings settings;
    private final Gathering gathering;
    private final ImmutableList.Builder<Finding> findings = ImmutableList.builder();

    ClusterExamination(Session session) {
        this.session = session;
        this.settings = session.config().controller();
        this.gathering = new Gathering(session);
    }

    /** @param account {@code namespace/name} of the ServiceAccount whose rights count; our own if empty */
    ImmutableList<Finding> run(String account) {
        Optional<String> version = server();
        if (version.isEmpty()) {
            return findings.build();
        }
        findings.add(ClusterChecks.skew(version.get(), NodeVersion.KUBERNETES));
        definitions();
        gathering.cluster();
        Holdings holdings = gathering.holdings();
        rights(account);
        findings.addAll(ClusterChecks.leaders(holdings));
        holdings.leases().forEach(lease -> node(lease.node()));
        findings.addAll(
                ClusterChecks.daemonSets(settings, gathering.every(DAEMON_SETS, "DaemonSets"), holdings.pods()));
        findings.addAll(ClusterChecks.waitingPods(holdings));
        return findings.build();
    }

    /** What was read for it. */
    Gathering holdings() {
        return gathering;
    }

    private Optional<String> server() {
        Optional<RawHttp.Answer> answer = session.attempt(
                "the API server",
                () -> RawHttp.get(session.ways().client(), session.apiServer().resolve("/version")),
                why -> findings.add(Finding.error(
                        "kubernetes",
                        "API server " + session.apiServer() + " does not answer: " + why,
                        "name it by --kubeconfig; see that it is up and reached from here")));
        Instant now = session.now();
        return answer.map(found -> {
            findings.add(ClusterChecks.clock("the API server", now, found.date()));
            return gitVersion(found.body());
        });
    }

    private static String gitVersion(String body) {
        try {
            return JsonMapper.shared().readTree(body).path("gitVersion").asString("");
        } catch (JacksonException e) {
            return "";
        }
    }

    private void definitions() {
        ImmutableMap.Builder<String, ObjectNode> found = ImmutableMap.builder();
        for (ObjectNode wanted : CrdManifests.all()) {
            String name = wanted.path("metadata").path("name").asString("");
            Outcome<ObjectNode, KubeError> answer = session.ask(
                    "CustomResourceDefinition " + name,
                    () -> session.kube().get(Kinds.CUSTOM_RESOURCE_DEFINITIONS, ObjectRef.cluster(name)));
            answer.value().ifPresent(there -> found.put(name, there));
            if (answer.error()
                    .filter(error -> !(error instanceof KubeError.NotFound))
                    .isPresent()) {
                findings.add(Finding.unknown(
                        "crds",
                        "whether " + name + " is there cannot be read: "
                                + answer.error().get().message(),
                        ""));
                return;
            }
        }
        findings.addAll(ClusterChecks.definitions(CrdManifests.all(), found.buildOrThrow()));
    }

    private void rights(String account) {
        ImmutableList<Right> rights;
        try {
            rights = Right.in(
                    "rbac.yaml",
                    Resources.toString(Resources.getResource(Right.class, "rbac.yaml"), UTF_8),
                    settings.namespace());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<Right, Boolean> allowed = new LinkedHashMap<>();
        for (Right right : rights) {
            if (allowed.containsKey(right)) {
                continue;
            }
            ObjectNode review = review(right, account);
            ResourceKind<ObjectNode> kind = account.isEmpty() ? OWN_REVIEWS : REVIEWS;
            Outcome<ObjectNode, KubeError> answer =
                    session.ask("rights", () -> session.kube().create(kind, "", review));
            if (answer.error().isPresent()) {
                findings.add(Finding.unknown(
                        "rbac",
                        "rights cannot be looked at: " + answer.error().get().message(),
                        account.isEmpty() ? "" : "leave out --as to look at your own rights"));
                return;
            }
            allowed.put(
                    right,
                    answer.value().orElseThrow().path("status").path("allowed").asBoolean(false));
        }
        findings.addAll(ClusterChecks.rights(
                account.isEmpty() ? "the user of this kubeconfig" : "ServiceAccount " + account,
                ImmutableMap.copyOf(allowed)));
    }

    private static ObjectNode review(Right right, String account) {
        ObjectNode review = JsonNodeFactory.instance.objectNode();
        ObjectNode spec = review.putObject("spec");
        ObjectNode attributes = spec.putObject("resourceAttributes");
        attributes.put("verb", right.verb());
        attributes.put("group", right.group());
        attributes.put("resource", right.plainResource());
        if (!right.subresource().isEmpty()) {
            attributes.put("subresource", right.subresource());
        }
        if (!right.name().isEmpty()) {
            attributes.put("name", right.name());
        }
        if (!right.namespace().isEmpty()) {
            attributes.put("namespace", right.namespace());
        }
        if (!account.isEmpty()) {
            String namespace = account.substring(0, account.indexOf('/'));
            spec.put("user", "system:serviceaccount:" + account.replace('/', ':'));
            spec.putArray("groups")
                    .add("system:serviceaccounts")
                    .add("system:serviceaccounts:" + namespace)
                    .add("system:authenticated");
        }
        return review;
    }

    private void node(String name) {
        Outcome<ObjectNode, KubeError> answer =
                session.ask("Node " + name, () -> session.kube().get(NODES, ObjectRef.cluster(name)));
        if (answer.error()
                .filter(error -> !(error instanceof KubeError.NotFound))
                .isPresent()) {
            findings.add(Finding.unknown(
                    "node",
                    "Node " + name + " cannot be read: " + answer.error().get().message(),
                    ""));
        } else {
            findings.add(ClusterChecks.node(name, answer.value(), KipVersion.current()));
        }
    }
}
