package dev.kip.cell.wire;

/**
 * Why an agent did not do what was asked.
 *
 * @param highestEpoch the highest epoch that it has seen
 */
public record Problem(Reason reason, String message, long highestEpoch) {

    /** With the HTTP status of each. */
    public enum Reason {
        /** The request is malformed. */
        BAD_REQUEST("BadRequest", 400),
        /** No such path. */
        NOT_FOUND("NotFound", 404),
        /** The path has no such method. */
        METHOD_NOT_ALLOWED("MethodNotAllowed", 405),
        /** A higher epoch has been here. */
        FENCED("Fenced", 409),
        /** It runs, or ran, another pod attempt. */
        OTHER_POD("OtherPod", 409),
        /** The request is meant for another instance. */
        OTHER_CELL("OtherCell", 421),
        /** The manifest, or a file of the bundle, cannot be used. */
        INVALID_BUNDLE("InvalidBundle", 422),
        /** It cannot keep the grant: its disk fails. */
        FAILING("Failing", 500);

        private final String text;
        private final int status;

        Reason(String text, int status) {
            this.text = text;
            this.status = status;
        }

        /** As on the wire. */
        public String text() {
            return text;
        }

        public int status() {
            return status;
        }
    }
}
