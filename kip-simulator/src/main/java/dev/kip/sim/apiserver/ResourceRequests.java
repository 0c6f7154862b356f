package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.http.HttpCall;
import dev.kip.sim.apiserver.Deletions.Deleted;
import dev.kip.sim.apiserver.Writes.Part;
import dev.kip.sim.apiserver.schema.Findings;
import dev.kip.sim.apiserver.store.Versioned;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Requests to resources: which verb on what, and what is answered. */
final class ResourceRequests {

    private static final String PROXY_PROBLEM =
            "this API server is no proxy: it reaches kubelets for logs and streams only";

    private final Core core;
    private final Lists lists;
    private final Writes writes;
    private final Deletions deletions;
    private final Definitions definitions;
    private final Subresources subresources;
    private final Reviews reviews;
    private final Watches watches;
    private final Applying applying;
    private final Bootstrap bootstrap;
    private final NodeStreams streams;

    ResourceRequests(
            Core core,
            Lists lists,
            Writes writes,
            Deletions deletions,
            Definitions definitions,
            Subresources subresources,
            Reviews reviews,
            Watches watches,
            Bootstrap bootstrap,
            NodeStreams streams) {
        this.core = core;
        this.applying = new Applying(core);
        this.lists = lists;
        this.writes = writes;
        this.deletions = deletions;
        this.definitions = definitions;
        this.subresources = subresources;
        this.reviews = reviews;
        this.watches = watches;
        this.bootstrap = bootstrap;
        this.streams = streams;
    }

    void answer(Request request) {
        if (request.call().method().equals("PATCH")) {
            Patches.checkType(request);
        }
        if (!request.subresource().isEmpty()) {
            subresource(request);
        } else if (request.name().isEmpty()) {
            collection(request);
        } else {
            object(request);
        }
    }

    private void collection(Request request) {
        Resource resource = request.resource();
        switch (request.call().method()) {
            case "GET", "HEAD" -> {
                if (request.isWatch()) {
                    watches.open(request);
                } else {
                    allow(request, "list");
                    Lists.Page page = lists.list(
                            resource,
                            request.namespace(),
                            ListRequest.of(resource, request.call().query()));
                    Answers.json(request.call(), 200, presentation(request).list(page), List.of());
                }
            }
            case "POST" -> post(request);
            case "DELETE" -> deleteCollection(request);
            default -> throw Failures.methodNotAllowed();
        }
    }

    private void post(Request request) {
        Resource resource = request.resource();
        allow(request, "create");
        if (resource.type().namespaced() && request.namespace().isEmpty()) {
            throw Failures.methodNotAllowed();
        }
        WriteContext context = request.writeContext();
        ObjectNode body = body(request, resource, context);
        if (Reviews.isReview(resource.type())) {
            Answers.json(request.call(), 201, reviews.answer(resource.type(), request.user(), body));
        } else if (resource.type().kind().equals("Binding")) {
            Resource pods = core.resource("", "pods");
            String name = body.path("metadata").path("name").asString("");
            Answers.json(request.call(), 201, subresources.bind(pods, request.namespace(), name, body, context));
        } else {
            if (resource.type().kind().equals("CertificateSigningRequest")) {
                signedBy(request, body.withObjectProperty("spec"));
            }
            Versioned created = writes.create(resource, request.namespace(), body, context);
            if (!context.dryRun()) {
                bootstrap.afterCreate(resource, created);
            }
            object(request, 201, created, context);
        }
    }

    /** Who asks for a certificate is not for him to say. */
    private static void signedBy(Request request, ObjectNode spec) {
        spec.put("username", request.user().name());
        ArrayNode groups = spec.putArray("groups");
        request.user().groups().forEach(groups::add);
    }

    private static ObjectNode body(Request request, Resource resource, WriteContext context) {
        Findings findings = new Findings();
        ObjectNode body = Bodies.object(
                request.call().body(), request.contentType(), resource.type().kind(), findings);
        return Bodies.fit(resource, body, findings, context);
    }

    private void deleteCollection(Request request) {
        Resource resource = request.resource();
        allow(request, "deletecollection");
        if (resource.type().namespaced() && request.namespace().isEmpty()) {
            throw Failures.methodNotAllowed();
        }
        ListRequest which = ListRequest.of(resource, request.call().query());
        DeleteRequest how = deleteRequest(request);
        Lists.Page page = lists.list(resource, request.namespace(), which);
        ImmutableList.Builder<Versioned> deleted = ImmutableList.builder();
        for (Versioned item : page.items()) {
            String name = item.object().path("metadata").path("name").asString("");
            String namespace = item.object().path("metadata").path("namespace").asString("");
            deleted.add(deletions.delete(resource, namespace, name, how).object());
        }
        Lists.Page answer =
                new Lists.Page(deleted.build(), core.store().revision(), page.continueToken(), page.remaining());
        Answers.json(request.call(), 200, presentation(request).list(answer), List.of());
    }

