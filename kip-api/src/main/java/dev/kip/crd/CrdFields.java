package dev.kip.crd;

import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;

/** Annotations of record components: those of fabric8 are kept on the component's field. */
final class CrdFields {

    private CrdFields() {}

    static Field fieldOf(RecordComponent component) {
        try {
            return component.getDeclaringRecord().getDeclaredField(component.getName());
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }
}
