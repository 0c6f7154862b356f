package dev.kip.cloud.aws;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.GroupPage;
import dev.kip.cloud.CloudApi.ResourceQuery;
import dev.kip.cloud.CloudError;
import dev.kip.outcome.Outcome;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.DescribeSecurityGroupsRequest;
import software.amazon.awssdk.services.ec2.model.SecurityGroup;

/** The calls about security groups. */
final class GroupCalls {

    private static final int PER_PAGE = 1000;
    private static final String DUPLICATE_RULE = "InvalidPermission.Duplicate";

    private final Ec2Client ec2;
    private final Calls calls;

    GroupCalls(Ec2Client ec2, Calls calls) {
        this.ec2 = ec2;
        this.calls = calls;
    }

    CompletionStage<Outcome<GroupPage, CloudError>> describe(ResourceQuery query) {
        DescribeSecurityGroupsRequest.Builder request =
                DescribeSecurityGroupsRequest.builder().maxResults(PER_PAGE);
        AwsCloud.filtered(query.tags(), query.tagKeys()).ifPresent(request::filters);
        Ec2Requests.page(query.pageToken()).ifPresent(request::nextToken);
        return calls.read("ec2.DescribeSecurityGroups", () -> {
            var answer = ec2.describeSecurityGroups(request.build());
            return new GroupPage(
                    answer.securityGroups().stream().map(ResourceFacts::group).collect(toImmutableList()),
                    Strings.nullToEmpty(answer.nextToken()));
        });
    }

    CompletionStage<Outcome<ImmutableList<String>, CloudError>> named(String vpcId, String name) {
        var request = DescribeSecurityGroupsRequest.builder()
                .filters(Ec2Facts.filter("vpc-id", vpcId), Ec2Facts.filter("group-name", name))
                .build();
        return calls.read(
                "ec2.DescribeSecurityGroups",
                () -> ec2.describeSecurityGroups(request).securityGroups().stream()
                        .map(SecurityGroup::groupId)
                        .collect(toImmutableList()));
    }

    CompletionStage<Outcome<String, CloudError>> create(
            String vpcId, String name, String description, ImmutableMap<String, String> tags) {
        return Calls.fitting("ec2.CreateSecurityGroup", () -> {
            var request = Ec2Requests.createSecurityGroup(vpcId, name, description, tags);
            return calls.write(
                    "ec2.CreateSecurityGroup",
                    () -> ec2.createSecurityGroup(request).groupId());
        });
    }

    CompletionStage<Outcome<Boolean, CloudError>> allowIngress(String groupId, ImmutableList<String> cidrs) {
        var request = Ec2Requests.allowIngress(groupId, cidrs);
        return calls.write("ec2.AuthorizeSecurityGroupIngress", () -> {
                    ec2.authorizeSecurityGroupIngress(request);
                    return true;
                })
                .thenApply(answer -> answer.fold(
                        Outcome::ok,
                        error -> error instanceof CloudError.AlreadyExists known
                                        && known.message().contains(DUPLICATE_RULE)
                                ? Outcome.ok(true)
                                : Outcome.failed(error)));
    }

    CompletionStage<Outcome<Boolean, CloudError>> delete(String groupId) {
        var request = Ec2Requests.deleteSecurityGroup(groupId);
        return calls.write("ec2.DeleteSecurityGroup", () -> {
            ec2.deleteSecurityGroup(request);
            return true;
        });
    }
}
