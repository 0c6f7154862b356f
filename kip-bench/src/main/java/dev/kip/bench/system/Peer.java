package dev.kip.bench.system;

/** Somebody who runs the pods of a node, in a process of its own. */
interface Peer extends AutoCloseable {

    String name();

    /** The node's name; it is ready when the peer has been made. */
    String node();

    /** Most memory that the process held at a time, bytes; 0 where the system does not say. */
    long residentBytes();

    @Override
    void close();
}
