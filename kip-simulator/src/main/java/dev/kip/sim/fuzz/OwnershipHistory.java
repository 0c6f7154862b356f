package dev.kip.sim.fuzz;

import com.google.common.collect.ImmutableList;
import dev.kip.entropy.Entropy;
import dev.kip.sim.kernel.SeededEntropy;
import dev.kip.sim.scenario.Knob;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws a story in which users, an adversary and accidents work at once on who owns what: workloads come and go, controllers
 * die, sleep and are cut off, clocks are wrong, tags are edited and copied, objects deleted by hand, clusters set back,
 * cloned and made anew. At its end the troubles stop, and then everything that is pending must run and nothing be left over.
 */
final class OwnershipHistory {

    private static final int FEWEST = 6;
    private static final int MORE = 10;

    /** Offers of EC2 are a fifth of what a history takes to tell, and few histories turn on them. */
    private static final int ALL_TYPES_ONCE_IN = 16;

    /** Who starts with no trouble leads within this time. */
    private static final String UNTROUBLED = "60s";

    /** Two faults may silence or suspend the first start one after the other, and each may cost it a lease. */
    private static final String TROUBLED = "5m";

    private final Entropy entropy;
    private final List<String> steps = new ArrayList<>();
    private final boolean anchored;
    private final boolean dynamoDb;

    /** A second cluster with an installation of the same name lives beside it, with the same anchor. */
    private final boolean neighbour;

    private int workloads;
    private int backups;
    private int strangers;
    private int cloneFor;
    private boolean cloned;
    private boolean tagsEdited;
    private boolean recordTouched;
    private boolean anchorTouched;

    private OwnershipHistory(Entropy entropy) {
        this.entropy = entropy;
        this.anchored = below(5) > 0;
        this.dynamoDb = below(2) == 0;
        this.neighbour = below(4) == 0;
    }

    /** The story's file. */
    static String yaml(long seed) {
        return yaml(new SeededEntropy(seed).fork("history"));
    }

    /** The file of the story that these choices make. */
    static String yaml(Entropy choices) {
        return new OwnershipHistory(choices).draw();
    }

    private int below(int bound) {
        return (int) entropy.below(bound);
    }

    private String draw() {
        apply();
        pause(20);
        int length = FEWEST + below(MORE);
        for (int i = 0; i < length; i++) {
            one();
            pause(below(6) == 0 ? 150 : 30);
            if (cloned && --cloneFor == 0) {
                endClone();
            }
        }
        if (cloned) {
            endClone();
        }
        calm();
        int controllers = 1 + below(3);
        String faults = faults();
        boolean fewTypes = below(ALL_TYPES_ONCE_IN) > 0;
        StringBuilder yaml = new StringBuilder("scenario: a drawn history of ownership\nbecause: goal B11\ngiven:\n");
        yaml.append("  controllers: ").append(controllers).append('\n');
        if (neighbour) {
            yaml.append("  clusters: 2\n");
        }
        if (anchored) {
            yaml.append("  anchor: ").append(dynamoDb ? "dynamodb" : "s3").append('\n');
        }
        yaml.append("  config: {gc.maxCount: \"100\", ownership.onClusterRecreated: ")
                .append(neighbour ? "report" : "rejoin")
                .append(", cells.nametag: fuzz}\n");
        if (fewTypes) {
            yaml.append("  knobs: {").append(Knob.TYPES.word()).append(": small}\n");
        }
        yaml.append("steps:\n");
        steps.add(
                0,
                "until: {controller: kip-*, is: leading, within: " + (faults.isEmpty() ? UNTROUBLED : TROUBLED) + "}");
        steps.forEach(step -> yaml.append("  - ").append(step).append('\n'));
        yaml.append("expect:\n  - unready: none\n  - strangers: ")
                .append(strangers)
                .append('\n');
        if (!tagsEdited) {
            yaml.append("  - unaccounted: none\n");
        }
        yaml.append(faults);
        return yaml.toString();
    }

    private String faults() {
        int count = below(3);
        if (count == 0) {
            return "";
        }
        StringBuilder yaml = new StringBuilder("faults:\n");
        ImmutableList<String> fates =
                ImmutableList.of("crash-before", "crash-after", "lose-request", "lose-reply", "silence", "suspend");
        for (int i = 0; i < count; i++) {
            yaml.append(String.format(
                    Locale.ROOT,
                    "  - {call: mutating, nth: %d, do: %s, for: %ds, restartAfter: %ds, optional: on}%n",
                    1 + below(80),
                    fates.get(below(fates.size())),
                    5 + below(90),
                    1 + below(40)));
        }
        return yaml.toString();
    }

    private void step(String text) {
        steps.add(text);
    }

    private void pause(int most) {
        step("wait: " + (200 + below(most * 1000)) + "ms");
    }

    private void apply() {
        String name = "w" + workloads++;
        if (below(3) == 0) {
            step("apply: {pod: " + name + ", copies: " + (2 + below(2)) + "}");
        } else {
            step("apply: {deployment: " + name + ", replicas: " + (1 + below(3)) + "}");
        }
    }

    private String someWorkload() {
        return "w" + below(workloads);
    }

    private String someController() {
        return below(3) == 0 ? "kip-*" : "kip-" + below(3);
    }