    private void object(Request request) {
        Resource resource = request.resource();
        switch (request.call().method()) {
            case "GET", "HEAD" -> {
                allow(request, "get");
                checkVersion(request);
                Versioned found = resource.existing(request.namespace(), request.name());
                Answers.json(request.call(), 200, presentation(request).object(found), List.of());
            }
            case "PUT" -> {
                allow(request, "update");
                put(request);
            }
            case "PATCH" -> {
                allow(request, "patch");
                patch(request, Part.MAIN);
            }
            case "DELETE" -> {
                allow(request, "delete");
                delete(request);
            }
            default -> throw Failures.methodNotAllowed();
        }
    }

    private void checkVersion(Request request) {
        String version = request.parameter("resourceVersion");
        if (version.matches("[0-9]{1,18}")
                && Long.parseLong(version) > core.store().revision()) {
            throw Failures.tooLargeResourceVersion(
                    Long.parseLong(version), core.store().revision());
        }
    }

    private void put(Request request) {
        Resource resource = request.resource();
        WriteContext context = request.writeContext();
        ObjectNode body = body(request, resource, context);
        boolean exists = resource.find(request.namespace(), request.name()).isPresent();
        boolean versioned =
                !body.path("metadata").path("resourceVersion").asString("").isEmpty();
        if (!exists && resource.strategy().traits().createOnUpdate() && !versioned) {
            ObjectNode metadata = body.withObjectProperty("metadata");
            if (metadata.path("name").asString("").isEmpty()) {
                metadata.put("name", request.name());
            }
            object(request, 201, writes.create(resource, request.namespace(), body, context), context);
            return;
        }
        update(request, Part.MAIN, true, present -> body, context);
    }

    private void patch(Request request, Part part) {
        WriteContext context = request.writeContext();
        Resource resource = request.resource();
        if (context.applies()) {
            apply(request, part, context);
            return;
        }
        update(
                request,
                part,
                false,
                present -> Patches.fit(
                        resource, Patches.apply(request, resource.type().kind(), present), context),
                context);
    }

    private void apply(Request request, Part part, WriteContext context) {
        Resource resource = request.resource();
        ObjectNode applied = applying.body(request);
        boolean exists = resource.find(request.namespace(), request.name()).isPresent();
        if (!exists && part == Part.MAIN) {
            ObjectNode made = applying.onto(request, Optional.empty(), applied);
            made.withObjectProperty("metadata").remove("resourceVersion");
            Versioned created =
                    writes.create(resource, request.namespace(), Patches.fit(resource, made, context), context);
            object(request, 201, created, context);
            return;
        }
        update(
                request,
                part,
                false,
                present -> Patches.fit(resource, applying.onto(request, Optional.of(present), applied), context),
                context);
    }

    private void update(
            Request request, Part part, boolean replaces, UnaryOperator<ObjectNode> change, WriteContext context) {
        Versioned updated =
                writes.update(request.resource(), request.namespace(), request.name(), part, replaces, change, context);
        object(request, 200, updated, context);
    }

    private void delete(Request request) {
        Resource resource = request.resource();
        DeleteRequest how = deleteRequest(request);
        Deleted deleted = resource.shelf().name().equals("apiextensions.k8s.io/customresourcedefinitions")
                ? definitions.delete(request.name(), how)
                : deletions.delete(resource, request.namespace(), request.name(), how);
        if (deleted.gone() && !resource.strategy().traits().answersDeleted()) {
            Answers.json(
                    request.call(),
                    200,
                    Answers.deleted(resource.type(), deleted.object().object()));
        } else {
            Answers.json(request.call(), 200, presentation(request).object(deleted.object()), List.of());
        }
    }

