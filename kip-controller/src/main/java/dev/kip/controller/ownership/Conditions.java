package dev.kip.controller.ownership;

/** The conditions that an Installation shows. */
public final class Conditions {

    /** Whether identity, keys and epochs are kept outside the cluster too. */
    public static final String ANCHORED = "Anchored";

    static final String NOT_SURVIVED =
            "no anchor is configured (ownership.anchor): the loss of the Secret with the keys,"
                    + " a cluster restored from a backup or copied, and a re-created cluster are not told apart from a plain start";

    private Conditions() {}

    /** Which incarnation acts for the virtual node, and how it came to that. */
    public static String leads(String node) {
        return "Leads/" + node;
    }

    /** Whether the cloud does what it is asked; its reason names the kind of error. */
    public static String cloudWorks(String node) {
        return "CloudWorks/" + node;
    }

    /** How far the virtual node has been taken down; its reason names the step. */
    public static String drained(String node) {
        return "Drained/" + node;
    }

    /** Whether cluster and cloud are known to tell of the same past. */
    public static String reconciled(String node) {
        return "Reconciled/" + node;
    }
}
