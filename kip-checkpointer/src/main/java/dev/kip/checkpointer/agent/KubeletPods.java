package dev.kip.checkpointer.agent;

import java.io.IOException;
import tools.jackson.databind.node.ObjectNode;

/** The kubelet of this cell. Blocks, one request a call: called inside an offloaded call only. */
public interface KubeletPods {

    /** A {@code PodList}: what kubelet has been given, and how it fares. */
    ObjectNode pods() throws IOException;
}
