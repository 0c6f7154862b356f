package dev.kip.cloud.aws;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.TemplateContent;
import dev.kip.cloud.CloudApi.TemplatePage;
import dev.kip.cloud.CloudApi.TemplateVersion;
import dev.kip.cloud.CloudApi.TemplateVersionPage;
import dev.kip.cloud.CloudError;
import dev.kip.outcome.Outcome;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.DeleteLaunchTemplateVersionsResponseErrorItem;
import software.amazon.awssdk.services.ec2.model.DeleteLaunchTemplateVersionsResponseSuccessItem;
import software.amazon.awssdk.services.ec2.model.DescribeLaunchTemplateVersionsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeLaunchTemplatesRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplate;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateErrorCode;

/** The calls about launch templates. */
final class TemplateCalls {

    private static final int PER_PAGE = 200;

    private final Ec2Client ec2;
    private final Calls calls;
    private int defaultsSet;

    TemplateCalls(Ec2Client ec2, Calls calls) {
        this.ec2 = ec2;
        this.calls = calls;
    }

    CompletionStage<Outcome<TemplateVersion, CloudError>> create(TemplateContent content) {
        return Calls.fitting("ec2.CreateLaunchTemplate", () -> {
            var request = Ec2Requests.createTemplate(content);
            return calls.write(
                    "ec2.CreateLaunchTemplate",
                    () -> Ec2Facts.templateVersion(
                            ec2.createLaunchTemplate(request).launchTemplate()));
        });
    }

    CompletionStage<Outcome<TemplateVersion, CloudError>> createVersion(TemplateContent content) {
        var request = Ec2Requests.createTemplateVersion(content);
        return calls.write("ec2.CreateLaunchTemplateVersion", () -> {
            var version = ec2.createLaunchTemplateVersion(request).launchTemplateVersion();
            return new TemplateVersion(
                    version.launchTemplateId(), version.launchTemplateName(), String.valueOf(version.versionNumber()));
        });
    }

    CompletionStage<Outcome<TemplatePage, CloudError>> describe(ImmutableMap<String, String> tags, String pageToken) {
        DescribeLaunchTemplatesRequest.Builder request =
                DescribeLaunchTemplatesRequest.builder().maxResults(PER_PAGE);
        if (!tags.isEmpty()) {
            request.filters(Ec2Facts.tagFilters(tags));
        }
        Ec2Requests.page(pageToken).ifPresent(request::nextToken);
        return calls.read("ec2.DescribeLaunchTemplates", () -> {
            var answer = ec2.describeLaunchTemplates(request.build());
            List<LaunchTemplate> templates = answer.launchTemplates();
            return new TemplatePage(
                    templates.stream().map(Ec2Facts::template).collect(toImmutableList()),
                    Strings.nullToEmpty(answer.nextToken()));
        });
    }

    CompletionStage<Outcome<Boolean, CloudError>> delete(String templateId) {
        var request = Ec2Requests.deleteTemplate(templateId);
        return calls.write("ec2.DeleteLaunchTemplate", () -> {
            ec2.deleteLaunchTemplate(request);
            return true;
        });
    }

    CompletionStage<Outcome<TemplateVersionPage, CloudError>> versions(String templateId, String pageToken) {
        DescribeLaunchTemplateVersionsRequest.Builder request = DescribeLaunchTemplateVersionsRequest.builder()
                .launchTemplateId(templateId)
                .maxResults(PER_PAGE);
        Ec2Requests.page(pageToken).ifPresent(request::nextToken);
        return calls.read("ec2.DescribeLaunchTemplateVersions", () -> {
            var answer = ec2.describeLaunchTemplateVersions(request.build());
            return new TemplateVersionPage(
                    answer.launchTemplateVersions().stream()
                            .map(ResourceFacts::templateVersion)
                            .collect(toImmutableList()),
                    Strings.nullToEmpty(answer.nextToken()));
        });
    }

    CompletionStage<Outcome<Boolean, CloudError>> setDefault(String templateId, String version) {
        var request = Ec2Requests.setDefaultTemplateVersion(templateId, version, ++defaultsSet);
        return calls.write("ec2.ModifyLaunchTemplate", () -> {
            ec2.modifyLaunchTemplate(request);
            return true;
        });
    }

    CompletionStage<Outcome<ImmutableList<String>, CloudError>> deleteVersions(
            String templateId, ImmutableList<String> versions) {
        var request = Ec2Requests.deleteTemplateVersions(templateId, versions);
        return calls.write("ec2.DeleteLaunchTemplateVersions", () -> {
            var answer = ec2.deleteLaunchTemplateVersions(request);
            Stream<Long> deleted = answer.successfullyDeletedLaunchTemplateVersions().stream()
                    .map(DeleteLaunchTemplateVersionsResponseSuccessItem::versionNumber);
            Stream<Long> unknown = answer.unsuccessfullyDeletedLaunchTemplateVersions().stream()
                    .filter(TemplateCalls::isGone)
                    .map(DeleteLaunchTemplateVersionsResponseErrorItem::versionNumber);
            return Stream.concat(deleted, unknown).map(String::valueOf).collect(toImmutableList());
        });
    }

    private static boolean isGone(DeleteLaunchTemplateVersionsResponseErrorItem item) {
        return item.responseError() != null
                && item.responseError().code() == LaunchTemplateErrorCode.LAUNCH_TEMPLATE_VERSION_DOES_NOT_EXIST;
    }
}
