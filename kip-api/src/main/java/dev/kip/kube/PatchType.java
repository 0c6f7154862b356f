package dev.kip.kube;

/** The media types of PATCH. */
public enum PatchType {
    MERGE("application/merge-patch+json"),
    JSON("application/json-patch+json"),
    STRATEGIC("application/strategic-merge-patch+json");

    private final String mediaType;

    PatchType(String mediaType) {
        this.mediaType = mediaType;
    }

    public String mediaType() {
        return mediaType;
    }
}
