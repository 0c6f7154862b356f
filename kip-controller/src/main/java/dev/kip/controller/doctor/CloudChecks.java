package dev.kip.controller.doctor;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.AccountFacts;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.Permission;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.cloud.CloudError;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.crd.InstallationSpec;
import dev.kip.outcome.Outcome;
import java.util.Optional;
import java.util.stream.Collectors;

/** What the cloud shows. Pure. */
public final class CloudChecks {

    private static final int FEW_ADDRESSES = 16;
    private static final String POLICY = "attach the policy of deploy/iam-policy.json to the role or user";

    private CloudChecks() {}

    /** Whose credentials these are, and whether they are of the installation's account and region. */
    public static ImmutableList<Finding> account(
            Outcome<AccountFacts, CloudError> answer, LaunchSettings launch, Optional<InstallationSpec> installation) {
        if (answer.error().isPresent()) {
            CloudError error = answer.error().get();
            String text = "AWS does not say whose account this is: " + error.message();
            if (!(error instanceof CloudError.Denied)) {
                return ImmutableList.of(Finding.unknown("iam", text, ""));
            }
            return ImmutableList.of(Finding.error("iam", text, error.remedy()));
        }
        AccountFacts facts = answer.value().orElseThrow();
        ImmutableList.Builder<Finding> findings = ImmutableList.builder();
        findings.add(Finding.ok(
                "iam", "account " + facts.account() + ", region " + launch.region() + ", as " + facts.principal()));
        installation.ifPresent(spec -> {
            if (!spec.account().isEmpty() && !spec.account().equals(facts.account())) {
                findings.add(Finding.error(
                        "iam",
                        "the installation belongs to account " + spec.account() + ", these credentials are of "
                                + facts.account(),
                        "use credentials of that account, or name another installation"));
            }
            if (!spec.region().equals(launch.region())) {
                findings.add(Finding.error(
                        "iam",
                        "the installation belongs to region " + spec.region() + ", the configuration says "
                                + launch.region(),
                        "correct cloud.aws.region, or name another installation"));
            }
        });
        return findings.build();
    }

    /** @param action as policies write it */
    public static Finding permission(String action, Outcome<Permission, CloudError> answer) {
        if (answer.error().isPresent()) {
            return Finding.unknown(
                    "iam",
                    action + " was tried as a dry run, and was not answered: "
                            + answer.error().get().message(),
                    "");
        }
        Permission permission = answer.value().orElseThrow();
        return permission.granted()
                ? Finding.ok("iam", action + " is allowed (dry run)")
                : Finding.error("iam", action + " is not allowed: " + permission.message(), POLICY);
    }

    /** Reads are not dry runs: they were made. */
    public static Finding read(String action, Optional<CloudError> error) {
        return error.map(why -> Finding.error("iam", action + " fails: " + why.message(), POLICY))
                .orElseGet(() -> Finding.ok("iam", action + " is allowed"));
    }

    public static ImmutableList<Finding> subnets(ImmutableList<SubnetFacts> subnets, LaunchSettings launch) {
        if (subnets.isEmpty()) {
            return ImmutableList.of(Finding.error(
                    "subnets",
                    "there is none to launch in: "
                            + launch.subnetId().or(launch::vpcId).orElse("no default VPC in " + launch.region()),
                    "name one with cloud.aws.subnetID or cloud.aws.vpcID, or create one"));
        }
        int free = subnets.stream().mapToInt(SubnetFacts::freeAddresses).sum();
        String text = subnets.stream()
                .map(subnet -> subnet.id() + " in " + subnet.zone() + ": " + subnet.freeAddresses() + " free")
                .collect(Collectors.joining(", "));
        if (free >= FEW_ADDRESSES) {
            return ImmutableList.of(Finding.ok("subnets", text));
        }
        String remedy = "each pod needs an address: take larger subnets, or more of them";
        return ImmutableList.of(
                free == 0
                        ? Finding.error("subnets", "no address is free: " + text, remedy)
                        : Finding.warning("subnets", "few addresses are free: " + text, remedy));
    }

    public static Finding images(ImmutableList<ImageFacts> images, LaunchSettings launch) {
        return images.isEmpty()
                ? Finding.error(
                        "image",
                        "no image in " + launch.region() + " matches " + launch.imageSpec(),
                        "build a cell image, or choose another: kip config explain cells.bootImageSpec")
                : Finding.ok(
                        "image",
                        images.stream()
                                .map(image -> image.id() + " " + image.name() + " (" + image.architecture() + ")")
                                .collect(Collectors.joining(", ")));
    }

    public static Finding types(ImmutableList<Offering> offerings, LaunchSettings launch) {
        boolean offered =
                offerings.stream().anyMatch(offering -> offering.type().equals(launch.defaultInstanceType()));
        long priced = offerings.stream()
                .filter(offering -> offering.hourlyUsd().isPresent())
                .count();
        return offered
                ? Finding.ok(
                        "types",
                        offerings.size() + " instance types offered, " + priced + " with a price; "
                                + launch.defaultInstanceType() + " is among them")
                : Finding.error(
                        "types",
                        launch.defaultInstanceType() + " is not offered in " + launch.region()
                                + ": pods that ask for no resources get no instance",
                        "kip config explain cells.defaultInstanceType");
    }

    /** EC2 tells its quotas by another service; what counts against them can be told here. */
    public static Finding quota(ImmutableList<InstanceFacts> ofKip, ImmutableList<Offering> offerings) {
        int vcpus = 0;
        int count = 0;
        for (InstanceFacts instance : ofKip) {
            if (instance.state() == InstanceState.RUNNING || instance.state() == InstanceState.PENDING) {
                count++;
                vcpus += offerings.stream()
                        .filter(offering -> offering.type().equals(instance.type()))
                        .mapToInt(Offering::vcpus)
                        .sum();
            }
        }
        return Finding.ok(
                "quota",
                "instances that carry a tag of Kip: " + count + ", with " + vcpus
                        + " vCPUs. What the account may have: aws service-quotas get-service-quota --service-code ec2"
                        + " --quota-code L-1216C47A");
    }
}
