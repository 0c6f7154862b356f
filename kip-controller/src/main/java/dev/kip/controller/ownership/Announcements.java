package dev.kip.controller.ownership;

import dev.kip.controller.events.ObjectEvents;
import dev.kip.controller.events.ObjectEvents.Subject;
import dev.kip.crd.Installation;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in log and events of the Installation what its people must know. Confined to the loop. */
public final class Announcements {

    private static final Logger LOG = LoggerFactory.getLogger(Announcements.class);

    private final ObjectEvents events;
    private final String installation;

    public Announcements(ObjectEvents events, String installation) {
        this.events = events;
        this.installation = installation;
    }

    public void warn(Optional<Installation> of, String reason, String message) {
        LOG.warn("{}: {}", reason, message);
        events.tell(subject(of), true, reason, message);
    }

    public void note(Optional<Installation> of, String reason, String message) {
        LOG.info("{}: {}", reason, message);
        events.tell(subject(of), false, reason, message);
    }

    private Subject subject(Optional<Installation> of) {
        return Subject.installation(
                installation, of.map(found -> found.metadata().uid()).orElse(""));
    }
}
