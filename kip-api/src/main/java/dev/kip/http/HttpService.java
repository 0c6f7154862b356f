package dev.kip.http;

/** Answers HTTP. Called on the loop of the process that serves; behind real sockets and inside the simulator alike. */
public interface HttpService {

    /** Answers {@code call}, now or later; exactly one of its answering methods is called, once. */
    void handle(HttpCall call);
}
