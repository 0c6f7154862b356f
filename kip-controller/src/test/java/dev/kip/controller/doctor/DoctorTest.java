package dev.kip.controller.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import dev.kip.controller.doctor.Finding.Level;
import dev.kip.crd.CrdManifests;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class DoctorTest {

    private static final Instant NOW = Instant.parse("2026-11-30T22:00:00Z");

    @Test
    void the_rights_that_are_asked_for_are_those_of_the_manifest() throws IOException {
        ImmutableList<Right> rights = Right.in(
                "rbac.yaml", Resources.toString(Resources.getResource(Right.class, "rbac.yaml"), UTF_8), "mine");

        assertThat(rights)
                .contains(
                        new Right("patch", "", "nodes/status", "", ""),
                        new Right("get", "", "namespaces", "kube-system", ""),
                        new Right("create", "kip.elotl.co", "cells", "", ""),
                        new Right("update", "coordination.k8s.io", "leases", "", "mine"),
                        new Right("update", "coordination.k8s.io", "leases", "", "kube-node-lease"));
        assertThat(new Right("patch", "", "nodes/status", "", "").subresource()).isEqualTo("status");
        assertThat(new Right("get", "", "pods", "", "").subresource()).isEmpty();
    }

    @Test
    void each_missing_right_is_an_error_of_its_own() {
        Right has = new Right("get", "", "pods", "", "");
        Right lacks = new Right("update", "coordination.k8s.io", "leases", "", "kip");

        assertThat(ClusterChecks.rights("SA", ImmutableMap.of(has, true, lacks, false)))
                .extracting(Finding::level, Finding::text)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(
                        Level.ERROR,
                        "SA must be allowed to update leases.coordination.k8s.io in namespace kip, and is not"));
        assertThat(ClusterChecks.rights("SA", ImmutableMap.of(has, true)))
                .extracting(Finding::level)
                .containsExactly(Level.OK);
    }

    @Test
    void a_definition_of_another_version_is_told_by_the_field_that_it_lacks() {
        Map<String, ObjectNode> found = new LinkedHashMap<>();
        for (ObjectNode definition : CrdManifests.all()) {
            found.put(definition.path("metadata").path("name").asString(), definition.deepCopy());
        }
        assertThat(ClusterChecks.definitions(CrdManifests.all(), ImmutableMap.copyOf(found)))
                .allMatch(finding -> finding.level() == Level.OK);

        ObjectNode properties = (ObjectNode) found.get("cells.kip.elotl.co")
                .at("/spec/versions/0/schema/openAPIV3Schema/properties/status/properties");
        properties.remove("clientToken");
        found.remove("launchbatches.kip.elotl.co");

        assertThat(ClusterChecks.definitions(CrdManifests.all(), ImmutableMap.copyOf(found)))
                .filteredOn(finding -> finding.level() == Level.ERROR)
                .extracting(Finding::text)
                .containsExactly(
                        "cells.kip.elotl.co is of another version: version v1 has no status.clientToken; what is written"
                                + " there would be lost",
                        "CustomResourceDefinition launchbatches.kip.elotl.co is missing");
    }

    @Test
    void clocks_are_compared_with_a_second_of_tolerance() {
        assertThat(ClusterChecks.clock("X", NOW, Optional.of(NOW.minusSeconds(1)))
                        .level())
                .isEqualTo(Level.OK);
        assertThat(ClusterChecks.clock("X", NOW, Optional.of(NOW.plusSeconds(30)))
                        .text())
                .isEqualTo("this machine's clock is 30s behind X");
        assertThat(ClusterChecks.clock("X", NOW, Optional.of(NOW.plusSeconds(30)))
                        .level())
                .isEqualTo(Level.WARNING);
        assertThat(ClusterChecks.clock("X", NOW, Optional.of(NOW.minusSeconds(3600))))
                .matches(finding -> finding.level() == Level.ERROR)
                .matches(finding -> finding.text().contains("60m ahead of X"));
        assertThat(ClusterChecks.clock("X", NOW, Optional.empty()).level()).isEqualTo(Level.UNKNOWN);
    }

    @Test
    void a_kubelet_newer_than_its_server_or_far_older_is_a_warning() {
        assertThat(ClusterChecks.skew("v1.34.4", "v1.34.4").level()).isEqualTo(Level.OK);
        assertThat(ClusterChecks.skew("v1.37.0-eks-1", "v1.34.4").level()).isEqualTo(Level.OK);
        assertThat(ClusterChecks.skew("v1.38.0", "v1.34.4").level()).isEqualTo(Level.WARNING);
        assertThat(ClusterChecks.skew("v1.33.1", "v1.34.4").level()).isEqualTo(Level.WARNING);
        assertThat(ClusterChecks.skew("", "v1.34.4").level()).isEqualTo(Level.UNKNOWN);
    }

    @Test
    void the_patch_keeps_what_a_daemon_set_wished_before() {
        ObjectNode plain = daemonSet("kube-system", "kube-proxy", "{}");
        assertThat(DaemonSetPatch.of(plain).at("/spec/template/spec/affinity").toString())
                .isEqualTo(
                        "{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":"
                                + "[{\"matchExpressions\":[{\"key\":\"type\",\"operator\":\"NotIn\",\"values\":"
                                + "[\"virtual-kubelet\"]}]}]}}}");
        ObjectNode wishes = daemonSet(
                "a",
                "b",
                "{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':["
                        + "{'matchExpressions':[{'key':'disk','operator':'Exists'}]},{'matchFields':[]}]}}}");
        assertThat(DaemonSetPatch.of(wishes)
                        .at("/spec/template/spec/affinity/nodeAffinity"
                                + "/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms"))
                .hasSize(2)
                .allMatch(term -> term.toString().contains("\"NotIn\""))
                .anyMatch(term -> term.toString().contains("\"disk\""))
                .anyMatch(term -> term.toString().contains("matchFields"));
        assertThat(DaemonSetPatch.command(daemonSet("a", "b", "{'x':'it''s'}".replace("''", "\\u0027"))))
                .startsWith("kubectl -n a patch daemonset b --type=merge -p '{");
    }

    @Test
    void kube_proxy_comes_first_and_those_without_a_pod_here_not_at_all() {
        ObjectNode logs = daemonSet("a", "logs", "{}");
        ObjectNode proxy = daemonSet("kube-system", "kube-proxy", "{}");
        ObjectNode elsewhere = daemonSet("a", "elsewhere", "{}");

        assertThat(DaemonSetPatch.landed(
                        ImmutableList.of(logs, elsewhere, proxy), ImmutableList.of(podOf(logs), podOf(proxy))))
                .containsExactly(proxy, logs);
    }

    private static ObjectNode daemonSet(String namespace, String name, String affinity) {
        return read("{'metadata':{'namespace':'" + namespace + "','name':'" + name + "','uid':'" + name
                + "'},'spec':{'template':{'spec':{'affinity':" + affinity + "}}}}");
    }

    private static ObjectNode podOf(ObjectNode owner) {
        return read("{'metadata':{'ownerReferences':[{'kind':'DaemonSet','uid':'"
                + owner.path("metadata").path("uid").asString() + "'}]}}");
    }

    private static ObjectNode read(String json) {
        return (ObjectNode) JsonMapper.shared().readTree(json.replace('\'', '"'));
    }
}
