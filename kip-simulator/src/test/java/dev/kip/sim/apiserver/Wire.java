package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableMap;

/** A way to an API server, simulated or real. */
interface Wire {

    /** Sends one request and waits until the whole answer is there. */
    Answer send(String method, String pathAndQuery, ImmutableMap<String, String> headers, byte[] body);

    /** @param headers names in lower case */
    record Answer(int status, ImmutableMap<String, String> headers, byte[] body) {}
}
