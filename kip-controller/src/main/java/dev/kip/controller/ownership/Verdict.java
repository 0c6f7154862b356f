package dev.kip.controller.ownership;

import java.time.Duration;

/** What start-up makes of what it found. */
public sealed interface Verdict {

    /** Why, for people. */
    String because();

    /** For events, conditions and tests. */
    default String name() {
        return getClass().getSimpleName();
    }

    /** The incarnation takes the next epoch and acts. */
    sealed interface Begin extends Verdict {

        /**
         * Cluster and cloud may know of different pasts: nothing is launched for a pod without a Cell, and nothing is
         * collected, until every instance that is ours has told what it runs.
         */
        boolean reconciles();

        /** Something that people should look at. */
        default boolean notable() {
            return true;
        }
    }

    /** Nothing is changed. It is looked at again after a while. */
    sealed interface Hold extends Verdict {

        /** What an operator can do. */
        String remedy();

        Duration again();

        /**
         * The node's heartbeat goes on, so that its pods are not evicted before somebody has decided. Not for a copy of a
         * cluster: its pods run elsewhere.
         */
        default boolean keepsNode() {
            return true;
        }
    }

    /** Nothing is known of this installation anywhere. */
    record FirstStart(String because) implements Begin {
        @Override
        public boolean reconciles() {
            return false;
        }

        @Override
        public boolean notable() {
            return false;
        }
    }

    record Normal(String because) implements Begin {
        @Override
        public boolean reconciles() {
            return false;
        }

        @Override
        public boolean notable() {
            return false;
        }
    }

    /** The cluster's storage was set back: it knows less than has happened. */
    record TimeTravel(String because) implements Begin {
        @Override
        public boolean reconciles() {
            return true;
        }
    }

    /** The Installation was deleted; the Secret or the anchor still tell who it was. */
    record RecordLost(String because) implements Begin {
        @Override
        public boolean reconciles() {
            return true;
        }
    }

    /** The anchor lacks what it had; it is written anew from the record. */
    record AnchorLost(String because) implements Begin {
        @Override
        public boolean reconciles() {
            return false;
        }
    }

    /**
     * The installation was another cluster's.
     *
     * @param installationId of what the other has left
     * @param rejoin it is taken over; else a new one is minted here, and the other is reported
     */
    record ClusterRecreated(String installationId, boolean rejoin, String because) implements Begin {
        @Override
        public boolean reconciles() {
            return rejoin;
        }
    }

    /**
     * Somebody had the anchor a moment ago; whether that somebody lives shows in a while.
     *
     * @param ahead the time of its renewal is in the future
     */
    record StillHeld(Duration again, boolean ahead, String because) implements Hold {
        @Override
        public String remedy() {
            return ahead
                    ? "none is needed: unless it is written again, it is taken over in " + again.toSeconds()
                            + " s; see to the clock of whoever wrote it"
                    : "none is needed: a holder that is gone is noticed in a few seconds";
        }
    }

    /**
     * Another cluster's controller acts for this installation at this moment.
     *
     * @param byName it was found only because it has this cluster's name: this cluster is no copy of the other
     */
    record CloneOrSplit(String because, boolean byName) implements Hold {
        @Override
        public boolean keepsNode() {
            return false;
        }

        @Override
        public String remedy() {
            return byName
                    ? "a cluster that lives is not rejoined: if this is another cluster, give it an installation or a node of"
                            + " another name, or set ownership.onClusterRecreated to report; if it is to take the other's"
                            + " place, stop the other's controller, and this one takes over by itself"
                    : "if this cluster is a copy, delete its Installation and the Secret with the keys, so that it gets an"
                            + " installation of its own; if the other is, stop its controller, and this one takes over by"
                            + " itself";
        }

        @Override
        public Duration again() {
            return Duration.ofSeconds(30);
        }
    }

    record AnchorUnreachable(String because) implements Hold {
        @Override
        public String remedy() {
            return "see that the anchor of ownership.anchor exists and that the controller may read and write it";
        }

        @Override
        public Duration again() {
            return Duration.ofSeconds(5);
        }
    }

    /** Region, account or VPC are others than those that the installation was made for. */
    record FingerprintMismatch(String because, String remedy) implements Hold {
        @Override
        public Duration again() {
            return Duration.ofSeconds(30);
        }
    }

    record KeysLost(String because) implements Hold {
        @Override
        public String remedy() {
            return "restore the Secret from a backup; or, if that is impossible, set ownership.onLostKeys: rekey: what runs"
                    + " now runs on, but can never be told anything again";
        }

        @Override
        public Duration again() {
            return Duration.ofSeconds(30);
        }
    }

    /** A later version of Kip has acted, in a way that this one does not know. */
    record LaterProtocol(String because) implements Hold {
        @Override
        public String remedy() {
            return "run that version of Kip, or a later one; to go back for good, take the installation down with that"
                    + " version's kip drain first";
        }

        @Override
        public Duration again() {
            return Duration.ofSeconds(30);
        }
    }

    /** What was found, or is configured, does not fit together. */
    record Contradiction(String because, String remedy) implements Hold {
        @Override
        public Duration again() {
            return Duration.ofSeconds(30);
        }
    }
}
