package dev.kip.controller.launch;

/** Keys of the tags on what we create in the cloud. The first three are the original's. */
public final class Tags {

    public static final String INSTALLATION = "KipControllerID";
    public static final String NAMETAG = "KipNametag";
    public static final String NAME = "Name";
    public static final String NODE = "kip.elotl.co/node";
    public static final String EPOCH = "kip.elotl.co/epoch";
    public static final String BATCH = "kip.elotl.co/batch";
    public static final String MAC = "kip.elotl.co/mac";

    /** On an instance that garbage collection means to end, with the time since when; taken off if it is claimed after all. */
    public static final String CANDIDATE = "kip.elotl.co/gc-candidate";

    private Tags() {}
}
