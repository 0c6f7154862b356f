package dev.kip.cloud.aws;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.Permission;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.Probe;
import dev.kip.outcome.Outcome;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.Ec2Exception;

/** Asks for permission with {@code DryRun}: EC2 then answers with an error in any case, and its code is the answer. */
final class ProbeCalls {

    private static final String GRANTED = "DryRunOperation";
    private static final String DENIED = "UnauthorizedOperation";

    private final Ec2Client ec2;
    private final Calls calls;

    ProbeCalls(Ec2Client ec2, Calls calls) {
        this.ec2 = ec2;
        this.calls = calls;
    }

    CompletionStage<Outcome<Permission, CloudError>> send(Probe probe) {
        String call = probe.action().replace(':', '.') + " (dry run)";
        return Calls.fitting(call, () -> {
            Runnable request = request(probe);
            return calls.write(call, () -> judge(request));
        });
    }

    private static Permission judge(Runnable request) {
        try {
            request.run();
        } catch (Ec2Exception answer) {
            String code = answer.awsErrorDetails().errorCode();
            if (GRANTED.equals(code) || DENIED.equals(code)) {
                return new Permission(
                        GRANTED.equals(code), answer.awsErrorDetails().errorMessage());
            }
            throw answer;
        }
        return new Permission(true, "carried out, although it was to be a dry run: this is not EC2");
    }

    private Runnable request(Probe probe) {
        if (probe instanceof Probe.Launch launch) {
            var request = Ec2Requests.runInstances(launch.request()).toBuilder()
                    .dryRun(true)
                    .build();
            return () -> ec2.runInstances(request);
        }
        if (probe instanceof Probe.Terminate end) {
            var request = Ec2Requests.terminate(ImmutableList.of(end.instanceId())).toBuilder()
                    .dryRun(true)
                    .build();
            return () -> ec2.terminateInstances(request);
        }
        if (probe instanceof Probe.CreateTags tags) {
            var request = Ec2Requests.createTags(tags.resourceIds(), tags.tags()).toBuilder()
                    .dryRun(true)
                    .build();
            return () -> ec2.createTags(request);
        }
        if (probe instanceof Probe.DeleteTags tags) {
            var request = Ec2Requests.deleteTags(tags.resourceIds(), tags.keys()).toBuilder()
                    .dryRun(true)
                    .build();
            return () -> ec2.deleteTags(request);
        }
        return groupRequest(probe);
    }

    private Runnable groupRequest(Probe probe) {
        if (probe instanceof Probe.CreateGroup group) {
            var request =
                    Ec2Requests.createSecurityGroup(group.vpcId(), group.name(), group.description(), group.tags())
                            .toBuilder()
                            .dryRun(true)
                            .build();
            return () -> ec2.createSecurityGroup(request);
        }
        if (probe instanceof Probe.AllowIngress rule) {
            var request = Ec2Requests.allowIngress(rule.groupId(), rule.cidrs()).toBuilder()
                    .dryRun(true)
                    .build();
            return () -> ec2.authorizeSecurityGroupIngress(request);
        }
        if (probe instanceof Probe.DeleteGroup group) {
            var request = Ec2Requests.deleteSecurityGroup(group.groupId()).toBuilder()
                    .dryRun(true)
                    .build();
            return () -> ec2.deleteSecurityGroup(request);
        }
        return templateRequest(probe);
    }

    private Runnable templateRequest(Probe probe) {
        if (probe instanceof Probe.CreateTemplate template) {
            var request = Ec2Requests.createTemplate(template.content()).toBuilder()
                    .dryRun(true)
                    .build();
            return () -> ec2.createLaunchTemplate(request);
        }
        if (probe instanceof Probe.CreateTemplateVersion version) {
            var request = Ec2Requests.createTemplateVersion(version.content()).toBuilder()
                    .dryRun(true)
                    .build();
            return () -> ec2.createLaunchTemplateVersion(request);
        }
        if (probe instanceof Probe.SetDefaultTemplateVersion version) {
            var request = Ec2Requests.setDefaultTemplateVersion(version.templateId(), version.version(), 0).toBuilder()
                    .dryRun(true)
                    .build();
            return () -> ec2.modifyLaunchTemplate(request);
        }
        if (probe instanceof Probe.DeleteTemplateVersions versions) {
            var request = Ec2Requests.deleteTemplateVersions(versions.templateId(), versions.versions()).toBuilder()
                    .dryRun(true)
                    .build();
            return () -> ec2.deleteLaunchTemplateVersions(request);
        }
        var request = Ec2Requests.deleteTemplate(((Probe.DeleteTemplate) probe).templateId()).toBuilder()
                .dryRun(true)
                .build();
        return () -> ec2.deleteLaunchTemplate(request);
    }
}
