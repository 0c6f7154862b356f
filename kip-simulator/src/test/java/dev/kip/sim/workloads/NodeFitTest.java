package dev.kip.sim.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

class NodeFitTest {

    private static final ObjectNode NODE = PlayedCluster.json(
            "{'metadata':{'name':'n','labels':{'zone':'a','size':'4'}},'spec':{'taints':[{'key':'k','value':'v','effect':'NoSchedule'}]},"
                    + "'status':{'allocatable':{'cpu':'2','memory':'1Gi','pods':'3'},'conditions':[{'type':'Ready','status':'True'}]}}");

    private static ObjectNode pod(String spec) {
        return PlayedCluster.json("{'metadata':{'name':'p'},'spec':" + spec + "}");
    }

    private static String obstacle(String spec, Resources used) {
        ObjectNode pod = pod(spec);
        return NodeFit.obstacle(pod, Resources.ofPod(pod), NODE, used).orElse("none");
    }

    @Test
    void a_pod_needs_the_largest_moment_of_its_life() {
        Resources wanted = Resources.ofPod(pod("{'containers':[{'resources':{'requests':{'cpu':'500m'}}},"
                + "{'resources':{'requests':{'cpu':'1'}}}],'initContainers':["
                + "{'restartPolicy':'Always','resources':{'requests':{'cpu':'200m'}}},"
                + "{'resources':{'requests':{'cpu':'3','memory':'1Mi'}}}],'overhead':{'cpu':'10m'}}"));

        assertThat(wanted.get("cpu")).isEqualByComparingTo(new BigDecimal("3.21"));
        assertThat(wanted.get("memory")).isEqualByComparingTo(new BigDecimal("1048576"));
        assertThat(wanted.get("pods")).isEqualByComparingTo(BigDecimal.ONE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {'tolerations':[{'operator':'Exists'}]} | none
            {'tolerations':[{'key':'k','operator':'Exists'}]} | none
            {'tolerations':[{'key':'k','value':'v','effect':'NoSchedule'}]} | none
            {'tolerations':[{'key':'k','value':'w'}]} | node(s) had untolerated taint {k: v}
            {'tolerations':[{'key':'k','operator':'Exists','effect':'NoExecute'}]} | node(s) had untolerated taint {k: v}
            {} | node(s) had untolerated taint {k: v}
            """)
    void taints(String spec, String obstacle) {
        assertThat(obstacle(spec, Resources.NONE)).isEqualTo(obstacle);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            'zone','operator':'In','values':['a','b'] | true
            'zone','operator':'NotIn','values':['a'] | false
            'none','operator':'NotIn','values':['a'] | true
            'zone','operator':'Exists' | true
            'zone','operator':'DoesNotExist' | false
            'size','operator':'Gt','values':['3'] | true
            'size','operator':'Lt','values':['3'] | false
            """)
    void affinity(String requirement, boolean fits) {
        ObjectNode pod = pod("{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                + "{'nodeSelectorTerms':[{'matchExpressions':[{'key':" + requirement + "}]}]}}}}");

        assertThat(NodeFit.matchesAffinity(pod.path("spec"), NODE)).isEqualTo(fits);
    }

    @Test
    void a_term_without_requirements_matches_no_node() {
        ObjectNode pod = pod("{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                + "{'nodeSelectorTerms':[{}]}}}}");

        assertThat(NodeFit.matchesAffinity(pod.path("spec"), NODE)).isFalse();
    }

    @Test
    void what_is_short_is_named() {
        String tolerant = "{'tolerations':[{'operator':'Exists'}],'containers':[{'resources':{'requests':{%s}}}]}";

        assertThat(obstacle(tolerant.formatted("'cpu':'3'"), Resources.NONE)).isEqualTo("Insufficient cpu");
        assertThat(obstacle(tolerant.formatted("'nvidia.com/gpu':'1'"), Resources.NONE))
                .isEqualTo("Insufficient nvidia.com/gpu");
        assertThat(obstacle(tolerant.formatted(""), Resources.of(PlayedCluster.json("{'pods':'3'}"))))
                .isEqualTo("Too many pods");
    }
}