    /** Options come in the body, or as parameters; those in the body win. */
    private static DeleteRequest deleteRequest(Request request) {
        byte[] body = request.call().body();
        ObjectNode options = body.length == 0
                ? JsonNodeFactory.instance.objectNode()
                : Bodies.object(body, request.contentType(), "DeleteOptions", new Findings());
        String grace = request.parameter("gracePeriodSeconds");
        if (body.length == 0 && grace.matches("[0-9]{1,9}")) {
            options.put("gracePeriodSeconds", Integer.parseInt(grace));
        }
        if (body.length == 0 && !request.parameter("propagationPolicy").isEmpty()) {
            options.put("propagationPolicy", request.parameter("propagationPolicy"));
        }
        return DeleteRequest.of(options).dry(request.dryRun());
    }

    private void subresource(Request request) {
        Resource resource = request.resource();
        String name = request.subresource();
        String method = request.call().method();
        ResourceType.Subresource known = resource.subresource(name).orElseThrow(Failures::noSuchResource);
        if (!known.verbs().contains(verb(method))) {
            throw Failures.methodNotAllowed();
        }
        switch (name) {
            case "log", "exec", "attach", "portforward", "proxy" -> {
                ObjectNode object =
                        resource.existing(request.namespace(), request.name()).object();
                if (name.equals("proxy")) {
                    throw Failures.notImplemented(PROXY_PROBLEM);
                }
                streams.answer(request, object);
            }
            case "status", "approval" -> status(request);
            case "scale" -> scale(request);
            case "ephemeralcontainers" -> ephemeralContainers(request);
            case "finalize" -> {
                WriteContext context = request.writeContext();
                ObjectNode body = body(request, resource, context);
                object(request, 200, subresources.finalizeNamespace(resource, request.name(), body, context), context);
            }
            default -> {
                WriteContext context = request.writeContext();
                ObjectNode body =
                        Bodies.object(request.call().body(), request.contentType(), known.kind(), new Findings());
                ObjectNode answer =
                        subresources.post(resource, request.namespace(), request.name(), name, body, context);
                Answers.json(request.call(), 201, answer);
            }
        }
    }

    private void status(Request request) {
        Resource resource = request.resource();
        switch (request.call().method()) {
            case "PUT" -> {
                WriteContext context = request.writeContext();
                ObjectNode body = body(request, resource, context);
                update(request, Part.STATUS, true, present -> body, context);
            }
            case "PATCH" -> patch(request, Part.STATUS);
            default ->
                object(request, 200, resource.existing(request.namespace(), request.name()), request.writeContext());
        }
    }

    private void scale(Request request) {
        Resource resource = request.resource();
        WriteContext context = request.writeContext();
        Versioned scaled = switch (request.call().method()) {
            case "PUT" -> {
                ObjectNode body = Bodies.object(request.call().body(), request.contentType(), "Scale", new Findings());
                yield rescale(request, present -> body, context);
            }
            case "PATCH" -> rescale(request, present -> Patches.apply(request, "Scale", present), context);
            default -> resource.existing(request.namespace(), request.name());
        };
        Presentation scale = presentation(request).ofScale();
        Answers.json(request.call(), 200, scale.object(scaled), context.warnings());
    }

    private Versioned rescale(Request request, UnaryOperator<ObjectNode> change, WriteContext context) {
        Resource resource = request.resource();
        return writes.update(
                resource,
                request.namespace(),
                request.name(),
                Part.MAIN,
                false,
                present -> Scales.applied(resource, present, change.apply(Scales.of(resource, present))),
                context);
    }

    private void ephemeralContainers(Request request) {
        Resource resource = request.resource();
        WriteContext context = request.writeContext();
        Versioned stored = resource.existing(request.namespace(), request.name());
        Versioned answer = switch (request.call().method()) {
            case "PUT" ->
                subresources.addEphemeralContainers(
                        resource, request.namespace(), request.name(), body(request, resource, context), context);
            case "PATCH" ->
                subresources.addEphemeralContainers(
                        resource,
                        request.namespace(),
                        request.name(),
                        Patches.fit(resource, Patches.apply(request, "Pod", stored.object()), context),
                        context);
            default -> stored;
        };
        object(request, 200, answer, context);
    }

    private void object(Request request, int code, Versioned stored, WriteContext context) {
        Answers.json(request.call(), code, presentation(request).object(stored), context.warnings());
    }

    private Presentation presentation(Request request) {
        HttpCall call = request.call();
        return Presentation.of(request.resource(), core, call.header("accept"), request.parameter("includeObject"));
    }

    private static void allow(Request request, String verb) {
        if (!request.resource().serves(verb)) {
            throw Failures.methodNotAllowed();
        }
    }

    private static String verb(String method) {
        return switch (method) {
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> "delete";
            default -> "get";
        };
    }
}
