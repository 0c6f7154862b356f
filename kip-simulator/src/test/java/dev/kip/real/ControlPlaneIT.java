package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What we hand to a cluster's admin is taken by a real API server. */
final class ControlPlaneIT {
    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    @Test
    void the_custom_resources_are_established() {
        assertThat(CLUSTER.applyCustomResources())
                .contains(
                        "cells.kip.elotl.co condition met",
                        "installations.kip.elotl.co condition met",
                        "launchbatches.kip.elotl.co condition met");
        assertThat(CLUSTER.kubectl("get", "cells").orFail()).contains("No resources found");
        assertThat(CLUSTER.kubectl(
                                "get",
                                "crd",
                                "-o",
                                "jsonpath={.items[*].status.conditions[?(@.type=='NonStructuralSchema')].message}")
                        .orFail())
                .isEmpty();
    }

    @Test
    void everything_in_deploy_is_taken_as_it_is() {
        CLUSTER.applyCustomResources();
        CLUSTER.applyRights();
        assertThat(CLUSTER.kubectl("apply", "-k", RealCluster.DEPLOY.toString(), "--dry-run=server")
                        .orFail())
                .contains("deployment.apps/kip created (server dry run)")
                .doesNotContain("Warning");
    }

    @Test
    void ec2_answers_the_aws_command_line() {
        assertThat(CLUSTER.aws("ec2", "describe-subnets", "--query", "Subnets[0].State", "--output", "text")
                        .orFail())
                .isEqualTo("available\n");
    }
}
