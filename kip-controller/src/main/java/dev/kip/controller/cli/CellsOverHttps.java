package dev.kip.controller.cli;

import dev.kip.cell.CellApi;
import dev.kip.cell.wire.AddressMap;
import dev.kip.cell.wire.CellTrust;
import dev.kip.cell.wire.HttpCellApi;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.entropy.Entropy;
import dev.kip.loop.Loop;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.Function;

/** Opens the way to cells over HTTPS; keeps it open while the installation's keys stay the same. Confined to the loop. */
public final class CellsOverHttps implements Function<InstallationKeys, CellApi> {

    private final HttpClient.Factory factory;
    private final Loop loop;
    private final Entropy entropy;
    private final AddressMap addresses;
    private final Opened opened;
    private Optional<Open> open = Optional.empty();

    /** Told of each way as it is opened. */
    interface Opened {

        /** @return the way to take in its place */
        CellApi way(CellApi cells, CellTrust trust, InstallationKeys keys);
    }

    public CellsOverHttps(HttpClient.Factory factory, Loop loop, Entropy entropy, AddressMap addresses) {
        this(factory, loop, entropy, addresses, (cells, trust, keys) -> cells);
    }

    CellsOverHttps(HttpClient.Factory factory, Loop loop, Entropy entropy, AddressMap addresses, Opened opened) {
        this.factory = factory;
        this.loop = loop;
        this.entropy = entropy;
        this.addresses = addresses;
        this.opened = opened;
    }

    @Override
    public CellApi apply(InstallationKeys keys) {
        X509Certificate certificate = keys.controllerCertificate();
        Open now = open.filter(last -> last.certificate().equals(certificate)).orElseGet(() -> open(keys));
        open = Optional.of(now);
        return now.cells();
    }

    private Open open(InstallationKeys keys) {
        CellTrust trust = new CellTrust();
        return new Open(
                keys.controllerCertificate(),
                opened.way(
                        new HttpCellApi(trust.clients(factory, keys), loop, entropy, keys, trust, addresses),
                        trust,
                        keys));
    }

    private record Open(X509Certificate certificate, CellApi cells) {}
}
