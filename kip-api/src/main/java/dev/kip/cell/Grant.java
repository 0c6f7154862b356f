package dev.kip.cell;

import dev.kip.bundle.PodBundle;

/** The right to run one attempt of one pod, given by the installation's controller of that epoch. */
public record Grant(long epoch, String podUid, int attempt, PodBundle bundle) {}
