package dev.kip.sim.ec2;

/** An error answer of EC2, worded as EC2 words it. */
public final class Ec2Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;
    private static final int CLIENT_ERROR = 400;

    private final int status;
    private final String code;

    public Ec2Failure(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    Ec2Failure(String code, String message) {
        this(CLIENT_ERROR, code, message);
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    static Ec2Failure missing(String parameter) {
        return new Ec2Failure("MissingParameter", "The request must contain the parameter " + parameter);
    }

    static Ec2Failure invalidValue(String message) {
        return new Ec2Failure("InvalidParameterValue", message);
    }

    static Ec2Failure combination(String message) {
        return new Ec2Failure("InvalidParameterCombination", message);
    }

    /** {@code Invalid id: "foo" (expecting "i-...")}. */
    static Ec2Failure malformed(String code, String id, String prefix) {
        return new Ec2Failure(code, "Invalid id: \"" + id + "\" (expecting \"" + prefix + "-...\")");
    }
}