    private void one() {
        int kind = below(100);
        if (kind < 28) {
            users();
        } else if (kind < 62 && !cloned) {
            accidents();
        } else if (kind < 84) {
            adversary();
        } else if (!cloned) {
            clusters();
        } else {
            users();
        }
    }

    private void users() {
        switch (below(4)) {
            case 0 -> apply();
            case 1 -> step("scale: {deployment: " + someWorkload() + ", replicas: " + below(4) + ", ifPresent: on}");
            case 2 -> step("delete: {deployment: " + someWorkload() + "}");
            default -> step("delete: {pod: " + someWorkload() + "-*" + (below(2) == 0 ? ", grace: 0}" : "}"));
        }
    }

    private void accidents() {
        switch (below(9)) {
            case 0, 1 -> step("kill: {controller: " + someController() + "}");
            case 2, 3 -> step("start: {controller: kip-" + below(4) + "}");
            case 4 -> step("pause: {controller: " + someController() + ", for: " + (3 + below(120)) + "s}");
            case 5 -> step("suspend: {controller: " + someController() + ", for: " + (3 + below(120)) + "s}");
            case 6 -> {
                ImmutableList<String> ends = ImmutableList.of(
                        "kubernetes", "ec2", "cell/*", anchored ? (dynamoDb ? "dynamodb" : "s3") : "ec2");
                step("cut: {from: " + someController() + ", to: \"" + ends.get(below(ends.size())) + "\"}");
                pause(60);
                step("heal: all");
            }
            case 7 -> step("stop: {controller: " + someController() + "}");
            default -> {
                step("kill: {controller: kip-*}");
                pause(60);
                step("start: {controller: kip-" + (4 + below(4)) + "}");
            }
        }
    }

    private void adversary() {
        switch (below(11)) {
            case 0 ->
                step("skew: {controller: " + someController() + ", by: " + (below(2) == 0 ? "-" : "") + (1 + below(60))
                        + "m}");
            case 1 -> step("hold: {controller: " + someController() + ", for: " + (10 + below(200)) + "s}");
            case 2 -> step("terminate: {instanceOf: " + someWorkload() + "-*}");
            case 3 -> step("delete: {cellOf: " + someWorkload() + "-*}");
            case 4 ->
                step("edit: {cellOf: " + someWorkload() + "-*, field: /status/instanceID, to: i-0deadbeef00000001}");
            case 5 -> {
                if (strangers == 0) {
                    strangers = 1 + below(2);
                    step("strangers: {count: " + strangers + "}");
                }
                step("copyTags: {instanceOf: " + someWorkload() + "-*}");
            }
            case 6 -> {
                tagsEdited = true;
                ImmutableList<String> keys = ImmutableList.of(
                        "KipControllerID", "kip.elotl.co/mac", "kip.elotl.co/node", "kip.elotl.co/batch", "Name");
                String key = keys.get(below(keys.size()));
                step("tag: {instanceOf: " + someWorkload() + "-*, "
                        + (below(2) == 0 ? "remove: [" + key + "]}" : "set: {" + key + ": forged}}"));
            }
            case 7 -> {
                tagsEdited = true;
                step("stripTags: all");
            }
            case 8 -> step("delete: {lease: kube-system/kip-virtual-kubelet}");
            case 9 -> step("delete: {node: virtual-kubelet}");
            default -> record();
        }
    }

    private void record() {
        if (!anchored || anchorTouched) {
            return;
        }
        recordTouched = true;
        step(
                below(2) == 0
                        ? "delete: {secret: kube-system/kip-installation}"
                        : "delete: {installation: kip, force: on}");
    }

    private void clusters() {
        if (!anchored) {
            users();
            return;
        }
        switch (below(6)) {
            case 0, 1 -> step("backup: {as: b" + backups++ + "}");
            case 2 -> {
                if (backups > 0) {
                    step("restore: {from: b" + below(backups) + "}");
                }
            }
            case 3 -> {
                if (!recordTouched) {
                    anchorTouched = true;
                    step("loseAnchor: all");
                }
            }
            case 4 -> {
                if (!neighbour) {
                    cloned = true;
                    cloneFor = 2 + below(4);
                    step("start: {controller: kip-0}");
                    step("until: {controller: kip-*, is: leading, within: 10m}");
                    step("clone: {to: b}");
                    step("start: {controller: b/kip-0}");
                }
            }
            default -> {
                if (neighbour) {
                    // By name the new cluster would be led to the neighbour's installation, and nobody may rejoin what
                    // lives.
                    users();
                } else if (!anchorTouched && below(2) == 0) {
                    step("recreate: {cluster: a}");
                    pause(30);
                    step("start: {controller: kip-0}");
                    apply();
                }
            }
        }
    }

    private void endClone() {
        cloned = false;
        step("kill: {controller: b/*}");
        step("destroy: {cluster: b}");
    }

    /** Troubles end. */
    private void calm() {
        step("heal: all");
        step("skew: {controller: \"*\", by: 0s}");
        step("wait: 2m");
        step("start: {controller: kip-0}");
        step("start: {controller: kip-1}");
        step("until: {controller: kip-*, is: leading, within: 15m}");
        step("until: {unready: none, within: 60m}");
        if (tagsEdited) {
            step("wait: 10m");
        } else {
            step("until: {unaccounted: none, within: 60m}");
            step("until: {unready: none, within: 60m}"); // pods that a controller of the cluster has made anew
            // meanwhile
        }
    }
}
