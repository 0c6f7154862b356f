package dev.kip.controller.explain;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.explain.Account.Check;
import dev.kip.controller.explain.Account.Verdict;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.ownership.Standing;
import dev.kip.crd.Cell;
import dev.kip.crd.InstallationSpec;
import java.util.Optional;

/** The parts of the proof that an instance is ours, each checked by itself. Pure. */
final class Proof {

    private Proof() {}

    /** @param region that the instance was found in */
    static ImmutableList<Check> of(Holdings holdings, Closer closer, InstanceFacts instance, String region) {
        ImmutableList.Builder<Check> checks = ImmutableList.builder();
        checks.add(id(holdings, instance));
        checks.add(mac(holdings, instance));
        checks.add(place(holdings, instance, region));
        instance.templateId().ifPresent(template -> checks.add(template(closer, template)));
        holdings.cellOfInstance(instance.id())
                .filter(cell -> !Holdings.isLegacy(cell))
                .ifPresent(cell -> checks.add(cell(cell, instance)));
        return checks.build();
    }

    private static Check id(Holdings holdings, InstanceFacts instance) {
        String id = instance.tags().getOrDefault(Tags.INSTALLATION, "");
        String what = "tag " + Tags.INSTALLATION + " is ";
        if (holdings.installationId().isEmpty()) {
            return new Check(
                    Verdict.UNKNOWN,
                    what + (id.isEmpty() ? "missing" : id) + "; there is no Installation to compare it with");
        }
        if (id.isEmpty()) {
            return new Check(Verdict.NO, what + "missing; ours is " + holdings.installationId());
        }
        return id.equals(holdings.installationId())
                ? new Check(Verdict.YES, what + "our controller id, " + id)
                : new Check(Verdict.NO, what + id + "; ours is " + holdings.installationId());
    }

    private static Check mac(Holdings holdings, InstanceFacts instance) {
        String mac = instance.tags().getOrDefault(Tags.MAC, "");
        String token = instance.clientToken();
        if (mac.isEmpty()) {
            return new Check(Verdict.NO, "it carries no signature, tag " + Tags.MAC);
        }
        if (token.isEmpty()) {
            return new Check(Verdict.NO, "EC2 reports no client token of it, which its signature would be over");
        }
        if (holdings.standing().isEmpty()) {
            return new Check(Verdict.UNKNOWN, "its signature needs the installation's keys to be checked");
        }
        return signs(holdings.standing().get(), instance)
                ? new Check(Verdict.YES, "its signature is ours, over its node and its own client token " + token)
                : new Check(
                        Verdict.NO,
                        "its signature is not ours over its node and its own client token " + token
                                + ": its tags were copied or edited, or it is of other keys");
    }

    /** The signature covers region and VPC, so that it proves them; EC2 shows the instances of one account only. */
    private static Check place(Holdings holdings, InstanceFacts instance, String region) {
        Optional<InstallationSpec> spec = holdings.installation().map(found -> found.spec());
        if (spec.isEmpty()) {
            return new Check(Verdict.UNKNOWN, "it is in region " + region + ", zone " + instance.zone());
        }
        if (!spec.get().region().equals(region)) {
            return new Check(
                    Verdict.NO,
                    "it is in region " + region + ", the installation belongs to "
                            + spec.get().region());
        }
        boolean signed = holdings.standing().map(who -> signs(who, instance)).orElse(false);
        String where = "the account of these credentials, region " + region + ", VPC "
                + spec.get().vpc();
        return signed
                ? new Check(Verdict.YES, "its signature is good in " + where + " only, and it is there")
                : new Check(Verdict.UNKNOWN, "it was found in the account of these credentials, region " + region);
    }

    private static boolean signs(Standing who, InstanceFacts instance) {
        return !instance.clientToken().isEmpty()
                && who.macOf(instance.tags().getOrDefault(Tags.NODE, ""), instance.clientToken())
                        .equals(instance.tags().get(Tags.MAC));
    }

    private static Check template(Closer closer, String template) {
        if (closer.templates().isEmpty()) {
            return new Check(Verdict.UNKNOWN, "its launch template " + template + " could not be compared with ours");
        }
        return closer.templates().get().stream()
                .filter(found -> found.templateId().equals(template))
                .findFirst()
                .map(found ->
                        new Check(Verdict.YES, "it was launched from our template " + found.name() + ", " + template))
                .orElseGet(() -> new Check(
                        Verdict.UNKNOWN,
                        "its launch template " + template
                                + " is none that we have now; it may be one that was deleted"));
    }

    private static Check cell(Cell cell, InstanceFacts instance) {
        String named = cell.status().clientToken();
        String what = "Cell " + cell.metadata().name();
        if (named.isEmpty()) {
            return new Check(Verdict.UNKNOWN, what + " names no client token");
        }
        return named.equals(instance.clientToken())
                ? new Check(Verdict.YES, what + " names the same client token")
                : new Check(
                        Verdict.NO,
                        what + " names client token " + named + ", EC2 " + instance.clientToken()
                                + ": the Cell was edited");
    }
}
