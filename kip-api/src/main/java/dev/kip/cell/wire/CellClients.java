package dev.kip.cell.wire;

import io.fabric8.kubernetes.client.http.HttpClient;

/**
 * The two ways to dial cells. In simulation both may be the same client.
 *
 * @param asking for the question who a cell is, and nothing else
 * @param pinned for all else: its handshake fails unless {@link PeerCertificates#expect} named the certificate
 */
public record CellClients(HttpClient asking, HttpClient pinned) {}
