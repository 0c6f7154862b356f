package dev.kip.controller.launch;

/**
 * Why a pod gets no instance (now), as users see it in an event and in the pod's status.
 *
 * @param reason CamelCase, for programs
 * @param message for people: what was wanted, what was found, what to do
 */
public record Problem(String reason, String message) {}
