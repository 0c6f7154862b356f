package dev.kip.checkpointer.standing;

import dev.kip.checkpointer.generation.PodKey;
import java.util.Optional;

/**
 * What a checkpoint is to do.
 *
 * @param run the generation that kubelet is to run, empty for none
 * @param remark something that a person should know; empty if nothing
 */
public record Verdict(PodKey key, Standing standing, Optional<Turn> run, String remark) {

    /**
     * @param generation its id
     * @param attempt grows when kubelet is asked again
     */
    public record Turn(String generation, int attempt) {}
}
