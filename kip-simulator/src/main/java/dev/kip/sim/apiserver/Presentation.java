package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.store.Versioned;
import dev.kip.sim.apiserver.table.PrinterColumn;
import dev.kip.sim.apiserver.table.Tables;
import dev.kip.sim.apiserver.watch.EventForm;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** How the client wants objects: whole, metadata only, or as rows of a table; decided by the Accept header. */
abstract class Presentation implements EventForm {

    private static final byte[] COMMA = {','};

    final Resource resource;

    Presentation(Resource resource) {
        this.resource = resource;
    }

    abstract byte[] list(Lists.Page page);

    /** Never a refusal: a client that asks for what is not known gets plain JSON. */
    static Presentation of(Resource resource, Core core, Optional<String> accept, String includeObject) {
        for (String media : accept.orElse("").split(",")) {
            String wanted = media.toLowerCase(Locale.ROOT).replace(" ", "");
            if (wanted.contains("as=table")) {
                return new Tabular(resource, core, includeObject.equals("Object"));
            }
            if (wanted.contains("as=partialobjectmetadata")) {
                return new MetadataOnly(resource);
            }
            if (wanted.startsWith("application/json") || wanted.startsWith("application/vnd.kubernetes.protobuf")) {
                break;
            }
        }
        return new Whole(resource);
    }

