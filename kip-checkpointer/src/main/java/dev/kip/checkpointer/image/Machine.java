package dev.kip.checkpointer.image;

import java.time.Instant;
import java.util.Optional;

/** What is looked at. Paths are absolute, as the machine itself sees them. */
interface Machine {

    /** Whether it is running, so that its kernel, clock and ports can be looked at; an image that is mounted is not. */
    boolean runs();

    /** Empty if there is no such file, or it cannot be read. */
    Optional<String> read(String path);

    boolean exists(String path);

    /** What the program says, errors included; empty if it is not there or fails. */
    Optional<String> run(String... command);

    /** Whether nobody listens there. */
    boolean isFree(int port);

    /** Bytes left where the path is, or would be. */
    long free(String path);

    Instant now();

    /** When the file was last changed; empty if there is none. */
    Optional<Instant> changed(String path);
}
