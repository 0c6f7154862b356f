package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.io.BaseEncoding;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.AnchorStore.Reading;
import dev.kip.cloud.AnchorStore.Written;
import dev.kip.cloud.CloudError;
import dev.kip.controller.doctor.AnchorChecks;
import dev.kip.controller.doctor.ClusterChecks;
import dev.kip.controller.doctor.Finding;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.ownership.AnchorKeys;
import dev.kip.outcome.Outcome;
import java.util.Optional;

/** Tries the anchor's store with an object of its own, and looks for the installation's. */
final class AnchorExamination {

    private static final int NAME_BYTES = 8;

    private final Session session;
    private final Holdings holdings;

    AnchorExamination(Session session, Holdings holdings) {
        this.session = session;
        this.holdings = holdings;
    }

    ImmutableList<Finding> run() {
        Optional<AnchorStore> configured = session.ways().anchors();
        if (configured.isEmpty()) {
            return ImmutableList.of(AnchorChecks.none());
        }
        AnchorStore store = configured.get();
        String key = "doctor/"
                + BaseEncoding.base16()
                        .lowerCase()
                        .encode(session.ways().entropy().bytes(NAME_BYTES));
        Outcome<Written, CloudError> first = write(store, key);
        ImmutableList.Builder<Finding> findings = ImmutableList.builder();
        if (first.error().isPresent()) {
            return findings.add(AnchorChecks.unusable(
                            store.location(), "written", first.error().get()))
                    .build();
        }
        Written written = first.value().orElseThrow();
        findings.add(ClusterChecks.clock("the anchor's store", session.now(), Optional.of(written.serverTime())));
        Outcome<Written, CloudError> second = write(store, key);
        findings.add(AnchorChecks.swap(store.location(), second));
        String version = second.value().map(Written::version).orElse(written.version());
        session.ask("the anchor", () -> store.delete(key, version))
                .error()
                .ifPresent(error -> findings.add(AnchorChecks.unusable(store.location(), "deleted", error)));
        String id = holdings.installationId();
        if (!id.isEmpty()) {
            Outcome<Reading, CloudError> identity =
                    session.ask("the anchor", () -> store.read(AnchorKeys.identity(id)));
            findings.add(AnchorChecks.identity(
                    store.location(),
                    id,
                    identity.map(reading -> reading.object().isPresent())));
        }
        return findings.build();
    }

    /** The second time, it must be refused. */
    private Outcome<Written, CloudError> write(AnchorStore store, String key) {
        return session.ask("the anchor", () -> store.write(key, "{}", Optional.empty()));
    }
}