    @Override
    public byte[] bookmark(long revision, boolean initialEventsEnd) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("kind", resource.type().kind())
                .put("apiVersion", resource.type().apiVersion());
        ObjectNode metadata = object.putObject("metadata").put("resourceVersion", Long.toString(revision));
        metadata.putNull("creationTimestamp");
        if (initialEventsEnd) {
            metadata.putObject("annotations").put("k8s.io/initial-events-end", "true");
        }
        return utf8(object.toString());
    }

    static ObjectNode listMetadata(Lists.Page page) {
        ObjectNode metadata = JsonNodeFactory.instance.objectNode();
        metadata.put("resourceVersion", Long.toString(page.revision()));
        if (!page.continueToken().isEmpty()) {
            metadata.put("continue", page.continueToken());
            page.remaining().ifPresent(remaining -> metadata.put("remainingItemCount", remaining));
        }
        return metadata;
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The same for the object's scale. */
    Presentation ofScale() {
        return new ScaleOf(resource, Optional.empty());
    }

    private static ObjectNode table(Resource resource, List<ObjectNode> objects, boolean fullObject, Core core) {
        return Tables.render(
                resource.type(), PrinterColumn.ofVersion(resource.definedVersion()), objects, fullObject, core.now());
    }

    /** The scale that stands for an object, as it is or as a row. */
    private static final class ScaleOf extends Presentation {

        private final Optional<Core> tableAt;

        ScaleOf(Resource resource, Optional<Core> tableAt) {
            super(resource);
            this.tableAt = tableAt;
        }

        @Override
        public String sharedAs() {
            return "";
        }

        @Override
        public byte[] object(Versioned stored) {
            ObjectNode scale = Scales.of(resource, resource.shown(stored).object());
            return utf8(tableAt.map(core -> table(resource, List.of(scale), false, core))
                    .orElse(scale)
                    .toString());
        }

        @Override
        byte[] list(Lists.Page page) {
            throw new IllegalStateException("scales are not listed");
        }
    }

    /** Objects as they are. */
    private static final class Whole extends Presentation {

        Whole(Resource resource) {
            super(resource);
        }

        @Override
        public String sharedAs() {
            return resource.apiVersion();
        }

        @Override
        public byte[] object(Versioned stored) {
            return resource.shown(stored).json();
        }

        @Override
        byte[] list(Lists.Page page) {
            String head = "{\"kind\":\"" + resource.listKind() + "\",\"apiVersion\":\""
                    + resource.type().apiVersion() + "\",\"metadata\":" + listMetadata(page) + ",\"items\":[";
            // Items of built-in lists carry neither kind nor version on a real server; items of custom ones do.
            String prefix = resource.custom()
                    ? ""
                    : "\"kind\":\"" + resource.type().kind() + "\",\"apiVersion\":\""
                            + resource.type().apiVersion() + "\",";
            int size = head.length() + 16;
            for (Versioned item : page.items()) {
                size += resource.shown(item).json().length;
            }
            ByteArrayOutputStream body = new ByteArrayOutputStream(size);
            body.writeBytes(utf8(head));
            boolean first = true;
            for (Versioned item : page.items()) {
                if (!first) {
                    body.writeBytes(COMMA);
                }
                first = false;
                byte[] json = resource.shown(item).json();
                body.write('{');
                body.write(json, 1 + prefix.length(), json.length - 1 - prefix.length());
            }
            body.writeBytes(utf8("]}\n"));
            return body.toByteArray();
        }
    }

    /** {@code PartialObjectMetadata}. */
    private static final class MetadataOnly extends Presentation {

        private static final String VERSION = "meta.k8s.io/v1";

        MetadataOnly(Resource resource) {
            super(resource);
        }

        @Override
        public String sharedAs() {
            return VERSION;
        }

        @Override
        public byte[] object(Versioned stored) {
            return utf8(partial(stored.object()).toString());
        }

        @Override
        byte[] list(Lists.Page page) {
            ObjectNode list = JsonNodeFactory.instance.objectNode();
            list.put("kind", "PartialObjectMetadataList").put("apiVersion", VERSION);
            list.set("metadata", listMetadata(page));
            ArrayNode items = list.putArray("items");
            page.items().forEach(item -> items.add(partial(item.object())));
            return utf8(list.toString());
        }

        @Override
        public byte[] bookmark(long revision, boolean initialEventsEnd) {
            ObjectNode object = JsonNodeFactory.instance.objectNode();
            object.put("kind", "PartialObjectMetadata").put("apiVersion", VERSION);
            object.putObject("metadata").put("resourceVersion", Long.toString(revision));
            return utf8(object.toString());
        }
    }

    static ObjectNode partial(ObjectNode object) {
        ObjectNode partial = JsonNodeFactory.instance.objectNode();
        partial.put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
        partial.set("metadata", object.path("metadata"));
        return partial;
    }

    /** Rows of a table, as kubectl prints them. The columns are told in the first frame of a watch only. */
    private static final class Tabular extends Presentation {

        private final Core core;
        private final boolean fullObject;
        private boolean columnsTold;

        Tabular(Resource resource, Core core, boolean fullObject) {
            super(resource);
            this.core = core;
            this.fullObject = fullObject;
        }

        @Override
        public String sharedAs() {
            return "";
        }

        @Override
        public byte[] object(Versioned stored) {
            ObjectNode table = render(List.of(stored));
            ObjectNode metadata = table.putObject("metadata");
            metadata.put("resourceVersion", Long.toString(stored.revision()));
            if (columnsTold) {
                table.putNull("columnDefinitions");
            }
            columnsTold = true;
            return utf8(table.toString());
        }

        @Override
        byte[] list(Lists.Page page) {
            ObjectNode table = render(page.items());
            table.set("metadata", listMetadata(page));
            return utf8(table.toString());
        }

        @Override
        public byte[] bookmark(long revision, boolean initialEventsEnd) {
            ObjectNode table = render(List.of());
            table.putObject("metadata").put("resourceVersion", Long.toString(revision));
            return utf8(table.toString());
        }

        @Override
        Presentation ofScale() {
            return new ScaleOf(resource, Optional.of(core));
        }

        private ObjectNode render(List<Versioned> items) {
            ImmutableList<ObjectNode> objects =
                    items.stream().map(item -> resource.shown(item).object()).collect(ImmutableList.toImmutableList());
            return table(resource, objects, fullObject, core);
        }
    }
}
