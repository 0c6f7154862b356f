package dev.kip.kube;

/** @param namespace empty for cluster-scoped objects */
public record ObjectRef(String namespace, String name) {

    public static ObjectRef cluster(String name) {
        return new ObjectRef("", name);
    }

    @Override
    public String toString() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
