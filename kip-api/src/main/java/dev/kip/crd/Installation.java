package dev.kip.crd;

/** The cluster record: who this installation is and which incarnation may mutate. Cluster-scoped. */
public record Installation(ObjectMetadata metadata, InstallationSpec spec) {}
