package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.LaunchRequest;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.cloud.CloudApi.TemplateContent;
import dev.kip.cloud.CloudApi.TemplateFacts;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.Probe;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.doctor.CloudChecks;
import dev.kip.controller.doctor.ClusterChecks;
import dev.kip.controller.doctor.Finding;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.launch.Tags;
import dev.kip.crd.Installation;
import dev.kip.outcome.Outcome;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.vertx5.Vertx5HttpClientFactory;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;

/** Asks the cloud for what {@link CloudChecks} judges. */
final class CloudExamination {

    private final Session session;
    private final Gathering gathering;
    private final LaunchSettings launch;
    private final ImmutableList.Builder<Finding> findings = ImmutableList.builder();

    CloudExamination(Session session, Gathering gathering) {
        this.session = session;
        this.gathering = gathering;
        this.launch = session.config().controller().launch();
    }

    ImmutableList<Finding> run() {
        clock();
        Optional<Installation> installation = gathering.holdings().installation();
        findings.addAll(CloudChecks.account(
                session.ask("the account", () -> session.cloud().account()),
                launch,
                installation.map(Installation::spec)));
        Optional<ImmutableList<SubnetFacts>> subnets = read(
                "ec2:DescribeSubnets",
                session.ask("subnets", () -> session.cloud().subnets(launch.vpcId(), launch.subnetId())));
        subnets.ifPresent(found -> findings.addAll(CloudChecks.subnets(found, launch)));
        Optional<ImmutableList<ImageFacts>> images = read(
                "ec2:DescribeImages",
                session.ask("images", () -> session.cloud().images(launch.imageSpec())));
        images.ifPresent(found -> findings.add(CloudChecks.images(found, launch)));
        gathering.instances(Gathering.Reach.TAGGED).prices();
        Holdings holdings = gathering.holdings();
        findings.add(CloudChecks.read(
                "ec2:DescribeInstances",
                gathering.trouble(Holdings.Source.CLOUD).map(CloudError.NoAnswer::new)));
        ImmutableList<Offering> offerings = gathering.offerings();
        findings.add(CloudChecks.types(offerings, launch));
        findings.add(CloudChecks.quota(holdings.instances(), offerings));
        images.filter(found -> !found.isEmpty())
                .ifPresent(found -> changes(holdings, found.get(0), subnets.orElse(ImmutableList.of())));
        findings.addAll(ClusterChecks.leftovers(holdings));
        return findings.build();
    }

    private <T> Optional<T> read(String action, Outcome<T, CloudError> answer) {
        findings.add(CloudChecks.read(action, answer.error()));
        return answer.value();
    }

    /** Dry runs of what a controller changes; of what there is, for a right may depend on what it is used on. */
    private void changes(Holdings holdings, ImageFacts image, ImmutableList<SubnetFacts> subnets) {
        String id = holdings.installationId().isEmpty() ? "kip-doctor" : holdings.installationId();
        ImmutableMap<String, String> tags = ImmutableMap.of(Tags.INSTALLATION, id);
        TemplateContent content = new TemplateContent(
                "kip-doctor-" + id,
                image.id(),
                image.rootDevice(),
                Math.max(1, image.rootGib()),
                "#cloud-config\n",
                launch.instanceProfile(),
                "dry run",
                tags);
        probe(new Probe.CreateTemplate(content));
        if (!subnets.isEmpty()) {
            probe(new Probe.CreateGroup(subnets.get(0).vpcId(), "kip-doctor-" + id, "dry run", tags));
        }
        Optional<TemplateFacts> template = gathering.templates(tags).stream()
                .flatMap(ImmutableList::stream)
                .findFirst();
        template.ifPresent(found -> {
            probe(new Probe.Launch(launchOf(found, subnets, tags)));
            probe(new Probe.DeleteTemplate(found.templateId()));
        });
        Optional<InstanceFacts> ours = holdings.instances().stream()
                .filter(instance -> holdings.provenanceOf(instance).proven()
                        && !instance.state().ended())
                .findFirst();
        ours.ifPresent(instance -> {
            probe(new Probe.Terminate(instance.id()));
            probe(new Probe.CreateTags(ImmutableList.of(instance.id()), ImmutableMap.of(Tags.CANDIDATE, "dry-run")));
        });
        if (template.isEmpty() || ours.isEmpty()) {
            findings.add(Finding.unknown(
                    "iam",
                    "launching and ending cannot be tried before there is a launch template and an instance of this"
                            + " installation",
                    "run a pod, then kip doctor again"));
        }
    }

    private LaunchRequest launchOf(
            TemplateFacts template, ImmutableList<SubnetFacts> subnets, ImmutableMap<String, String> tags) {
        return new LaunchRequest(
                template.templateId(),
                template.latestVersion(),
                launch.defaultInstanceType(),
                subnets.stream().findFirst().map(SubnetFacts::id),
                ImmutableList.of(),
                false,
                Market.ON_DEMAND,
                1,
                "kip-doctor-" + session.now().toEpochMilli(),
                tags);
    }

    private void probe(Probe probe) {
        CloudApi cloud = session.cloud();
        findings.add(CloudChecks.permission(
                probe.action(), session.ask("a dry run of " + probe.action(), () -> cloud.permitted(probe))));
    }

    private void clock() {
        String region = launch.region();
        URI endpoint = URI.create(session.config()
                .cloud()
                .endpoint()
                .orElse("https://ec2." + region + ".amazonaws.com" + (region.startsWith("cn-") ? ".cn" : "")));
        try (HttpClient client =
                new Vertx5HttpClientFactory(session.ways().vertx()).newBuilder().build()) {
            Optional<RawHttp.Answer> answer = session.attempt(
                    "EC2",
                    () -> RawHttp.get(client, endpoint.resolve("/")),
                    why -> findings.add(Finding.error(
                            "ec2",
                            "EC2 at " + endpoint + " does not answer: " + why,
                            "see that it is reached from here; another one is named by --ec2-endpoint")));
            Instant now = session.now();
            answer.ifPresent(found -> findings.add(ClusterChecks.clock("EC2", now, found.date())));
        }
    }
}
