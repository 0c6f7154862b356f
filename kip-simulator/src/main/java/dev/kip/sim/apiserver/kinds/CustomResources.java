package dev.kip.sim.apiserver.kinds;

import dev.kip.sim.apiserver.kinds.Traits.Generation;
import dev.kip.sim.apiserver.schema.FieldErrors;
import dev.kip.sim.apiserver.schema.StructuralSchema;
import tools.jackson.databind.node.ObjectNode;

/** Objects of one version of a custom resource definition. */
public final class CustomResources implements Strategy {

    private final StructuralSchema schema;
    private final Traits traits;

    /** @param statusSubresource without it, status is a field like any other of the main object */
    public CustomResources(StructuralSchema schema, boolean statusSubresource) {
        this.schema = schema;
        Traits plain = Traits.PLAIN.generation(Generation.ALL_BUT_METADATA).versionRequired();
        this.traits = statusSubresource ? plain.withStatus() : plain;
    }

    public StructuralSchema schema() {
        return schema;
    }

    @Override
    public Traits traits() {
        return traits;
    }

    @Override
    public void fillDefaults(ObjectNode object) {
        schema.fillDefaults(object);
    }

    @Override
    public void beforeCreate(ObjectNode object) {
        if (traits.status()) {
            object.remove("status");
        }
    }

    @Override
    public void validate(ObjectNode object, FieldErrors errors) {
        schema.validate(object, errors);
    }
}
