package dev.kip.cloud;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.LaunchRequest;
import dev.kip.cloud.CloudApi.TemplateContent;

/**
 * A change to ask permission for, in full: whether it is allowed may hang on tags of what it touches. A resource that is
 * named must exist.
 */
public sealed interface Probe {

    /** As the cloud's policies write it, for example {@code ec2:RunInstances}. */
    String action();

    record Launch(LaunchRequest request) implements Probe {
        @Override
        public String action() {
            return "ec2:RunInstances";
        }
    }

    record Terminate(String instanceId) implements Probe {
        @Override
        public String action() {
            return "ec2:TerminateInstances";
        }
    }

    record CreateTemplate(TemplateContent content) implements Probe {
        @Override
        public String action() {
            return "ec2:CreateLaunchTemplate";
        }
    }

    /** Of the existing template of that name. */
    record CreateTemplateVersion(TemplateContent content) implements Probe {
        @Override
        public String action() {
            return "ec2:CreateLaunchTemplateVersion";
        }
    }

    record SetDefaultTemplateVersion(String templateId, String version) implements Probe {
        @Override
        public String action() {
            return "ec2:ModifyLaunchTemplate";
        }
    }

    record DeleteTemplateVersions(String templateId, ImmutableList<String> versions) implements Probe {
        @Override
        public String action() {
            return "ec2:DeleteLaunchTemplateVersions";
        }
    }

    record DeleteTemplate(String templateId) implements Probe {
        @Override
        public String action() {
            return "ec2:DeleteLaunchTemplate";
        }
    }

    record CreateGroup(String vpcId, String name, String description, ImmutableMap<String, String> tags)
            implements Probe {
        @Override
        public String action() {
            return "ec2:CreateSecurityGroup";
        }
    }

    record AllowIngress(String groupId, ImmutableList<String> cidrs) implements Probe {
        @Override
        public String action() {
            return "ec2:AuthorizeSecurityGroupIngress";
        }
    }

    record DeleteGroup(String groupId) implements Probe {
        @Override
        public String action() {
            return "ec2:DeleteSecurityGroup";
        }
    }

    record CreateTags(ImmutableList<String> resourceIds, ImmutableMap<String, String> tags) implements Probe {
        @Override
        public String action() {
            return "ec2:CreateTags";
        }
    }

    record DeleteTags(ImmutableList<String> resourceIds, ImmutableList<String> keys) implements Probe {
        @Override
        public String action() {
            return "ec2:DeleteTags";
        }
    }
}
